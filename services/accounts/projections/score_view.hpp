// Fills table account_score from the compacted topic of scores. The newest (version, as_of) of an
// account wins in whatever order they come; one that is closed stays so, and a tombstone erases it
// for ever (its version is above all others). Used by one runner thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/projections/state_topic.hpp"

namespace tideline::accounts {

// From whose events scoring counts.
inline constexpr std::array kScoreSources{"accounts", "projects", "social-graph", "scoring"};

// A value of the topic; of a closed account everything from `points` on is absent.
struct PublishedScore {
  std::int64_t version = 0;
  core::Day as_of{};  // of the campus; also the day that the rank is of
  bool closed = false;
  std::optional<std::int64_t> points{};
  std::optional<std::int64_t> level{};
  std::optional<std::int64_t> rank{};
  std::optional<std::int64_t> contributions{};  // of all days
  std::vector<core::Day> days{};
  std::vector<std::int64_t> day_contributions{};

  bool newer_than(const PublishedScore& other) const {
    return std::pair(version, as_of) > std::pair(other.version, other.as_of);
  }
  friend bool operator==(const PublishedScore&, const PublishedScore&) = default;
};

// Tolerant: only the fields above. Throws PoisonEvent for a value that breaks its contract.
PublishedScore read_published_score(std::string_view value);

class ScoreView final : public eventsourcing::StateView {
 public:
  std::string_view name() const override { return "scores"; }
  void load(sql::Transaction&) override { newest_.clear(); }
  void apply(const std::string& key, const std::optional<std::string>& value) override;
  void flush(sql::Transaction& transaction) override;
  void flushed() override { newest_.clear(); }

 private:
  std::map<core::AccountId, PublishedScore> newest_;  // since the last flush
};

}  // namespace tideline::accounts
