#include "social-graph/projections/tag_queries.hpp"

namespace tideline::social_graph {
namespace {

using sql::PersonSince;
using sql::Slice;
using sql::Window;

constexpr std::string_view kColumns =
    "SELECT tag.tag_id, tag.name, (extract(epoch FROM tag.created_at) * 1000000)::bigint,"
    " (SELECT count(*) FROM tag_member AS counted WHERE counted.owner = tag.owner"
    " AND counted.tag_id = tag.tag_id AND counted.active), tag.version";

ListedTag to_tag(const sql::Row& row) {
  return {row.text(0),
          row.text(1),
          row.timestamp_us(2),
          row.integer(3),
          core::StreamVersion(static_cast<std::uint64_t>(row.integer(4))),
          row.timestamp_us(5)};
}

const std::string& list_sql() {
  static const std::string sql = std::string(kColumns) +
                                 ", (extract(epoch FROM tag.created_at) * 1000000)::bigint"
                                 " FROM tag WHERE tag.owner = $1::uuid AND NOT tag.deleted";
  return sql;
}

}  // namespace

Slice<ListedTag> list_tags(sql::Transaction& transaction, const core::AccountId& owner,
                           const Window<std::string>& window) {
  return select_newest_first<ListedTag>(transaction, {list_sql(), "tag.created_at", "tag.tag_id"},
                                        {owner}, window, to_tag);
}

std::optional<ListedTag> find_tag(sql::Transaction& transaction, const core::AccountId& owner,
                                  const std::string& tag_id) {
  const auto rows = transaction.execute(list_sql() + " AND tag.tag_id = $2", {owner, tag_id});
  if (rows.empty()) return std::nullopt;
  return to_tag(rows[0]);
}

Slice<PersonSince> list_tagged(sql::Transaction& transaction, const core::AccountId& owner,
                               const std::string& tag_id, const Window<core::AccountId>& window) {
  return select_newest_first<PersonSince>(
      transaction,
      {"SELECT account_id, (extract(epoch FROM since) * 1000000)::bigint FROM tag_member"
       " WHERE owner = $1::uuid AND tag_id = $2 AND active",
       "since", "account_id"},
      {owner, tag_id}, window, PersonSince::of);
}

// A tag is one person's, so its id tells apart what lies at one time.
Slice<TagOnPerson> list_tagging(sql::Transaction& transaction, const core::AccountId& account,
                                const Window<std::string>& window) {
  return select_newest_first<TagOnPerson>(
      transaction,
      {"SELECT member.owner, member.tag_id, (extract(epoch FROM member.since) * 1000000)::bigint"
       " FROM tag_member AS member"
       " JOIN tag ON tag.owner = member.owner AND tag.tag_id = member.tag_id AND NOT tag.deleted"
       " WHERE member.account_id = $1::uuid AND member.active",
       "member.since", "member.tag_id"},
      {account}, window, [](const sql::Row& row) {
        return TagOnPerson{row.account(0), row.text(1), row.timestamp_us(2)};
      });
}

std::vector<HeldTagging> list_taggings_of(sql::Transaction& transaction,
                                          const core::AccountId& owner, const HeldTagging& after,
                                          int limit) {
  std::vector<HeldTagging> taggings;
  for (const sql::Row& row : transaction.execute(
           "SELECT member.tag_id, member.account_id,"
           " (extract(epoch FROM member.since) * 1000000)::bigint FROM tag_member AS member"
           " JOIN tag ON tag.owner = member.owner AND tag.tag_id = member.tag_id"
           " AND NOT tag.deleted"
           " WHERE member.owner = $1::uuid AND member.active"
           " AND (member.tag_id, member.account_id) > ($2, $3::uuid)"
           " ORDER BY member.tag_id, member.account_id LIMIT $4",
           {owner, after.tag_id, after.account, limit})) {
    taggings.push_back({row.text(0), row.account(1), row.timestamp_us(2)});
  }
  return taggings;
}

Slice<ListedTag> list_tags_on(sql::Transaction& transaction, const core::AccountId& owner,
                              const core::AccountId& account, const Window<std::string>& window) {
  static const std::string sql =
      std::string(kColumns) +
      ", (extract(epoch FROM member.since) * 1000000)::bigint"
      " FROM tag_member AS member"
      " JOIN tag ON tag.owner = member.owner AND tag.tag_id = member.tag_id AND NOT tag.deleted"
      " WHERE member.account_id = $2::uuid AND member.owner = $1::uuid AND member.active";
  return select_newest_first<ListedTag>(transaction, {sql, "member.since", "member.tag_id"},
                                        {owner, account}, window, to_tag);
}

}  // namespace tideline::social_graph
