// What a snapshot says of everybody together. Pure but for the reading of its file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "scoring/domain/rules.hpp"

namespace tideline::scoring {

// Where the classes of the distribution of points begin; the first holds who has fewer than that.
inline constexpr std::array<std::int64_t, 22> kScoreClasses = {
    0,       1,       2,       5,         10,        20,       50,     100,
    200,     500,     1'000,   2'000,     5'000,     10'000,   20'000, 50'000,
    100'000, 200'000, 500'000, 1'000'000, 2'000'000, 5'000'000};

// So many campus days, the day of the snapshot among them, make up what is said of a month.
inline constexpr int kStatisticsDays = 30;
inline constexpr int kStatisticsWeek = 7;

struct AwardCount {
  std::int64_t events = 0;  // also those behind a cap
  std::int64_t points = 0;  // that they earned
  friend bool operator==(const AwardCount&, const AwardCount&) = default;
};

struct ScoreStatistics {
  core::Timestamp taken_at{};
  core::Day day{};  // of the campus, when it was taken
  // Of the board of all time: registered and not closed.
  std::uint64_t members = 0;
  std::array<std::uint64_t, kScoreClasses.size() + 1> scores{};  // below the first class, in each
  std::vector<std::uint64_t> levels;                             // from level 0 on
  // Of the last kStatisticsDays days, from the latest on, where there is anything. Active is whose
  // points an event of that day was about and who has not closed the account.
  std::map<core::Day, std::map<Reason, AwardCount>, std::greater<>> awards;
  std::map<core::Day, std::uint64_t, std::greater<>> active_by_day;
  std::uint64_t active_on_day = 0;
  std::uint64_t active_in_week = 0;
  std::uint64_t active_in_month = 0;
};

// InvalidInput: no whole snapshot. Holds three bits for each person. Blocks on the disk.
core::Result<ScoreStatistics> statistics_of(const std::filesystem::path& snapshot,
                                            const Levels& levels);

}  // namespace tideline::scoring
