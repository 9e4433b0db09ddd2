#include "accounts/projections/score_view.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "eventsourcing/projections/projection.hpp"
#include "sql/columns.hpp"

namespace tideline::accounts {
namespace {

using eventsourcing::PoisonEvent;
using nlohmann::json;

[[noreturn]] void broken(const char* field) {
  throw PoisonEvent(std::string("a score whose ") + field + " breaks its contract");
}

const json& field_of(const json& object, const char* name) {
  const auto field = object.find(name);
  if (field == object.end()) broken(name);
  return *field;
}

std::int64_t integer(const json& value, const char* name) {
  if (!value.is_number_integer()) broken(name);
  return value.get<std::int64_t>();
}

std::optional<std::int64_t> nullable_integer(const json& object, const char* name) {
  const json& value = field_of(object, name);
  if (value.is_null()) return std::nullopt;
  return integer(value, name);
}

core::Day day_of(const json& value, const char* name) {
  const auto day =
      value.is_string() ? core::parse_day(value.get_ref<const std::string&>()) : std::nullopt;
  if (!day) broken(name);
  return *day;
}

const json& array_of(const json& object, const char* name) {
  const json& value = field_of(object, name);
  if (!value.is_array()) broken(name);
  return value;
}

}  // namespace

PublishedScore read_published_score(std::string_view value) {
  const json data = json::parse(value, nullptr, false);
  if (!data.is_object()) broken("value");
  const json& closed = field_of(data, "closed");
  if (!closed.is_boolean()) broken("closed");
  PublishedScore score{.version = integer(field_of(data, "version"), "version"),
                       .as_of = day_of(field_of(data, "as_of"), "as_of"),
                       .closed = closed.get<bool>()};
  if (score.closed) return score;
  score.points = nullable_integer(data, "points");
  score.level = nullable_integer(data, "level");
  score.rank = nullable_integer(data, "rank");
  score.contributions = nullable_integer(data, "contributions");
  for (const json& day : array_of(data, "days")) score.days.push_back(day_of(day, "days"));
  for (const json& amount : array_of(data, "day_contributions")) {
    score.day_contributions.push_back(integer(amount, "day_contributions"));
  }
  if (score.days.size() != score.day_contributions.size()) broken("day_contributions");
  return score;
}

void ScoreView::apply(const std::string& key, const std::optional<std::string>& value) {
  const auto account = core::AccountId::parse(key);
  if (!account) throw PoisonEvent("a score whose key is no account id");
  PublishedScore score{.version = std::numeric_limits<std::int64_t>::max(), .closed = true};
  if (value) score = read_published_score(*value);
  const auto [held, added] = newest_.try_emplace(*account, score);
  if (!added && score.newer_than(held->second)) held->second = std::move(score);
}

void ScoreView::flush(sql::Transaction& transaction) {
  sql::write_batch(
      transaction,
      "INSERT INTO account_score AS held"
      " (account_id, version, as_of, closed, points, level, rank, contributions, days,"
      " day_contributions)"
      " SELECT account_id, version, as_of, closed, points, level, rank, contributions,"
      " days::date[], day_contributions::bigint[]"
      " FROM unnest($1::uuid[], $2::bigint[], $3::date[], $4::boolean[], $5::bigint[],"
      " $6::bigint[], $7::bigint[], $8::bigint[], $9::text[], $10::text[])"
      " AS score (account_id, version, as_of, closed, points, level, rank, contributions, days,"
      " day_contributions)"
      " ON CONFLICT (account_id) DO UPDATE"
      " SET version = excluded.version, as_of = excluded.as_of, closed = excluded.closed,"
      " points = excluded.points, level = excluded.level, rank = excluded.rank,"
      " contributions = excluded.contributions, days = excluded.days,"
      " day_contributions = excluded.day_contributions"
      " WHERE (excluded.version, excluded.as_of) > (held.version, held.as_of)"
      " AND (excluded.closed OR NOT held.closed)",
      newest_, sql::kKey, &PublishedScore::version, &PublishedScore::as_of, &PublishedScore::closed,
      &PublishedScore::points, &PublishedScore::level, &PublishedScore::rank,
      &PublishedScore::contributions, sql::at(&PublishedScore::days, sql::kArrayText),
      sql::at(&PublishedScore::day_contributions, sql::kArrayText));
}

}  // namespace tideline::accounts
