// Everybody's totals, the counters of the daily caps, and the board over them. What was added in
// any order comes out the same. Not synchronized.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "scoring/domain/rules.hpp"
#include "scoring/projections/engine/rank_board.hpp"

namespace tideline::scoring {

// Facts about an account, each a bit that once set stays: in tables and memory they are joined by
// or.
enum Standing : std::uint8_t { kRegistered = 1, kClosed = 2 };

struct PersonScore {
  std::int64_t points = 0;
  core::Timestamp reached_at{};  // the epoch: never
  std::uint8_t standing = 0;

  // A closed account leaves lists and ranks; one that nobody registered yet waits for it.
  bool on_board() const { return standing == kRegistered; }
};

// What a daily cap counts by.
struct CapKey {
  core::AccountId account;
  core::Day day;  // of the campus
  Reason reason = Reason::SignIn;

  friend auto operator<=>(const CapKey&, const CapKey&) = default;
  struct Hash {
    std::size_t operator()(const CapKey& key) const {
      const auto day = static_cast<std::uint64_t>(key.day.time_since_epoch().count());
      const auto which = day * kReasonCount + static_cast<std::uint64_t>(key.reason) + 1;
      return std::hash<core::AccountId>{}(key.account) ^ (which * 0x9e3779b97f4a7c15U);
    }
  };
};

class ScoreMemory {
 public:
  explicit ScoreMemory(std::size_t band_members);
  ScoreMemory(const ScoreMemory&) = delete;
  ScoreMemory& operator=(const ScoreMemory&) = delete;

  // From the tables: put everything, then finish once.
  void put(const core::AccountId& account, const PersonScore& score);
  void put_cap(const CapKey& key, std::uint32_t count) { counts_[key] = count; }
  void finish() { board_.rebuild(); }

  // Counts one more event of the key and says whether it is among the first `cap`.
  bool count(const CapKey& key, std::uint32_t cap) { return ++counts_[key] <= cap; }
  // Points and facts join what is known; the later time stays.
  void add(const core::AccountId& account, const PersonScore& change);

  // nullptr: nothing is known of that account.
  const PersonScore* find(const core::AccountId& account) const;
  const RankBoard& board() const { return board_; }
  std::size_t people() const { return people_.size(); }
  std::size_t cap_counters() const { return counts_.size(); }

 private:
  absl::flat_hash_map<core::AccountId, PersonScore, std::hash<core::AccountId>> people_;
  absl::flat_hash_map<CapKey, std::uint32_t, CapKey::Hash> counts_;
  RankBoard board_;
};

}  // namespace tideline::scoring
