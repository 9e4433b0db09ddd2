// A group: its name, whether it is private, and whose it is. Who belongs to it lies on streams of
// its own (Membership), which assert this one, so that nobody enters a group that is dissolved.
//
// Only its creator renames it: that a name is taken tells of another group, which may be private.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/domain/membership.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

// Commands. A `name_key` is the keyed hash of creator and name (GroupName).
struct CreateGroup {
  std::string group_id;
  core::AccountId creator;
  std::string name;
  bool is_private = false;
  GroupHistory history = GroupHistory::FromJoining;
  core::AccountId name_key;
};
struct RenameGroup {
  std::string group_id;
  GroupActor by;
  std::string name;
  core::AccountId name_key;
};
struct ChangeGroupHistory {
  std::string group_id;
  GroupActor by;
  GroupHistory history = GroupHistory::FromJoining;
};
struct HandOverGroup {
  std::string group_id;
  GroupActor by;
  core::AccountId to;
  bool to_is_member = false;
  core::AccountId name_key;  // under the new creator
};
struct DissolveGroup {
  std::string group_id;
  core::AccountId by;
  bool by_is_member = false;  // a stranger does not learn that a private group exists
};

struct Group {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<GroupCreated, GroupRenamed, GroupHistoryChanged, GroupHandedOver,
                             GroupDissolved>;

  struct State {
    std::optional<core::AccountId> creator;  // nullopt: never created
    std::optional<core::AccountId> handed_over_by{};
    bool is_private = false;
    bool dissolved = false;
    GroupHistory history = GroupHistory::FromJoining;
    std::optional<core::AccountId> name_key{};  // nullopt: the group holds no claim on its name
    std::string name{};  // "" where it was loaded without a key, or the key is destroyed
  };
  static State evolve(State state, const Event& event);

  using Command =
      std::variant<CreateGroup, RenameGroup, ChangeGroupHistory, HandOverGroup, DissolveGroup>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);

  // Why nobody may enter, leave or invite; nullopt: the group is there.
  static std::optional<eventsourcing::Rejection> refuse_use(const State& state);
};

}  // namespace tideline::social_graph
