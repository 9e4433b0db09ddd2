// The topic of scores as its readers see it: the newest (version, as_of) of each account.
#pragma once

#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/projections/state_topic.hpp"

namespace tideline::scoring {

// Thread-safe.
class PublishedScores final : public eventsourcing::StatePublisher {
 public:
  core::Status publish(sql::Transaction&, const std::vector<eventsourcing::StateUpdate>& updates,
                       const eventsourcing::PositionVector& applied) override {
    const std::lock_guard lock(mutex_);
    if (std::exchange(failing_, false)) return core::internal_error("no broker");
    applied_.join(applied);
    if (!updates.empty()) order_ += 's';
    if (!applied.empty()) order_ += 'a';
    for (const auto& update : updates) {
      const auto value = nlohmann::json::parse(update.value.value());
      const auto held = newest_.find(update.key);
      if (held == newest_.end() || place(value) > place(held->second)) newest_[update.key] = value;
      ++published_;
    }
    return core::success();
  }

  // Nothing of the next batch is acknowledged.
  void fail_once() {
    const std::lock_guard lock(mutex_);
    failing_ = true;
  }
  std::size_t published() const {
    const std::lock_guard lock(mutex_);
    return published_;
  }
  // 's' for states, 'a' where readers were told how far they reach.
  std::string order() const {
    const std::lock_guard lock(mutex_);
    return order_;
  }
  // As readers have been told.
  eventsourcing::PositionVector applied() const {
    const std::lock_guard lock(mutex_);
    return applied_;
  }
  // null: nothing was published of that account.
  nlohmann::json of(const core::AccountId& account) const {
    const std::lock_guard lock(mutex_);
    const auto found = newest_.find(account.to_string());
    return found == newest_.end() ? nlohmann::json(nullptr) : found->second;
  }
  std::int64_t version_of(const core::AccountId& account) const {
    const auto value = of(account);
    return value.is_null() ? 0 : value.at("version").get<std::int64_t>();
  }

 private:
  static std::pair<std::int64_t, std::string> place(const nlohmann::json& value) {
    return {value.at("version"), value.at("as_of")};
  }

  mutable std::mutex mutex_;
  std::map<std::string, nlohmann::json> newest_;
  eventsourcing::PositionVector applied_;
  std::string order_;
  std::size_t published_ = 0;
  bool failing_ = false;
};

// What a reader makes of the days of a published state: the sum of the last 30 up to `today`.
inline std::int64_t current_score_of(const nlohmann::json& state, core::Day today) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < state.at("days").size(); ++i) {
    const auto day = core::parse_day(state.at("days")[i].get<std::string>()).value();
    if (day > today - std::chrono::days(30) && day <= today) {
      sum += state.at("day_contributions").at(i).get<std::int64_t>();
    }
  }
  return sum;
}

}  // namespace tideline::scoring
