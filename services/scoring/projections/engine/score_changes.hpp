// What has changed since the last flush, as deltas and not as totals, and the statements that write
// it: one row of table score_delta, from where it comes to tables score and day_score
// (score_deltas.hpp), and rows of calendar, ledger and award_day, each batch sorted by key.
// Table score_flush learns whose rows a flush has written: what a snapshot lacks.
//
// Belated events, those of days whose counters are not in memory any more, are counted by the
// ledger: the flush learns from it how many there were before, so min(before + n, cap) -
// min(before, cap) of n earn something. That is what the memory would have come to, whatever was
// counted where.
//
// Not synchronized: the runner's thread alone.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eventsourcing/events/event.hpp"
#include "scoring/projections/awards.hpp"
#include "scoring/projections/engine/score_memory.hpp"
#include "sql/transaction.hpp"

namespace tideline::scoring {

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

// Events of one key that the flush counts.
struct BelatedEvents {
  std::uint32_t events = 0;
  std::uint32_t earning = 0;  // of them; known once they are flushed
  core::Timestamp latest{};
  Rule rule;  // has a cap
};

class ScoreChanges {
 public:
  void add_score(const core::AccountId& account, const PersonScore& change) {
    change_of(account).score.join(change);
  }
  // One more event that counts for the account, whatever it earns: see people_of() in awards.hpp.
  void add_event(const core::AccountId& account) { ++change_of(account).events; }
  // Of what add_score() was told, what counts on a day.
  void add_day(const core::AccountId& account, core::Day day, const Totals& earned);
  // The rule is always the same for a key.
  void add_belated(const CapKey& key, const Rule& rule, core::Timestamp time);
  void add_contribution(const core::AccountId& account, core::Day day, std::int64_t amount);
  // `points` and `cap` as the rule says: which events of a day come after the cap is found when the
  // ledger is read, since it depends on their times and not on their coming. One without points is
  // written for the sake of its cap alone.
  void add_ledger(const eventsourcing::RecordedEvent& event, const Award& award, core::Day day,
                  std::int64_t points, std::optional<std::uint32_t> cap);

  // Of a reason on a day, of everybody.
  void add_awards(core::Day day, Reason reason, std::int64_t events, std::int64_t points);

  void flush(sql::Transaction& transaction);
  // How many flushes are not folded yet, as the last one saw it.
  std::size_t deferred() const { return deferred_; }
  // What the last flush has come to that is not in memory yet; until clear().
  const auto& belated() const { return belated_; }
  void clear();
  // Changes of people: of one person those that follow one another are one.
  std::size_t changes() const { return people_.size(); }

 private:
  struct MonthKey {
    core::AccountId account;
    std::int32_t months = 0;  // year * 12 + month - 1

    friend auto operator<=>(const MonthKey&, const MonthKey&) = default;
    struct Hash {
      std::size_t operator()(const MonthKey& key) const {
        const auto months = static_cast<std::uint64_t>(key.months) + 1;
        return std::hash<core::AccountId>{}(key.account) ^ (months * 0x9e3779b97f4a7c15U);
      }
    };
  };
  using Days = std::array<std::int64_t, 31>;
  struct PersonChange {
    core::AccountId account;
    PersonScore score{};
    std::int64_t contributions = 0;  // of all days
    std::int64_t events = 0;

    void join(const PersonChange& later) {
      score.join(later.score);
      contributions += later.contributions;
      events += later.events;
    }
  };
  struct LedgerRow {
    core::AccountId account;
    core::Timestamp happened_at;
    std::string event;  // where it lies: "social-graph/3/42"
    core::Day day;
    Reason reason = Reason::SignIn;
    std::int64_t points = 0;
    std::optional<std::uint32_t> cap;
    std::optional<core::AccountId> person;
    std::optional<std::string> project_id;
    std::optional<std::string> sealed_note;
  };

  // Of what is known to be of him just now, or new.
  PersonChange& change_of(const core::AccountId& account) {
    if (people_.empty() || people_.back().account != account) {
      people_.emplace_back().account = account;
    }
    return people_.back();
  }
  std::vector<PersonChange> joined_people() const;
  void flush_belated(sql::Transaction& transaction);
  // The columns of a table's batch; empty: there is none.
  sql::Params delta_columns() const;
  sql::Params month_columns() const;
  sql::Params ledger_columns() const;
  sql::Params award_columns() const;
  sql::Params log_columns() const;

  // In the order in which they came: those of one person are joined by the flush, which has to sort
  // them anyway, not by each event.
  std::vector<PersonChange> people_;
  absl::flat_hash_map<PersonDay, Totals, PersonDay::Hash> days_;
  absl::flat_hash_map<CapKey, BelatedEvents, CapKey::Hash> belated_;
  absl::flat_hash_map<MonthKey, Days, MonthKey::Hash> months_;
  std::vector<LedgerRow> ledger_;
  struct Awards {
    std::int64_t events = 0;
    std::int64_t points = 0;
  };
  std::map<std::pair<core::Day, Reason>, Awards> awards_;
  std::size_t deferred_ = 0;
};

}  // namespace tideline::scoring
