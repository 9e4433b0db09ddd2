// What the demo knows of the campus: everything that it was told "done" about, as plain sets. The
// expected answers are computed from this alone; no code of the suite takes part in that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tideline::demo {

using PersonIndex = std::size_t;
using Edge = std::pair<PersonIndex, PersonIndex>;

struct Person {
  std::string user_id;
  std::string real_name;
  std::string department;
  std::string bio;
  std::string access_token;
  std::string refresh_token;
  std::string position;  // the position token of his last answer
};

enum class Audience { Public, Private, PartlyVisible, PartlyInvisible };

// What moments are about, in turn.
inline const std::array<std::string, 6> kTopics = {"exam",   "library", "图书馆",
                                                   "数据库", "tide",    "café"};

struct Moment {
  std::uint64_t id = 0;  // given by the suite
  PersonIndex author = 0;
  Audience audience = Audience::Public;
  std::vector<PersonIndex> users;
  std::vector<std::size_t> tags;    // indexes into World::tags
  std::vector<std::size_t> groups;  // indexes into World::groups
  std::string content;
  bool deleted = false;
  std::vector<PersonIndex> mentions{};
  std::optional<std::size_t> repost_of{};  // index into World::moments
};

// Under a moment; `answers`: a comment by somebody else.
struct Comment {
  std::string id;  // given by the suite
  std::size_t moment = 0;
  PersonIndex author = 0;
  std::optional<std::size_t> answers;  // index into World::comments
  bool deleted = false;
};

// Of what somebody is not told.
struct Mutes {
  bool follows = false;
  std::set<PersonIndex> people;
};

struct Tag {
  std::string id;
  PersonIndex owner = 0;
  std::set<PersonIndex> people;
};

struct Group {
  std::string id;
  std::string name;
  PersonIndex creator = 0;
  std::set<PersonIndex> members;
  bool dissolved = false;
  std::string said{};  // key of the message to all members
};

struct Project {
  std::string id;
  PersonIndex author = 0;
  std::size_t comments = 0;
  std::set<PersonIndex> voters;
  std::set<std::size_t> removed{};  // comments, from 1 on
  bool withdrawn = false;
};

inline const std::array<std::string, 3> kPollOptions = {"at eight", "at nine", "never"};

struct Poll {
  std::size_t moment = 0;                      // index into World::moments
  std::map<PersonIndex, std::size_t> votes{};  // for one of kPollOptions
};

struct World {
  std::vector<Person> people;
  std::vector<std::set<PersonIndex>> contacts;     // symmetric
  std::set<Edge> accepted;                         // second has accepted first, once
  std::vector<int> contacts_made;                  // also those that are no more
  std::map<Edge, std::string> remarks;             // what first calls second, a contact
  std::vector<std::set<PersonIndex>> following;    // [follower] -> followed
  std::vector<std::set<PersonIndex>> hides;        // [owner] -> whom he does not see
  std::vector<std::set<PersonIndex>> hidden_from;  // [owner] -> who must not see him
  std::vector<Tag> tags;
  std::vector<Group> groups;
  std::vector<Project> projects;
  std::vector<Moment> moments;
  std::set<std::pair<std::size_t, PersonIndex>> likes;  // moment, who likes it
  std::vector<Comment> comments;
  std::map<PersonIndex, Mutes> mutes;
  std::vector<Poll> polls;
  std::vector<std::vector<std::size_t>> bookmarks;  // moments, the newest bookmark first
  std::vector<std::optional<std::size_t>> pinned;   // moment that each page shows first
  std::vector<std::int64_t> visits;                 // of each profile by others
  std::vector<std::int64_t> points;
  std::vector<std::int64_t> contributions;
};

}  // namespace tideline::demo
