#include "social-graph/projections/group_queries.hpp"

#include "social-graph/projections/group_model.hpp"

namespace tideline::social_graph {
namespace {

using sql::Slice;
using sql::Window;

constexpr std::string_view kColumns =
    "SELECT held.group_id, held.creator, held.name, held.private,"
    " (extract(epoch FROM held.created_at) * 1000000)::bigint, coalesce(size.members, 0),"
    " held.history, held.version";

ListedGroup to_group(const sql::Row& row) {
  return {row.text(0),
          row.account(1),
          row.text(2),
          row.boolean(3),
          row.timestamp_us(4),
          row.integer(5),
          parse_group_history(row.text(6)).value(),
          core::StreamVersion(static_cast<std::uint64_t>(row.integer(7))),
          row.timestamp_us(8)};
}

Membership::Phase phase_named(std::string_view name) {
  using Phase = Membership::Phase;
  for (const Phase phase :
       {Phase::Invited, Phase::Declined, Phase::Member, Phase::Left, Phase::Removed}) {
    if (name == name_of(phase)) return phase;
  }
  CHECK(false, "the table holds only phases that were written");
  return Phase::Stranger;
}

}  // namespace

std::optional<ListedGroup> find_group(sql::Transaction& transaction, const std::string& group_id) {
  static const std::string sql = std::string(kColumns) +
                                 ", (extract(epoch FROM held.created_at) * 1000000)::bigint"
                                 " FROM social_group AS held"
                                 " LEFT JOIN social_group_size AS size USING (group_id)"
                                 " WHERE held.group_id = $1 AND NOT held.dissolved";
  const auto rows = transaction.execute(sql, {group_id});
  if (rows.empty()) return std::nullopt;
  return to_group(rows[0]);
}

HeldMembership find_membership(sql::Transaction& transaction, const std::string& group_id,
                               const core::AccountId& account) {
  const auto rows = transaction.execute(
      "SELECT phase, (extract(epoch FROM since) * 1000000)::bigint, admin FROM group_member"
      " WHERE group_id = $1 AND account_id = $2::uuid",
      {group_id, account});
  if (rows.empty()) return {};
  return {phase_named(rows[0].text(0)), rows[0].timestamp_us(1), rows[0].boolean(2)};
}

Slice<ListedMember> list_members(sql::Transaction& transaction, const std::string& group_id,
                                 const Window<core::AccountId>& window) {
  return select_newest_first<ListedMember>(
      transaction,
      {"SELECT account_id, (extract(epoch FROM since) * 1000000)::bigint, admin FROM group_member"
       " WHERE group_id = $1 AND phase = 'member'",
       "since", "account_id"},
      {group_id}, window, [](const sql::Row& row) {
        return ListedMember{row.account(0), row.timestamp_us(1), row.boolean(2)};
      });
}

Slice<ListedGroup> list_groups(sql::Transaction& transaction, const core::AccountId& account,
                               Membership::Phase phase, const Window<std::string>& window) {
  static const std::string sql =
      std::string(kColumns) +
      ", (extract(epoch FROM member.since) * 1000000)::bigint"
      " FROM group_member AS member"
      " JOIN social_group AS held ON held.group_id = member.group_id AND NOT held.dissolved"
      " LEFT JOIN social_group_size AS size ON size.group_id = member.group_id"
      " WHERE member.account_id = $1::uuid AND member.phase = $2";
  return select_newest_first<ListedGroup>(transaction, {sql, "member.since", "member.group_id"},
                                          {account, name_of(phase)}, window, to_group);
}

}  // namespace tideline::social_graph
