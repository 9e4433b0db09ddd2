#include "feed/projections/search/topic_queries.hpp"

#include <algorithm>
#include <string>

#include "feed/projections/search/search_scopes.hpp"

namespace tideline::feed {

static_assert(kTrendDays == 14, "the oldest day weighs 1, today 1 << 13");

// The time of an id is its upper 42 bits, in milliseconds.
const char* const kTrendingSql = R"(
WITH used AS (
  SELECT unnest(topics) AS topic, author, (id >> 22) / 86400000 AS day, id FROM moment_search
  WHERE scope = ANY ($1::bigint[]) AND id >= $2::bigint AND topics <> '{}' AND NOT hidden
), once_a_day AS (
  SELECT topic, author, day, max(id) AS id FROM used GROUP BY topic, author, day
), by_author AS (
  SELECT topic, author, sum(1::bigint << (13 - ($3::bigint - day)::int)) AS weight, max(id) AS id
  FROM once_a_day GROUP BY topic, author
)
SELECT topic, array_to_string((array_agg(id ORDER BY id DESC))[1:$5::int], ',') FROM by_author
GROUP BY topic HAVING count(*) >= $4::bigint
ORDER BY sum(weight) DESC, max(id) DESC, topic LIMIT $6::int)";

namespace {

std::vector<core::MomentId> ids_of(const std::string& text) {
  std::vector<core::MomentId> ids;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    ids.push_back(core::parse_moment_id(text.substr(begin, end - begin)).value());
    begin = end + 1;
  }
  return ids;
}

}  // namespace

std::vector<Trend> trending(sql::Transaction& transaction, std::size_t limit) {
  const auto newest = transaction.execute("SELECT max(id) FROM moment_search");
  if (newest.front().is_null(0)) return {};
  const core::MomentId last(static_cast<std::uint64_t>(newest.front().integer(0)));
  const core::Day today = core::utc_day(core::time_of(last));
  const core::MomentId from =
      core::first_moment_id(core::Timestamp(today) - std::chrono::days(kTrendDays - 1));
  std::vector<std::int64_t> scopes;
  for (std::int64_t week = week_of(from); week <= week_of(last); ++week) {
    scopes.push_back(scope_of_week(week));
  }
  std::vector<Trend> trends;
  for (const auto& row :
       transaction.execute(kTrendingSql, {scopes, from, today.time_since_epoch().count(),
                                          kTrendAuthorsMin, kTrendMoments, limit})) {
    trends.push_back({row.integer(0), ids_of(row.text(1))});
  }
  return trends;
}

search::TermKeys topic_keys(const eventsourcing::TextSealer& sealer) {
  return {sealer, std::string(kTopicTerms)};
}

}  // namespace tideline::feed
