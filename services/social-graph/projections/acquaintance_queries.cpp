#include "social-graph/projections/acquaintance_queries.hpp"

#include "blocks/blocks.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using sql::PersonSince;
using sql::Row;

Relation relation_named(std::string_view name) {
  for (const Relation one : {Relation::Outgoing, Relation::Incoming, Relation::Contact}) {
    if (name == name_of(one)) return one;
  }
  return Relation::None;
}

// Of $1 and $2. A contact that is mutual is blocked by neither of them, for a block ends contacts;
// each of the three blocks lies on a stream of its own, which the tables may know earlier.
const std::string& mutual_sql() {
  static const std::string sql =
      " FROM contact AS mine"
      " JOIN contact AS theirs ON theirs.owner = $2::uuid AND theirs.other = mine.other"
      " AND theirs.relation = 'contact'"
      " WHERE mine.owner = $1::uuid AND mine.relation = 'contact' AND NOT " +
      blocks::are_apart_sql("mine.other", "$1::uuid") + " AND NOT " +
      blocks::are_apart_sql("$2::uuid", "$1::uuid");
  return sql;
}

std::string suggestion_sql() {
  const auto latest = [](const std::string& owner, int count) {
    return "(SELECT other FROM contact WHERE owner = " + owner +
           " AND relation = 'contact' ORDER BY since DESC, other DESC LIMIT " +
           std::to_string(count) + ")";
  };
  const auto excluded = [](const std::string& owner, const std::string& other) {
    return " AND NOT EXISTS (SELECT FROM moment_setting AS said WHERE said.owner = " + owner +
           " AND said.other = " + other + " AND (said.hides_other OR said.hidden_from_other))";
  };
  return "WITH near AS MATERIALIZED " + latest("$1::uuid", kNearMax) +
         ", known AS MATERIALIZED (SELECT far.other AS account, count(*) AS mutual FROM near"
         " CROSS JOIN LATERAL " +
         latest("near.other", kFarMax) +
         " AS far WHERE far.other <> $1::uuid GROUP BY far.other)"
         " SELECT account, mutual FROM known WHERE NOT EXISTS"
         " (SELECT FROM contact WHERE owner = $1::uuid AND other = account)"
         " AND NOT EXISTS (SELECT FROM dismissed_suggestion AS gone"
         " WHERE gone.owner = $1::uuid AND gone.other = account)"
         " AND NOT EXISTS (SELECT FROM person WHERE person.account_id = account AND person.closed)"
         " AND NOT " +
         blocks::are_apart_sql("account", "$1::uuid") + excluded("$1::uuid", "account") +
         excluded("account", "$1::uuid") + " ORDER BY mutual DESC, account LIMIT " +
         std::to_string(kSuggestionsMax);
}

}  // namespace

HeldRelation find_relation(sql::Transaction& transaction, const AccountId& me,
                           const AccountId& other) {
  const auto row = transaction.execute(
      "SELECT (SELECT relation FROM contact WHERE owner = $1::uuid AND other = $2::uuid),"
      " EXISTS (SELECT FROM follow WHERE owner = $1::uuid AND direction = 'following'"
      " AND other = $2::uuid AND active),"
      " EXISTS (SELECT FROM follow WHERE owner = $1::uuid AND direction = 'followers'"
      " AND other = $2::uuid AND active),"
      " (SELECT remark FROM contact_remark WHERE owner = $1::uuid AND other = $2::uuid)",
      {me, other})[0];
  HeldRelation held;
  held.contact = relation_named(row.nullable_text(0).value_or(""));
  held.follows = row.boolean(1);
  held.followed_by = row.boolean(2);
  held.blocked = blocks::has_blocked(transaction, me, other);
  const bool is_contact = held.contact == Relation::Contact;
  if (is_contact) held.sealed_remark = row.nullable_text(3);
  held.mutual_contacts =
      transaction.execute("SELECT count(*)" + mutual_sql(), {me, other})[0].integer(0);
  const CountAudience shown_to = find_count_audience(transaction, other);
  const bool shown =
      shown_to == CountAudience::Everybody || (shown_to == CountAudience::Contacts && is_contact);
  if (shown && !held.blocked) held.follow_counts = count_follows(transaction, other);
  return held;
}

sql::Slice<PersonSince> list_mutual(sql::Transaction& transaction, const AccountId& me,
                                    const AccountId& other, const sql::Window<AccountId>& window) {
  static const std::string sql =
      "SELECT mine.other, (extract(epoch FROM mine.since) * 1000000)::bigint" + mutual_sql();
  return select_newest_first<PersonSince>(transaction, {sql, "mine.since", "mine.other"},
                                          {me, other}, window, PersonSince::of);
}

std::vector<AccountId> list_dismissed(sql::Transaction& transaction, const AccountId& me,
                                      const AccountId& after, int limit) {
  std::vector<AccountId> dismissed;
  for (const Row& row : transaction.execute(
           "SELECT other FROM dismissed_suggestion WHERE owner = $1::uuid AND other > $2::uuid"
           " ORDER BY other LIMIT $3",
           {me, after, limit})) {
    dismissed.push_back(row.account(0));
  }
  return dismissed;
}

std::vector<SuggestedPerson> suggest_contacts(sql::Transaction& transaction, const AccountId& me) {
  static const std::string sql = suggestion_sql();
  std::vector<SuggestedPerson> suggested;
  for (const Row& row : transaction.execute(sql, {me})) {
    suggested.push_back({row.account(0), row.integer(1)});
  }
  return suggested;
}

}  // namespace tideline::social_graph
