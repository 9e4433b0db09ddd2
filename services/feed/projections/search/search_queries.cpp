#include "feed/projections/search/search_queries.hpp"

#include <algorithm>
#include <limits>

#include "feed/projections/search/search_scopes.hpp"

namespace tideline::feed {

// "id + 0": in the order of the index of words, not of ids, of which all might have to be looked
// at. What scoped_words($2, wanted.scope) would make is made in place: the call of a function costs
// more than to look into the index.
const char* const kFindByWordsSql = R"(
SELECT found.id FROM unnest($1::bigint[]) AS wanted (scope)
CROSS JOIN LATERAL (
  SELECT id FROM moment_search
  WHERE scoped_words(words, moment_search.scope) @>
      (SELECT array_agg(word # wanted.scope) FROM unnest($2::bigint[]) AS word)
    AND id < $3
  ORDER BY id + 0 DESC LIMIT $4) AS found
ORDER BY found.id DESC LIMIT $4)";

namespace {

// Weeks that one statement looks into: at most so many, and so many times as many as the one
// before.
constexpr std::int64_t kWeeksMax = 128;
constexpr std::int64_t kGrowth = 8;

// A message that somebody has sent to a group of his is found in two scopes.
constexpr const char* kFindMessages = R"(
SELECT (extract(epoch FROM found.sent_at) * 1000000)::bigint, found.sender
FROM unnest($1::bigint[]) AS reader (scope)
CROSS JOIN LATERAL (
  SELECT sent_at, sender FROM message_search
  WHERE words_in_scopes(words, scopes) @> scoped_words($2::bigint[], reader.scope)
    AND (sent_at, sender) < ($3::timestamptz, $4::uuid)
  ORDER BY sent_at DESC, sender DESC LIMIT $5) AS found
GROUP BY found.sent_at, found.sender
ORDER BY found.sent_at DESC, found.sender DESC LIMIT $5)";

using Ids = std::vector<core::MomentId>;

// PostgreSQL's bigint ends where no id does.
std::int64_t as_bigint(core::MomentId id) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(id.value(), kMax));
}

// Scope by scope: an index asked for all of them at once (&&) compares each row that it finds with
// each of them.
void append_found(sql::Transaction& transaction, const std::vector<std::int64_t>& scopes,
                  const WantedWords& wanted, core::MomentId bound, std::size_t limit, Ids& ids) {
  for (const auto& row :
       transaction.execute(kFindByWordsSql, {scopes, wanted.keys, as_bigint(bound), limit})) {
    ids.emplace_back(static_cast<std::uint64_t>(row.integer(0)));
  }
}

// The weeks between the oldest moment and the newest below the bound; none if there is no moment.
struct Weeks {
  std::int64_t oldest = 0;
  std::int64_t newest = -1;
};

Weeks weeks_below(sql::Transaction& transaction, core::MomentId bound) {
  const auto rows = transaction.execute(
      "SELECT (SELECT min(id) FROM moment_search), (SELECT max(id) FROM moment_search WHERE id < "
      "$1)",
      {as_bigint(bound)});
  if (rows.front().is_null(1)) return {};
  const auto week = [&](std::size_t column) {
    return week_of(core::MomentId(static_cast<std::uint64_t>(rows.front().integer(column))));
  };
  return {week(0), week(1)};
}

Ids find_public(sql::Transaction& transaction, const WantedWords& wanted, core::MomentId bound,
                std::size_t limit) {
  const Weeks weeks = weeks_below(transaction, bound);
  Ids found;
  std::int64_t at_once = 1;
  std::int64_t week = weeks.newest;
  while (week >= weeks.oldest && found.size() < limit) {
    std::vector<std::int64_t> scopes;
    for (; week >= weeks.oldest && std::ssize(scopes) < at_once; --week) {
      scopes.push_back(scope_of_week(week));
    }
    append_found(transaction, scopes, wanted, bound, limit - found.size(), found);
    // So many as hold what is missing if the word is as frequent in them: one of every day is found
    // in the first week, a rare one in few statements.
    const auto missing = static_cast<std::int64_t>(limit - found.size());
    const auto had = std::max(std::ssize(found), std::ptrdiff_t{1});
    at_once = std::clamp((weeks.newest - week) * missing / had, std::int64_t{1},
                         std::min(kGrowth * at_once, kWeeksMax));
  }
  return found;
}

Ids find_of_authors(sql::Transaction& transaction, const WantedWords& wanted,
                    std::span<const core::AccountId> authors, core::MomentId bound,
                    std::size_t limit) {
  std::vector<std::int64_t> scopes;
  scopes.reserve(authors.size());
  for (const core::AccountId& author : authors) scopes.push_back(scope_of_person(author));
  Ids found;
  append_found(transaction, scopes, wanted, bound, limit, found);
  return found;
}

}  // namespace

WantedWords wanted_words(const search::TermKeys& keys, const search::Query& query) {
  return {keys.of(query.terms())};
}

FoundByWords find_by_words(sql::Transaction& transaction, const WantedWords& wanted,
                           std::span<const core::AccountId> authors, core::MomentId bound,
                           std::size_t limit) {
  const Ids open = find_public(transaction, wanted, bound, limit);
  const Ids closed = find_of_authors(transaction, wanted, authors, bound, limit);
  FoundByWords found;
  std::ranges::merge(open, closed, std::back_inserter(found.ids), std::ranges::greater());
  // Of the kind that has more, what lies below its last id is not known yet.
  found.all = open.size() < limit && closed.size() < limit;
  if (found.ids.size() > limit) {
    found.ids.resize(limit);
    found.all = false;
  }
  return found;
}

std::vector<MessageKey> find_messages_by_words(sql::Transaction& transaction,
                                               const WantedWords& wanted,
                                               const core::AccountId& person,
                                               std::span<const std::string> group_ids,
                                               const std::optional<MessageKey>& bound,
                                               std::size_t limit) {
  std::vector<std::int64_t> scopes{scope_of_person(person)};
  for (const std::string& group_id : group_ids) scopes.push_back(scope_of_group(group_id));
  std::vector<MessageKey> keys;
  // No message is of such a time.
  const MessageKey below = bound.value_or(
      MessageKey{core::parse_iso8601("9999-12-31T00:00:00.000000Z").value(), core::AccountId()});
  for (const auto& row : transaction.execute(
           kFindMessages, {scopes, wanted.keys, below.sent_at, below.sender, limit})) {
    keys.push_back({row.timestamp_us(0), row.account(1)});
  }
  return keys;
}

}  // namespace tideline::feed
