// What the tables of groups answer, by both indexes: members of a group, groups of a member. Blocks
// on the database; throws TransactionFailed. Names come sealed. Whether the asker may know is the
// caller's question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "social-graph/domain/membership.hpp"
#include "sql/keyset.hpp"

namespace tideline::social_graph {

struct ListedGroup {
  std::string group_id;
  core::AccountId creator;
  std::string sealed_name;
  bool is_private = false;
  core::Timestamp created_at;
  std::int64_t member_count = 0;
  GroupHistory history = GroupHistory::FromJoining;
  core::StreamVersion version;  // of the group itself
  core::Timestamp since;        // what the list is ordered by
};
struct HeldMembership {
  Membership::Phase phase = Membership::Phase::Stranger;
  core::Timestamp since;
  bool is_admin = false;
};

// nullopt: never created, or dissolved.
std::optional<ListedGroup> find_group(sql::Transaction& transaction, const std::string& group_id);
// By primary key, whatever the size of the group.
HeldMembership find_membership(sql::Transaction& transaction, const std::string& group_id,
                               const core::AccountId& account);

struct ListedMember {
  core::AccountId account;
  core::Timestamp since;
  bool is_admin = false;
};
// Who belongs to the group, latest first.
sql::Slice<ListedMember> list_members(sql::Transaction& transaction, const std::string& group_id,
                                      const sql::Window<core::AccountId>& window);
// The groups in which `account` is in that phase (Member or Invited), latest first.
sql::Slice<ListedGroup> list_groups(sql::Transaction& transaction, const core::AccountId& account,
                                    Membership::Phase phase,
                                    const sql::Window<std::string>& window);

}  // namespace tideline::social_graph
