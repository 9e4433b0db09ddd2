// One moment: published once, its text perhaps edited within the hour, perhaps deleted by its
// author, never brought back. Its audience never changes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/clock.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/decider.hpp"
#include "feed/domain/visibility.hpp"

namespace tideline::feed {

inline const eventsourcing::Rejection kNoSuchMoment{eventsourcing::RejectionKind::NotFound,
                                                    "no-such-moment", "there is no such moment"};

// Whom a partly-visible moment is for, or a partly-invisible one is not for.
struct AudienceLists {
  std::vector<std::string> group_ids;
  std::vector<std::string> tag_ids;
  std::vector<core::AccountId> user_ids;

  bool empty() const { return group_ids.empty() && tag_ids.empty() && user_ids.empty(); }
  friend bool operator==(const AudienceLists&, const AudienceLists&) = default;
};

struct MomentPublished {
  core::MomentId id;
  core::AccountId author;
  Audience audience = Audience::Private;
  AudienceLists lists;
  std::string content;
  std::vector<std::string> images;
  core::Timestamp published_at;
  std::string seen;  // the writer's position token, "" = none

  friend bool operator==(const MomentPublished&, const MomentPublished&) = default;
};

struct MomentEdited {
  core::MomentId id;
  core::AccountId author;
  std::uint32_t edit = 0;  // 1 for the first
  std::string content;
  core::Timestamp edited_at;
  std::string seen;  // the writer's position token, "" = none

  friend bool operator==(const MomentEdited&, const MomentEdited&) = default;
};

struct MomentDeleted {
  core::MomentId id;
  core::AccountId author;

  friend bool operator==(const MomentDeleted&, const MomentDeleted&) = default;
};

struct PublishMoment {
  core::MomentId id;
  core::AccountId author;
  Audience audience = Audience::Private;
  AudienceLists lists;
  std::string content;
  std::vector<std::string> images;
  core::Timestamp now;
  std::string seen;

  friend bool operator==(const PublishMoment&, const PublishMoment&) = default;
};

struct EditMoment {
  core::AccountId by;
  std::string content;
  core::Timestamp now;
  std::string seen;

  friend bool operator==(const EditMoment&, const EditMoment&) = default;
};

struct DeleteMoment {
  core::AccountId by;

  friend bool operator==(const DeleteMoment&, const DeleteMoment&) = default;
};

struct Moment {
  static constexpr std::size_t kContentCodePointsMax = 2000;
  static constexpr std::chrono::hours kEditableFor{1};  // since it was published
  static constexpr std::uint32_t kEditsMax = 19;        // with the first text they fill one page
  static constexpr std::size_t kImagesMax = 9;
  static constexpr std::size_t kListedGroupsMax = 100;
  static constexpr std::size_t kListedTagsMax = 100;
  static constexpr std::size_t kListedUsersMax = 500;

  using Event = std::variant<MomentPublished, MomentEdited, MomentDeleted>;
  struct State {
    bool published = false;
    bool deleted = false;
    core::MomentId id;
    core::AccountId author;
    std::string content;  // the latest
    core::Timestamp published_at;
    std::uint32_t edits = 0;

    bool stands() const { return published && !deleted; }
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<PublishMoment, EditMoment, DeleteMoment>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::feed
