#include "accounts/api/profile_numbers.hpp"

namespace tideline::accounts {
namespace {

using nlohmann::json;

json or_null(const std::optional<std::int64_t>& number) {
  return number ? json(*number) : json(nullptr);
}

}  // namespace

ProfileNumbers find_numbers(sql::Transaction& transaction, const core::AccountId& owner,
                            core::Day today) {
  return {find_score(transaction, owner), find_visits(transaction, owner, today)};
}

json scores_json(const std::optional<PublishedScore>& published, core::Day today) {
  const PublishedScore score = published.value_or(PublishedScore{});
  return {{"points", or_null(score.points)},
          {"level", or_null(score.level)},
          {"historyscore", score.contributions.value_or(0)},
          {"currentscore", current_score(score, today)},
          {"rank", or_null(score.rank)},
          {"rank_as_of", score.rank ? json(core::format_day(score.as_of)) : json(nullptr)}};
}

json visits_json(const VisitCounts& visits) {
  return {{"today", visits.today}, {"last_30_days", visits.last_30_days}, {"total", visits.total}};
}

}  // namespace tideline::accounts
