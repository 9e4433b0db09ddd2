// One moment: published once, its text perhaps edited within the hour, its audience perhaps changed
// at any time, perhaps hidden by a moderator and restored, perhaps deleted by its author or a
// moderator, never brought back.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/clock.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "feed/domain/poll.hpp"
#include "feed/domain/visibility.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

inline const eventsourcing::Rejection kNoSuchMoment{eventsourcing::RejectionKind::NotFound,
                                                    "no-such-moment", "there is no such moment"};

// A moment that another one shows inside, to whom it is for.
struct Reposted {
  core::MomentId moment;
  core::AccountId author;

  friend bool operator==(const Reposted&, const Reposted&) = default;
};

struct PublishMoment {
  core::MomentId id;
  core::AccountId author;
  Audience audience = Audience::Private;
  AudienceLists lists;
  std::string content;
  std::vector<std::string> images;
  core::Timestamp now;
  std::vector<core::AccountId> mentions{};
  std::optional<Reposted> repost{};  // one that is public, and reposts nothing
  std::optional<NewPoll> poll{};

  friend bool operator==(const PublishMoment&, const PublishMoment&) = default;
};

struct EditMoment {
  core::AccountId by;
  std::string content;
  core::Timestamp now;

  friend bool operator==(const EditMoment&, const EditMoment&) = default;
};

// The whole audience that it has from now on.
struct ChangeAudience {
  core::AccountId by;
  Audience audience = Audience::Private;
  AudienceLists lists;
  core::Timestamp now;

  friend bool operator==(const ChangeAudience&, const ChangeAudience&) = default;
};

struct DeleteMoment {
  core::AccountId by;

  friend bool operator==(const DeleteMoment&, const DeleteMoment&) = default;
};

// By a moderator, whom that is said of in the case.
struct RemoveMoment {
  friend bool operator==(const RemoveMoment&, const RemoveMoment&) = default;
};

// By a moderator, too: from all but its author, until it is restored.
struct HideMoment {
  core::Timestamp now;

  friend bool operator==(const HideMoment&, const HideMoment&) = default;
};
struct RestoreMoment {
  core::Timestamp now;

  friend bool operator==(const RestoreMoment&, const RestoreMoment&) = default;
};

struct Moment {
  static constexpr std::size_t kContentCodePointsMax = 2000;
  static constexpr std::chrono::hours kEditableFor{1};  // since it was published
  static constexpr std::uint32_t kEditsMax = 19;        // with the first text they fill one page
  // So that what a command reads of its stream stays small, with 5,000 people listed in each.
  static constexpr std::uint32_t kAudienceChangesMax = 20;
  static constexpr std::uint32_t kHidingsMax = 20;
  // Published, with a poll, edited, changed, hidden, restored, deleted.
  static constexpr std::uint32_t kEventsMax = kEditsMax + kAudienceChangesMax + 2 * kHidingsMax + 3;
  static constexpr std::size_t kImagesMax = 9;
  static constexpr std::size_t kListedGroupsMax = 100;
  static constexpr std::size_t kListedTagsMax = 100;
  static constexpr std::size_t kListedUsersMax = 5000;

  using Event = std::variant<MomentPublished, PollOpened, MomentEdited, MomentAudienceChanged,
                             MomentHidden, MomentRestored, MomentDeleted>;
  struct State {
    bool published = false;
    bool deleted = false;
    core::MomentId id;
    core::AccountId author;
    std::string content;  // the latest
    bool has_images = false;
    std::optional<Reposted> repost;
    std::optional<PollOpened> poll;
    core::Timestamp published_at;
    std::uint32_t edits = 0;
    Audience audience = Audience::Private;
    AudienceLists lists;
    std::uint32_t audience_changes = 0;
    bool hidden = false;
    std::uint32_t hidings = 0;

    bool stands() const { return published && !deleted; }
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<PublishMoment, EditMoment, ChangeAudience, DeleteMoment,
                               RemoveMoment, HideMoment, RestoreMoment>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::feed
