#include "scoring/projections/rating_queries.hpp"

#include <algorithm>
#include <charconv>

namespace tideline::scoring {
namespace {

// As index rating_in_order has it, with RatingTotal's prior ratings.
constexpr const char* kPlace = "((stars + 30) * 1000000000 / (ratings + 10))";
static_assert(RatingTotal::kPriorRatings == 10);
static_assert(RatingTotal::kPriorRatings * RatingTotal::kPriorStars == 30);

}  // namespace

const char* const kFindRatingSql =
    "SELECT ratings, stars FROM rating WHERE kind = $1 AND subject_id = $2";
const char* const kFindGivenSql =
    "SELECT stars FROM rating_given WHERE rater = $1::uuid AND kind = $2 AND subject_id = $3";

RatingTotal find_rating(sql::Transaction& transaction, const RatingSubject& subject) {
  const auto rows = transaction.execute(kFindRatingSql, {name_of(subject.kind), subject.id});
  if (rows.empty()) return {};
  return {rows[0].integer(0), rows[0].integer(1)};
}

std::optional<std::int64_t> find_given(sql::Transaction& transaction, const core::AccountId& rater,
                                       const RatingSubject& subject) {
  const auto rows = transaction.execute(kFindGivenSql, {rater, name_of(subject.kind), subject.id});
  if (rows.empty()) return std::nullopt;
  return rows[0].integer(0);
}

std::vector<GivenRating> list_given(sql::Transaction& transaction, const core::AccountId& rater,
                                    const GivenRating& after, int limit) {
  std::vector<GivenRating> given;
  for (const auto& row :
       transaction.execute("SELECT kind, subject_id, stars FROM rating_given"
                           " WHERE rater = $1::uuid AND (kind, subject_id) > ($2, $3)"
                           " ORDER BY kind, subject_id LIMIT $4",
                           {rater, after.kind, after.subject_id, limit})) {
    given.push_back({row.text(0), row.text(1), row.integer(2)});
  }
  return given;
}

std::map<std::string, core::AccountId> find_project_authors(
    sql::Transaction& transaction, const std::vector<std::string>& projects) {
  std::map<std::string, core::AccountId> authors;
  if (projects.empty()) return authors;
  for (const auto& row : transaction.execute(
           "SELECT project_id, author FROM rated_project WHERE project_id = ANY($1::text[])"
           " AND NOT EXISTS (SELECT FROM rating WHERE kind = 'project' AND subject_id = project_id"
           " AND closed)",
           {projects})) {
    authors.emplace(row.text(0), row.account(1));
  }
  return authors;
}

std::string place_text(const RatingPlace& place) {
  return std::to_string(place.billionths) + "," + place.id;
}

std::optional<RatingPlace> parse_rating_place(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  RatingPlace place{0, std::string(text.substr(comma + 1))};
  const auto [end, error] = std::from_chars(text.data(), text.data() + comma, place.billionths);
  if (error != std::errc() || place_text(place) != text || place.id.size() != 26) {
    return std::nullopt;
  }
  return place;
}

sql::Slice<RatedSubject> list_rated(sql::Transaction& transaction, RatingKind kind,
                                    const std::optional<RatingPlace>& before,
                                    const std::optional<RatingPlace>& after, int limit) {
  const std::string place = kPlace;
  std::string sql = "SELECT " + place +
                    ", subject_id, ratings, stars FROM rating"
                    " WHERE kind = $1 AND ratings > 0 AND NOT closed";
  sql::Params params = {name_of(kind)};
  if (const auto& bound = before ? before : after) {
    params.emplace_back(bound->billionths);
    params.emplace_back(bound->id);
    sql += before ? " AND (" + place + " > $2::bigint OR (" + place +
                        " = $2::bigint AND subject_id < $3))"
                  : " AND (" + place + " < $2::bigint OR (" + place +
                        " = $2::bigint AND subject_id > $3))";
  }
  sql += before ? " ORDER BY " + place + " ASC, subject_id DESC"
                : " ORDER BY " + place + " DESC, subject_id ASC";
  params.emplace_back(limit + 1);
  sql += " LIMIT $" + std::to_string(params.size());
  auto rows = transaction.execute(sql, params);
  if (before) std::reverse(rows.begin(), rows.end());
  std::vector<RatedSubject> subjects;
  for (const auto& row : rows) {
    subjects.push_back(
        {{row.integer(0), row.text(1)}, RatingTotal{row.integer(2), row.integer(3)}});
  }
  return sql::cut_slice(std::move(subjects), limit, before.has_value(), before || after);
}

}  // namespace tideline::scoring
