#include "scoring/projections/snapshot/statistics.hpp"

#include <algorithm>
#include <span>

#include "scoring/projections/engine/member_register.hpp"
#include "scoring/projections/snapshot/snapshot_file.hpp"

namespace tideline::scoring {
namespace {

core::Day day_number(std::int32_t days) { return core::Day(std::chrono::days(days)); }

class Counter final : public SnapshotVisitor {
 public:
  Counter(ScoreStatistics& statistics, const Levels& levels)
      : statistics_(statistics), levels_(levels) {
    statistics_.levels.resize(levels.thresholds().size() + 1);
  }

  void people(std::span<const PersonRow> rows) override {
    for (const PersonRow& row : rows) {
      const PersonScore score = row.score();
      closed_.push_back((score.standing & kClosed) != 0);
      if (!MemberRegister::on_board(score.standing)) continue;
      ++statistics_.members;
      const auto* const above =
          std::upper_bound(kScoreClasses.begin(), kScoreClasses.end(), score.points);
      ++statistics_.scores.at(static_cast<std::size_t>(above - kScoreClasses.begin()));
      ++statistics_.levels.at(static_cast<std::size_t>(levels_.level_of(score.points)));
    }
    in_week_.resize(closed_.size());
    in_month_.resize(closed_.size());
  }

  void days(std::span<const DayRow> rows) override {
    for (const DayRow& row : rows) {
      const core::Day day = day_number(row.day);
      if (closed_[row.person] || !is_of_last(kStatisticsDays, day)) continue;
      ++statistics_.active_by_day[day];
      in_month_[row.person] = true;
      if (is_of_last(kStatisticsWeek, day)) in_week_[row.person] = true;
    }
  }

  void awards(std::span<const AwardsRow> rows) override {
    for (const AwardsRow& row : rows) {
      const core::Day day = day_number(row.day);
      if (!is_of_last(kStatisticsDays, day)) continue;
      statistics_.awards[day][static_cast<Reason>(row.reason)] = {row.events, row.points};
    }
  }

  void finish() {
    const auto today = statistics_.active_by_day.find(statistics_.day);
    statistics_.active_on_day = today == statistics_.active_by_day.end() ? 0 : today->second;
    const auto count = [](const std::vector<bool>& people) {
      return static_cast<std::uint64_t>(std::count(people.begin(), people.end(), true));
    };
    statistics_.active_in_week = count(in_week_);
    statistics_.active_in_month = count(in_month_);
  }

 private:
  // Days ahead, of a clock that is wrong, are none of them.
  bool is_of_last(int days, core::Day day) const {
    return day <= statistics_.day && day > statistics_.day - std::chrono::days(days);
  }

  ScoreStatistics& statistics_;
  const Levels& levels_;
  std::vector<bool> closed_;
  std::vector<bool> in_week_;
  std::vector<bool> in_month_;
};

}  // namespace

core::Result<ScoreStatistics> statistics_of(const std::filesystem::path& snapshot,
                                            const Levels& levels) {
  auto reader = SnapshotReader::open(snapshot);
  if (!reader) return reader.error();
  ScoreStatistics statistics;
  statistics.taken_at = reader->origin().taken_at;
  statistics.day = reader->origin().today;
  Counter counter(statistics, levels);
  if (const auto read = reader->read(counter); !read) return read.error();
  counter.finish();
  return statistics;
}

}  // namespace tideline::scoring
