#include "accounts/projections/account_queries.hpp"

namespace tideline::accounts {

std::optional<AccountRow> find_open_account(sql::Transaction& transaction,
                                            const core::AccountId& account) {
  const auto rows = transaction.execute(
      "SELECT profile, (extract(epoch FROM registered_at) * 1000000)::bigint, version FROM account"
      " WHERE account_id = $1::uuid AND NOT closed AND profile IS NOT NULL"
      " AND registered_at IS NOT NULL",
      {account});
  if (rows.empty()) return std::nullopt;
  const auto& row = rows.front();
  return AccountRow{row.text(0), row.timestamp_us(1),
                    core::StreamVersion(static_cast<std::uint64_t>(row.integer(2)))};
}

const char* const kReferencedUploadsSql =
    "SELECT account_id, avatar FROM person_profile WHERE avatar IS NOT NULL"
    " UNION ALL"
    " SELECT upload.owner, upload.hash FROM upload JOIN account ON account.account_id = "
    "upload.owner"
    " LEFT JOIN person_profile profile ON profile.account_id = upload.owner"
    " WHERE profile.version IS NULL OR profile.version < account.version";

std::vector<RoleRow> find_roles(sql::Transaction& transaction) {
  const auto rows = transaction.execute(
      "SELECT account_id, profile, coalesce(is_operator, false), coalesce(is_moderator, false)"
      " FROM account WHERE (is_operator OR is_moderator) AND NOT closed AND profile IS NOT NULL"
      " ORDER BY account_id");
  std::vector<RoleRow> found;
  found.reserve(rows.size());
  for (const auto& row : rows) {
    found.push_back({row.account(0), row.text(1), row.boolean(2), row.boolean(3)});
  }
  return found;
}

ProjectList find_projects(sql::Transaction& transaction, const core::AccountId& author, int limit) {
  ProjectList list;
  const auto counted =
      transaction.execute("SELECT count(*) FROM account_project WHERE author = $1::uuid", {author});
  list.count = counted.front().integer(0);
  const auto rows = transaction.execute(
      "SELECT project_id FROM account_project WHERE author = $1::uuid"
      " ORDER BY project_id DESC LIMIT $2",
      {author, limit});
  list.newest.reserve(rows.size());
  for (const auto& row : rows) list.newest.push_back(row.text(0));
  return list;
}

}  // namespace tideline::accounts
