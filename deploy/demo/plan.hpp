// What the demo will do, drawn from a seed before the first request is sent: the same graph and
// seed give the same plan. People, tags, groups, projects and moments are numbered; the suite's own
// ids come later.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "demo/graph.hpp"
#include "demo/world.hpp"

namespace tideline::demo {

struct PlannedTag {
  PersonIndex owner;
  std::vector<PersonIndex> people;
};
struct PlannedGroup {
  PersonIndex creator;
  bool is_private;
  std::vector<PersonIndex> members;  // without the creator; contacts of his
};
struct PlannedComment {
  PersonIndex author;
  std::size_t parent;  // 0 = top level
};
struct PlannedAdvice {
  PersonIndex adviser;  // not the project's author
  bool adopted;
};
struct PlannedProject {
  PersonIndex author;
  std::vector<PlannedComment> comments;  // the n-th gets id n + 1
  std::vector<PlannedAdvice> advice;
  std::vector<PersonIndex> voters;
};
struct PlannedMoment {
  PersonIndex author;
  Audience audience;
  std::vector<PersonIndex> users;
  std::vector<std::size_t> tags;
  std::vector<std::size_t> groups;
};

struct Plan {
  std::size_t people = 0;
  // First the campus comes together...
  std::vector<Edge> contacts;  // who asks, who accepts
  std::vector<Edge> remarks;   // of `contacts`: first calls second by a name of his own
  std::vector<Edge> follows;
  std::vector<PlannedTag> tags;
  std::vector<PlannedGroup> groups;
  std::vector<Edge> hides;        // first does not want to see second
  std::vector<Edge> hidden_from;  // second must not see first
  std::vector<PlannedProject> projects;
  std::vector<PersonIndex> sign_ins;
  std::vector<Edge> visits;  // first looks at second's profile
  // ...and publishes; then everything that counts backwards changes...
  std::vector<PlannedMoment> moments_before;
  std::vector<Edge> late_contacts;
  std::vector<Edge> unfriended;                                // of `contacts`
  std::vector<Edge> unhidden;                                  // of `hides`
  std::vector<Edge> unfollowed;                                // of `follows`
  std::vector<std::pair<std::size_t, PersonIndex>> untagged;   // tag, person
  std::vector<std::pair<std::size_t, PersonIndex>> left;       // group, member
  std::vector<std::size_t> dissolved;                          // groups
  std::vector<std::size_t> renamed;                            // groups
  std::vector<std::pair<std::size_t, PersonIndex>> handed;     // group, member who gets it
  std::vector<std::size_t> deleted;                            // of moments_before
  std::vector<std::pair<std::size_t, PlannedMoment>> changed;  // of moments_before: its audience
  std::vector<std::size_t> withdrawn;                          // projects
  std::vector<std::size_t> restored;                           // of `withdrawn`
  std::vector<std::pair<std::size_t, std::size_t>> removed;    // project, its comment from 1 on
  // ...and it publishes again.
  std::vector<PlannedMoment> moments_after;
};

Plan make_plan(const Graph& graph, std::size_t moments_each, std::uint64_t seed);

}  // namespace tideline::demo
