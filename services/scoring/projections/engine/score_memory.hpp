// Everybody's totals, the counters of the daily caps of late, and the boards over them. What was
// added in any order comes out the same. Not synchronized.
//
// People are numbered (see MemberIds); what is known of them lies by their number (MemberTable).
// There are boards (boards.hpp) of all time and of each period (periods.hpp).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scoring/domain/rules.hpp"
#include "scoring/projections/engine/boards.hpp"
#include "scoring/projections/engine/cap_counts.hpp"
#include "scoring/projections/engine/member_register.hpp"
#include "scoring/projections/engine/periods.hpp"
#include "scoring/projections/engine/totals.hpp"

namespace tideline::scoring {

struct PersonScore {
  std::int64_t points = 0;
  core::Timestamp reached_at{};  // the epoch: never
  std::uint8_t standing = 0;

  // In any order the same.
  void join(const PersonScore& change) {
    points += change.points;
    reached_at = std::max(reached_at, change.reached_at);
    standing = static_cast<std::uint8_t>(standing | change.standing);
  }
};

// One of the boards: of everybody or of a department, of all time or of a period.
struct BoardName {
  struct PeriodName {
    Span span = Span::Day;
    core::Day day;  // any day of the period
    friend bool operator==(const PeriodName&, const PeriodName&) = default;
  };

  std::optional<PeriodName> period{};
  std::optional<std::string> department{};
};

struct MemoryBytes {
  std::size_t people = 0;  // ids, times of the totals, standing and department: once for all boards
  std::size_t all_time = 0;
  std::size_t periods = 0;      // of everybody and by department
  std::size_t departments = 0;  // of all time
};

class ScoreMemory {
 public:
  // So many days of the campus before today keep their counters.
  static constexpr std::chrono::days kCountedDays{2};

  // The board of everybody keeps `band_members` in order, those of periods a tenth of it.
  explicit ScoreMemory(std::size_t band_members);
  ScoreMemory(const ScoreMemory&) = delete;
  ScoreMemory& operator=(const ScoreMemory&) = delete;

  // From the tables or a snapshot: put everything, then finish once. A person and a counter may be
  // put again, then the later one counts; what somebody earned on a day is put once. Members are
  // numbered from 0 as they are put.
  void put(const core::AccountId& account, const PersonScore& score);
  void put_day(const core::AccountId& account, core::Day day, const Totals& earned) {
    put_day(members_.number_of(account), day, earned);
  }
  void put_day(MemberNumber member, core::Day day, const Totals& earned);
  void put_cap(const core::AccountId& account, core::Day day, Reason reason, std::uint32_t events) {
    put_cap(members_.number_of(account), day, reason, events);
  }
  void put_cap(MemberNumber member, core::Day day, Reason reason, std::uint32_t events) {
    counts_.put(member, day, reason, events);
  }
  bool holds_counts_of(core::Day day) const { return counts_.holds(day); }
  // So many will be put: nothing changes by it but the time that it takes. Returns the pages that
  // they will touch, in that order; they stay where they are while no more are put.
  std::vector<std::span<std::byte>> reserve(std::size_t people);
  // Departments are in no table of the engine's: they are taken over from the memory before.
  void put_departments_of(const ScoreMemory& other);
  void finish();

  // Forgets periods that are long over, and counters of days before kCountedDays: for good, so what
  // was counted must be in the tables.
  void forget_before(core::Day today);
  // The first days of which that memory wants the ledger's caps, and table day_score.
  static core::Day counted_from(core::Day today) { return today - kCountedDays; }
  static core::Day earned_from(core::Day today);

  // nullopt: the counters of that day are not in memory. Otherwise counts one more event and says
  // whether it is among the first `cap`.
  std::optional<bool> count(const core::AccountId& account, core::Day day, Reason reason,
                            std::uint32_t cap);
  // Points and facts join what is known; the later time stays. With a day the change also counts in
  // the periods that hold it; without, it is nothing that was earned (a registration, a closing).
  void add(const core::AccountId& account, const PersonScore& change,
           std::optional<core::Day> day = std::nullopt);
  // "": none.
  void set_department(const core::AccountId& account, std::string_view department);

  // Among millions an account costs a miss of the cache for where his number is, and then some for
  // what there is of him. Who has many to do tells of each kSteps times, from step 0 on, and of
  // others in between: a step asks for what the next one looks at. Nothing changes by it but the
  // time.
  static constexpr std::size_t kSteps = 2;
  void prefetch(const core::AccountId& account, std::size_t step) const;
  // Of accounts that need little each, step 0 is best so many before their turn.
  static constexpr std::size_t kAhead = 64;

  // nullopt: nothing is known of that account.
  std::optional<MemberNumber> number_of(const core::AccountId& account) const {
    return members_.find(account);
  }
  std::optional<PersonScore> find(const core::AccountId& account) const;
  const RankBoard& board() const { return all_time_.everybody(); }
  // nullptr: nobody was ever on it.
  const RankBoard* board(const BoardName& name) const;
  // What the account has on that board; nullopt: it is not on it.
  std::optional<BoardEntry> entry(const BoardName& name, const core::AccountId& account) const;
  std::size_t people() const { return members_.size(); }
  std::size_t cap_counters() const { return counts_.size(); }
  // Those that have ever had a member.
  std::size_t departments() const { return department_names_.size(); }
  // Of all spans: of now, the last ones, and those of events that have a time ahead.
  std::size_t periods() const;
  MemoryBytes bytes() const;

 private:
  // The table of everybody of all time.
  class AllTime final : public BoardMembers {
   public:
    explicit AllTime(const MemberRegister& members) : members_(members) {}
    std::optional<Totals> totals_of(MemberNumber member) const override;
    void prefetch(MemberNumber member) const override { members_.table().prefetch(member); }
    const core::AccountId& account_of(MemberNumber member) const override {
      return members_.account(member);
    }
    void scan(std::int64_t lowest, std::int64_t highest, const Visit& visit) const override;

   private:
    const MemberRegister& members_;
  };

  // What the boards of a period showed of a member before he changed.
  struct ShownBefore {
    Period* period = nullptr;
    std::optional<BoardEntry> entry{};
  };

  BoardEntry entry_of(MemberNumber member, const Totals& totals) const {
    return {totals.points, totals.reached_at, members_.account(member)};
  }
  std::optional<BoardEntry> period_entry(const Period& period, MemberNumber member) const;
  std::vector<ShownBefore> shown_in_other_periods(
      MemberNumber member, const std::array<ShownBefore, kSpans.size()>& than) const;
  void tell(const ShownBefore& shown, MemberNumber member) const;
  // nullptr: nothing is known of that period.
  const Period* find_period(const BoardName::PeriodName& name) const;
  // kNoDepartment: nobody was ever in it.
  DepartmentNumber find_department(const std::string& name) const;
  DepartmentNumber department_named(std::string_view name);

  const std::size_t period_band_;
  MemberRegister members_;
  CapCounts counts_;
  const AllTime all_time_table_{members_};
  Boards all_time_;
  std::array<Periods, kSpans.size()> periods_;
  std::vector<std::string> department_names_;  // by number, from 1 on
  absl::flat_hash_map<std::string, DepartmentNumber> department_numbers_;
};

}  // namespace tideline::scoring
