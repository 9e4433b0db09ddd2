#include "scoring/projections/engine/score_memory.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"

namespace tideline::scoring {
namespace {

constexpr std::size_t kPeriodBandPart = 10;

}  // namespace

ScoreMemory::ScoreMemory(std::size_t band_members)
    : period_band_(std::max<std::size_t>(band_members / kPeriodBandPart, 1)),
      board_(band_members, everybody_),
      periods_{Periods(Span::Day, period_band_, members_),
               Periods(Span::Week, period_band_, members_),
               Periods(Span::Month, period_band_, members_)} {}

bool ScoreMemory::AllTime::holds(MemberNumber member) const {
  return memory_.members_.on_board(member) &&
         (department_ == kNoDepartment ||
          memory_.members_.books().department(member) == department_);
}

std::optional<Totals> ScoreMemory::AllTime::totals_of(MemberNumber member) const {
  if (!holds(member)) return std::nullopt;
  return memory_.members_.books().totals(member);
}

void ScoreMemory::AllTime::scan(std::int64_t lowest, std::int64_t highest,
                                const Visit& visit) const {
  memory_.members_.books().for_each(lowest, highest, [&](MemberNumber member, const Totals& has) {
    if (!holds(member)) return;
    visit({member, memory_.entry_of(member, has)});
  });
}

std::vector<std::span<std::byte>> ScoreMemory::reserve(std::size_t people) {
  ReservedPages pages;
  members_.reserve(people, pages);
  return std::move(pages).in_order();
}

void ScoreMemory::put(const core::AccountId& account, const PersonScore& score) {
  const MemberNumber member = members_.number_of(account);
  members_.books().set_standing(member, score.standing);
  members_.books().set_totals(member, {score.points, score.reached_at});
}

void ScoreMemory::put_day(MemberNumber member, core::Day day, const Totals& earned) {
  for (Periods& periods : periods_) {
    Period* period = periods.of(day);
    if (period == nullptr) continue;
    Totals held = period->totals.find(member).value_or(Totals{});
    held.join(earned);
    period->totals.put(member, held);
  }
}

void ScoreMemory::forget_before(core::Day today) {
  for (Periods& periods : periods_) periods.forget_before(today);
  counts_.forget_before(counted_from(today));
}

core::Day ScoreMemory::earned_from(core::Day today) {
  return period_before(Span::Month, period_of(Span::Month, today));
}

std::optional<bool> ScoreMemory::count(const core::AccountId& account, core::Day day, Reason reason,
                                       std::uint32_t cap) {
  if (!counts_.holds(day)) return std::nullopt;
  return counts_.count(members_.number_of(account), day, reason) <= cap;
}

std::size_t ScoreMemory::periods() const {
  std::size_t periods = 0;
  for (const Periods& of_span : periods_) periods += of_span.all().size();
  return periods;
}

void ScoreMemory::put_departments_of(const ScoreMemory& other) {
  for (MemberNumber theirs = 0; theirs < other.members_.size(); ++theirs) {
    const DepartmentNumber number = other.members_.books().department(theirs);
    if (number == kNoDepartment) continue;
    const MemberNumber member = members_.number_of(other.members_.account(theirs));
    members_.books().set_department(member, department_named(other.departments_[number - 1]->name));
  }
}

void ScoreMemory::finish() {
  board_.rebuild();
  for (const Periods& periods : periods_) {
    for (Period* period : periods.all()) period->board.rebuild();
  }
  rebuild_departments();
}

// Each from a list of its own members: all of them together pass over everybody once.
void ScoreMemory::rebuild_departments() {
  std::vector<std::vector<MemberNumber>> members(departments_.size());
  for (MemberNumber member = 0; member < members_.size(); ++member) {
    const DepartmentNumber number = members_.books().department(member);
    if (number != kNoDepartment && members_.on_board(member)) members[number - 1].push_back(member);
  }
  for (std::size_t i = 0; i < departments_.size(); ++i) {
    departments_[i]->board.rebuild(
        [&](std::int64_t lowest, std::int64_t highest, const RankBoard::Visit& visit) {
          for (const MemberNumber member : members[i]) {
            const Totals has = members_.books().totals(member);
            if (has.points < lowest || has.points > highest) continue;
            visit({member, entry_of(member, has)});
          }
        });
  }
}

std::optional<BoardEntry> ScoreMemory::period_entry(const Period& period,
                                                    MemberNumber member) const {
  const auto has = period.totals_of(member);
  if (!has) return std::nullopt;
  return entry_of(member, *has);
}

void ScoreMemory::add(const core::AccountId& account, const PersonScore& change,
                      std::optional<core::Day> day) {
  const MemberNumber member = members_.number_of(account);
  const Totals had = members_.books().totals(member);
  Totals has = had;
  has.join({change.points, change.reached_at});
  const bool was_shown = members_.on_board(member);
  const auto standing =
      static_cast<std::uint8_t>(members_.books().standing(member) | change.standing);
  const bool is_shown = MemberRegister::on_board(standing);

  // What the boards of periods showed of him before any of the books change.
  std::array<ShownBefore, kSpans.size()> earned{};
  for (std::size_t i = 0; day && i < periods_.size(); ++i) {
    Period* period = periods_.at(i).of(*day);
    if (period != nullptr) earned.at(i) = {period, period_entry(*period, member)};
  }
  const std::vector<ShownBefore> others =
      was_shown == is_shown ? std::vector<ShownBefore>{} : shown_in_other_periods(member, earned);

  members_.books().set_standing(member, standing);
  members_.books().set_totals(member, has);
  const auto from = was_shown ? std::optional(entry_of(member, had)) : std::nullopt;
  const auto to = is_shown ? std::optional(entry_of(member, has)) : std::nullopt;
  board_.change(member, from, to);
  if (RankBoard* board = department_board(member)) board->change(member, from, to);

  for (const ShownBefore& shown : earned) {
    if (shown.period == nullptr) continue;
    PeriodTotals& totals = shown.period->totals;
    Totals held = totals.find(member).value_or(Totals{});
    held.join({change.points, change.reached_at});
    totals.put(member, held);
    tell(shown, member);
  }
  for (const ShownBefore& shown : others) tell(shown, member);
}

void ScoreMemory::tell(const ShownBefore& shown, MemberNumber member) const {
  shown.period->board.change(member, shown.entry, period_entry(*shown.period, member));
}

std::vector<ScoreMemory::ShownBefore> ScoreMemory::shown_in_other_periods(
    MemberNumber member, const std::array<ShownBefore, kSpans.size()>& than) const {
  std::vector<ShownBefore> shown;
  for (const Periods& periods : periods_) {
    for (Period* period : periods.all()) {
      const bool among = std::any_of(than.begin(), than.end(),
                                     [&](const ShownBefore& one) { return one.period == period; });
      if (!among) shown.push_back({period, period_entry(*period, member)});
    }
  }
  return shown;
}

RankBoard* ScoreMemory::department_board(MemberNumber member) {
  const DepartmentNumber number = members_.books().department(member);
  return number == kNoDepartment ? nullptr : &departments_[number - 1]->board;
}

DepartmentNumber ScoreMemory::department_named(std::string_view name) {
  const auto [found, added] = department_numbers_.try_emplace(
      std::string(name), static_cast<DepartmentNumber>(departments_.size() + 1));
  if (added) {
    departments_.push_back(std::make_unique<Department>(std::string(name), *this, found->second));
  }
  return found->second;
}

void ScoreMemory::set_department(const core::AccountId& account, std::string_view department) {
  if (department.empty() && !members_.find(account)) return;
  const MemberNumber member = members_.number_of(account);
  const DepartmentNumber number = department.empty() ? kNoDepartment : department_named(department);
  if (members_.books().department(member) == number) return;
  const auto shown = members_.on_board(member)
                         ? std::optional(entry_of(member, members_.books().totals(member)))
                         : std::nullopt;
  RankBoard* before = department_board(member);
  members_.books().set_department(member, number);
  if (before != nullptr) before->change(member, shown, std::nullopt);
  if (RankBoard* after = department_board(member)) after->change(member, std::nullopt, shown);
}

void ScoreMemory::expect(const core::AccountId& account, std::size_t step) const {
  if (step == 0) return members_.expect(account);
  const auto member = members_.guess(account);
  if (!member) return;
  members_.books().expect(*member);
  for (const Periods& periods : periods_) {
    if (const Period* const newest = periods.newest()) newest->totals.expect(*member);
  }
}

std::optional<PersonScore> ScoreMemory::find(const core::AccountId& account) const {
  const auto member = members_.find(account);
  if (!member) return std::nullopt;
  const Totals has = members_.books().totals(*member);
  return PersonScore{has.points, has.reached_at, members_.books().standing(*member)};
}

const RankBoard* ScoreMemory::board(const BoardName& name) const {
  CHECK(!name.period || !name.department, "a board of a department and a period");
  if (name.period) {
    const Period* period =
        periods_.at(static_cast<std::size_t>(name.period->span)).find(name.period->day);
    return period == nullptr ? nullptr : &period->board;
  }
  if (name.department) {
    const auto found = department_numbers_.find(*name.department);
    if (found == department_numbers_.end()) return nullptr;
    return &departments_[found->second - 1]->board;
  }
  return &board_;
}

std::optional<BoardEntry> ScoreMemory::entry(const BoardName& name,
                                             const core::AccountId& account) const {
  const auto member = members_.find(account);
  if (!member || !members_.on_board(*member)) return std::nullopt;
  if (name.period) {
    const Period* period =
        periods_.at(static_cast<std::size_t>(name.period->span)).find(name.period->day);
    return period == nullptr ? std::nullopt : period_entry(*period, *member);
  }
  if (name.department) {
    const DepartmentNumber number = members_.books().department(*member);
    if (number == kNoDepartment || departments_[number - 1]->name != *name.department) {
      return std::nullopt;
    }
  }
  return entry_of(*member, members_.books().totals(*member));
}

MemoryBytes ScoreMemory::bytes() const {
  MemoryBytes bytes;
  const std::size_t points = members_.books().bytes_of_points();
  bytes.people = members_.bytes() - points;
  bytes.all_time = points + board_.bytes();
  for (const Periods& periods : periods_) bytes.periods += periods.bytes();
  for (const auto& department : departments_) bytes.departments += department->board.bytes();
  return bytes;
}

}  // namespace tideline::scoring
