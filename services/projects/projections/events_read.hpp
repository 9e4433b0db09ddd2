// This service's events as its read models understand them: the fields that they use, whatever else
// the data holds. Cards and texts stay sealed.
//
// Pure functions. nullopt: not an event of that aggregate. They throw PoisonEvent for data that
// breaks its schema.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/event.hpp"
#include "projects/domain/advice.hpp"
#include "projects/domain/comments.hpp"
#include "projects/domain/documents.hpp"
#include "projects/domain/project.hpp"
#include "projects/domain/vote.hpp"
#include "projects/domain/voting.hpp"

namespace tideline::projects {

// A project as its creation or its latest edit left it.
struct ProjectRead {
  std::string project_id;
  core::AccountId author;
  std::string sealed_card;
  std::vector<std::string> labels;
  std::optional<core::Timestamp> published_at;  // of a creation; nullopt: an edit
};
std::optional<ProjectRead> read_project(const eventsourcing::RecordedEvent& recorded);
std::optional<ProjectIconChanged> read_icon(const eventsourcing::RecordedEvent& recorded);

// The text of a comment stays sealed here.
std::optional<Comments::Event> read_comment(const eventsourcing::RecordedEvent& recorded);
// Likewise that of advice.
std::optional<Advice::Event> read_advice(const eventsourcing::RecordedEvent& recorded);
// Likewise the titles of documents.
std::optional<Documents::Event> read_documents(const eventsourcing::RecordedEvent& recorded);
std::optional<Voting::Event> read_voting(const eventsourcing::RecordedEvent& recorded);
std::optional<Vote::Event> read_vote(const eventsourcing::RecordedEvent& recorded);

}  // namespace tideline::projects
