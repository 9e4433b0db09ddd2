// Reads of the tables of ratings. Queries block on the database and throw TransactionFailed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scoring/domain/rating.hpp"
#include "sql/keyset.hpp"
#include "sql/transaction.hpp"

namespace tideline::scoring {

// Nothing of a subject that nobody has rated. Touches one partition.
RatingTotal find_rating(sql::Transaction& transaction, const RatingSubject& subject);
// nullopt: has not rated it. Touches one partition.
std::optional<std::int64_t> find_given(sql::Transaction& transaction, const core::AccountId& rater,
                                       const RatingSubject& subject);
// What somebody has given, by kind and subject, from behind `after`. Touches one partition.
struct GivenRating {
  std::string kind;
  std::string subject_id;
  std::int64_t stars = 0;
};
std::vector<GivenRating> list_given(sql::Transaction& transaction, const core::AccountId& rater,
                                    const GivenRating& after, int limit);
// The authors of those projects that are known and not withdrawn.
std::map<std::string, core::AccountId> find_project_authors(
    sql::Transaction& transaction, const std::vector<std::string>& projects);

// Where a subject stands in the order: its Bayesian mean in billionths of a star, rounded down.
struct RatingPlace {
  std::int64_t billionths = 0;
  std::string id;
  friend bool operator==(const RatingPlace&, const RatingPlace&) = default;
};

// "<billionths>,<id>"
std::string place_text(const RatingPlace& place);
// nullopt for anything that place_text() would not have written.
std::optional<RatingPlace> parse_rating_place(std::string_view text);

struct RatedSubject {
  RatingPlace place;
  RatingTotal total;
};

// The rated subjects of a kind, without closed accounts: best Bayesian mean first, then by id; from
// behind `after`, or ahead of `before`. The order is over all subjects, merged from the partitions.
sql::Slice<RatedSubject> list_rated(sql::Transaction& transaction, RatingKind kind,
                                    const std::optional<RatingPlace>& before,
                                    const std::optional<RatingPlace>& after, int limit);

// For the tests of their plans.
extern const char* const kFindRatingSql;
extern const char* const kFindGivenSql;

}  // namespace tideline::scoring
