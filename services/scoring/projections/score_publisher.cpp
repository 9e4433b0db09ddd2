#include "scoring/projections/score_publisher.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "scoring/projections/awards.hpp"
#include "scoring/projections/events_read.hpp"

namespace tideline::scoring {
namespace {

using eventsourcing::Preparation;
using nlohmann::json;

// People whose states are read and published at once, so that neither the answer nor the producer's
// queue grows with the batch.
constexpr std::size_t kPeopleAtOnce = 2'000;
constexpr std::size_t kRanksAtOnce = 1'000;

}  // namespace

void ScorePublisher::load(sql::Transaction&) {
  changed_.clear();
  gathered_ = 0;
  applied_ = {};
}

void ScorePublisher::apply(const eventsourcing::RecordedEvent& event) {
  const auto fact = read_fact(event);
  if (!fact) return;
  const auto people = people_of(*fact, awards_of(*fact));
  if (people.empty()) return;
  changed_.insert(people.begin(), people.end());
  applied_.raise(event.source, event.log, event.position);
  ++gathered_;
}

Preparation ScorePublisher::prepare_flush() {
  if (changed_.empty()) return {};
  if (ports_.caught_up() && ports_.committed.wait_for(applied_, options_.engine_wait_max)) {
    return {};
  }
  if (gathered_ < options_.events_max) return {Preparation::State::Unfinished, {}, nullptr};
  return {Preparation::State::Failed, core::unavailable("the scores are behind"), nullptr};
}

// Whatever did not count for anybody has changed no state, and is told all the same.
void ScorePublisher::flush(sql::Transaction& transaction) {
  if (!changed_.empty()) publish_changed(transaction);
  if (reached_ != nullptr) publish(transaction, {}, reached_->current());
}

void ScorePublisher::publish_changed(sql::Transaction& transaction) {
  publishing_on_ = today();
  if (ranked_on_ != publishing_on_) add_first_ranks();
  const std::vector<core::AccountId> accounts(changed_.begin(), changed_.end());
  for (std::size_t i = 0; i < accounts.size(); i += kPeopleAtOnce) {
    const std::size_t count = std::min(kPeopleAtOnce, accounts.size() - i);
    const auto states = find_score_states(transaction, std::span(accounts).subspan(i, count),
                                          publishing_on_ - kDaysKept);
    std::vector<eventsourcing::StateUpdate> updates;
    for (const ScoreState& state : states) {
      updates.push_back({state.account.to_string(), value_of(state, publishing_on_)});
    }
    publish(transaction, updates, {});
  }
}

void ScorePublisher::flushed() {
  if (!changed_.empty()) ranked_on_ = publishing_on_;
  changed_.clear();
  gathered_ = 0;
}

void ScorePublisher::add_first_ranks() {
  BoardWindow window;
  for (std::size_t left = options_.ranks_daily; left > 0;) {
    window.limit = std::min(left, kRanksAtOnce);
    const BoardPage page = ports_.scores.page(window);
    for (const RankedEntry& ranked : page.items) changed_.insert(ranked.entry.account);
    if (!page.more_after) return;
    window.after = page.items.back().entry;
    left -= window.limit;
  }
}

void ScorePublisher::publish(sql::Transaction& transaction,
                             const std::vector<eventsourcing::StateUpdate>& updates,
                             const eventsourcing::PositionVector& applied) {
  if (updates.empty() && applied.empty()) return;
  if (auto published = ports_.topic.publish(transaction, updates, applied); !published) {
    // Whatever the topic says, the events are sound: the runner must try again, not park them.
    core::Error error = published.error();
    error.retryable = true;
    throw sql::TransactionFailed(std::move(error));
  }
}

std::string ScorePublisher::value_of(const ScoreState& state, core::Day day) const {
  json value{{"account_id", state.account.to_string()},
             {"version", state.version},
             {"as_of", core::format_day(day)},
             {"closed", state.closed},
             {"points", nullptr},
             {"level", nullptr},
             {"rank", nullptr},
             {"contributions", nullptr},
             {"days", json::array()},
             {"day_contributions", json::array()}};
  if (state.closed) return value.dump();
  value["points"] = state.points;
  value["level"] = ports_.scores.rules()->book.on(day).levels.level_of(state.points);
  if (const auto rank = ports_.scores.total(state.account).rank) value["rank"] = *rank;
  value["contributions"] = state.contributions;
  value["day_contributions"] = state.day_contributions;
  for (const core::Day one : state.days) value["days"].push_back(core::format_day(one));
  return value.dump();
}

}  // namespace tideline::scoring
