// Tables social_group, social_group_size and group_member: groups, how many belong to them, and
// who. Part of GraphProjection. Each row belongs to one stream: of the group, of its member count,
// of one membership. A dissolved group is a flag that queries ask for; its members stay as they
// are.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"
#include "social-graph/domain/membership.hpp"
#include "sql/transaction.hpp"

namespace tideline::social_graph {

// As column group_member.phase holds it.
std::string_view name_of(Membership::Phase phase);

class GroupModel {
 public:
  static constexpr std::array kTables{"social_group", "social_group_size", "group_member"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear();

 private:
  struct GroupRow {
    std::optional<core::AccountId> creator;  // nullopt: created before the last flush
    std::optional<std::string> sealed_name;
    std::optional<bool> is_private;
    std::optional<core::Timestamp> created_at;
    std::optional<GroupHistory> history;
    bool dissolved = false;
    core::StreamVersion version;
  };
  struct SizeRow {
    std::int64_t members = 0;
    core::StreamVersion version;
  };
  // A membership that goes on.
  struct AdminRow {
    bool is_admin = false;
    core::StreamVersion version;
  };
  struct MemberRow {
    Membership::Phase phase = Membership::Phase::Stranger;
    core::Timestamp since;
    core::StreamVersion version;
  };
  using MemberKey = std::pair<std::string, core::AccountId>;  // group, account

  void apply_group(const eventsourcing::RecordedEvent& event);
  void apply_membership(const eventsourcing::RecordedEvent& event);
  void flush_groups(sql::Transaction& transaction) const;
  void flush_sizes(sql::Transaction& transaction) const;
  void flush_members(sql::Transaction& transaction) const;
  void flush_admins(sql::Transaction& transaction) const;

  // As the last event since the last flush left them.
  std::map<std::string, GroupRow> groups_;
  std::map<std::string, SizeRow> sizes_;
  std::map<MemberKey, MemberRow> members_;
  std::map<MemberKey, AdminRow> admins_;
};

}  // namespace tideline::social_graph
