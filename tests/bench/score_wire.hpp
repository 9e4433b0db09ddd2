// What the scoring benchmark says over a socket: the protocol of Redis, as far as it needs it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "core/ids.hpp"
#include "scoring/projections/engine/score_memory.hpp"

namespace tideline::bench {

// Of the logarithms of the scores.
inline constexpr double kScoreMean = 5.0;
inline constexpr double kScoreDeviation = 1.5;

inline std::int64_t lognormal_score(std::mt19937_64& random) {
  std::lognormal_distribution<double> scores(kScoreMean, kScoreDeviation);
  return static_cast<std::int64_t>(std::min(scores(random), 1e6));
}

// Spread as keyed hashes are.
inline core::AccountId numbered_account(std::uint32_t number) {
  core::AccountId::Bytes bytes{};
  std::uint64_t mixed = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % 8 == 0) {
      mixed = (number + std::uint64_t{1} + i) * 0x9e3779b97f4a7c15U;
      mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
      mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
      mixed ^= mixed >> 31U;
    }
    bytes[i] = static_cast<std::uint8_t>(mixed >> (8 * (i % 8)));
  }
  return core::AccountId(bytes);
}

class WireBoard {
 public:
  virtual ~WireBoard() = default;
  // As of ScoreMemory: that a command for that account comes.
  virtual void prefetch(const core::AccountId& account, std::size_t step) = 0;
  virtual std::int64_t add(const core::AccountId& account, std::int64_t delta) = 0;
  virtual std::uint64_t rank(const core::AccountId& account) = 0;
  virtual std::vector<scoring::BoardEntry> top(std::size_t count) = 0;
};

// Serves one connection after the other on 127.0.0.1, until the process is ended. Returns the exit
// status of a start that failed.
int serve_board(WireBoard& board, std::uint16_t port);

}  // namespace tideline::bench
