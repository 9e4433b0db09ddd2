#include "scoring/projections/engine/score_memory.hpp"

#include <algorithm>
#include <utility>

namespace tideline::scoring {
namespace {

constexpr std::size_t kPeriodBandPart = 10;

}  // namespace

ScoreMemory::ScoreMemory(std::size_t band_members)
    : period_band_(std::max<std::size_t>(band_members / kPeriodBandPart, 1)),
      all_time_(band_members, all_time_table_, members_.table()),
      periods_{Periods(Span::Day, period_band_, members_),
               Periods(Span::Week, period_band_, members_),
               Periods(Span::Month, period_band_, members_)} {}

std::optional<Totals> ScoreMemory::AllTime::totals_of(MemberNumber member) const {
  if (!members_.on_board(member)) return std::nullopt;
  return members_.table().totals(member);
}

void ScoreMemory::AllTime::scan(std::int64_t lowest, std::int64_t highest,
                                const Visit& visit) const {
  members_.table().for_each(lowest, highest, [&](MemberNumber member, const Totals& has) {
    if (!members_.on_board(member)) return;
    visit({member, {has.points, has.reached_at, members_.account(member)}});
  });
}

std::vector<std::span<std::byte>> ScoreMemory::reserve(std::size_t people) {
  ReservedPages pages;
  members_.reserve(people, pages);
  return std::move(pages).in_order();
}

void ScoreMemory::put(const core::AccountId& account, const PersonScore& score) {
  const MemberNumber member = members_.number_of(account);
  members_.table().set_standing(member, score.standing);
  members_.table().set_totals(member, {score.points, score.reached_at});
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
    const DepartmentNumber number = other.members_.table().department(theirs);
    if (number == kNoDepartment) continue;
    const MemberNumber member = members_.number_of(other.members_.account(theirs));
    members_.table().set_department(member, department_named(other.department_names_[number - 1]));
  }
}

void ScoreMemory::finish() {
  const auto departments = static_cast<DepartmentNumber>(department_names_.size());
  all_time_.rebuild(departments);
  for (const Periods& periods : periods_) {
    for (Period* period : periods.all()) period->boards.rebuild(departments);
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
  const Totals had = members_.table().totals(member);
  Totals has = had;
  has.join({change.points, change.reached_at});
  const bool was_shown = members_.on_board(member);
  const auto standing =
      static_cast<std::uint8_t>(members_.table().standing(member) | change.standing);
  const bool is_shown = MemberRegister::on_board(standing);

  // What the boards of periods showed of him before the table changes.
  std::array<ShownBefore, kSpans.size()> earned{};
  for (std::size_t i = 0; day && i < periods_.size(); ++i) {
    Period* period = periods_.at(i).of(*day);
    if (period != nullptr) earned.at(i) = {period, period_entry(*period, member)};
  }
  const std::vector<ShownBefore> others =
      was_shown == is_shown ? std::vector<ShownBefore>{} : shown_in_other_periods(member, earned);

  members_.table().set_standing(member, standing);
  members_.table().set_totals(member, has);
  const auto from = was_shown ? std::optional(entry_of(member, had)) : std::nullopt;
  const auto to = is_shown ? std::optional(entry_of(member, has)) : std::nullopt;
  all_time_.change(member, from, to);

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
  shown.period->boards.change(member, shown.entry, period_entry(*shown.period, member));
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

DepartmentNumber ScoreMemory::find_department(const std::string& name) const {
  const auto found = department_numbers_.find(name);
  return found == department_numbers_.end() ? kNoDepartment : found->second;
}

DepartmentNumber ScoreMemory::department_named(std::string_view name) {
  const auto [found, added] = department_numbers_.try_emplace(
      std::string(name), static_cast<DepartmentNumber>(department_names_.size() + 1));
  if (added) department_names_.emplace_back(name);
  return found->second;
}

void ScoreMemory::set_department(const core::AccountId& account, std::string_view department) {
  if (department.empty() && !members_.find(account)) return;
  const MemberNumber member = members_.number_of(account);
  const DepartmentNumber number = department.empty() ? kNoDepartment : department_named(department);
  const DepartmentNumber before = members_.table().department(member);
  if (before == number) return;
  members_.table().set_department(member, number);
  if (!members_.on_board(member)) return;
  all_time_.change_department(before, member, entry_of(member, members_.table().totals(member)));
  for (const Periods& periods : periods_) {
    for (Period* period : periods.all()) {
      const auto shown = period_entry(*period, member);
      if (shown) period->boards.change_department(before, member, *shown);
    }
  }
}

void ScoreMemory::prefetch(const core::AccountId& account, std::size_t step) const {
  if (step == 0) return members_.prefetch(account);
  const auto member = members_.guess(account);
  if (!member) return;
  members_.table().prefetch(*member);
  for (const Periods& periods : periods_) {
    if (const Period* const newest = periods.newest()) newest->totals.prefetch(*member);
  }
}

std::optional<PersonScore> ScoreMemory::find(const core::AccountId& account) const {
  const auto member = members_.find(account);
  if (!member) return std::nullopt;
  const Totals has = members_.table().totals(*member);
  return PersonScore{has.points, has.reached_at, members_.table().standing(*member)};
}

const Period* ScoreMemory::find_period(const BoardName::PeriodName& name) const {
  return periods_.at(static_cast<std::size_t>(name.span)).find(name.day);
}

const RankBoard* ScoreMemory::board(const BoardName& name) const {
  const Boards* boards = &all_time_;
  if (name.period) {
    const Period* period = find_period(*name.period);
    if (period == nullptr) return nullptr;
    boards = &period->boards;
  }
  if (name.department) return boards->find(find_department(*name.department));
  return &boards->everybody();
}

std::optional<BoardEntry> ScoreMemory::entry(const BoardName& name,
                                             const core::AccountId& account) const {
  const auto member = members_.find(account);
  if (!member || !members_.on_board(*member)) return std::nullopt;
  if (name.department) {
    const DepartmentNumber number = members_.table().department(*member);
    if (number == kNoDepartment || number != find_department(*name.department)) return std::nullopt;
  }
  if (name.period) {
    const Period* period = find_period(*name.period);
    return period == nullptr ? std::nullopt : period_entry(*period, *member);
  }
  return entry_of(*member, members_.table().totals(*member));
}

MemoryBytes ScoreMemory::bytes() const {
  MemoryBytes bytes;
  const std::size_t points = members_.table().bytes_of_points();
  bytes.people = members_.bytes() - points;
  bytes.all_time = points + all_time_.bytes_of_everybody();
  for (const Periods& periods : periods_) bytes.periods += periods.bytes();
  bytes.departments = all_time_.bytes_of_departments();
  return bytes;
}

}  // namespace tideline::scoring
