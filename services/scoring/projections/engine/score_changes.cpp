#include "scoring/projections/engine/score_changes.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <string>
#include <tuple>
#include <utility>

#include "core/check.hpp"
#include "scoring/projections/engine/score_deltas.hpp"

namespace tideline::scoring {
namespace {

using sql::Params;
using sql::Transaction;

// In one piece, before the flush is logged under the same number.
constexpr const char* kAddDeltas = R"(
INSERT INTO score_delta (number, accounts, points, reached_at, standing, contributions, events,
                         day_accounts, days, day_points, day_reached_at)
SELECT max(number) + 1, $1::uuid[], $2::bigint[], $3::timestamptz[], $4::smallint[], $5::bigint[],
       $6::bigint[], $7::uuid[], $8::date[], $9::bigint[], $10::timestamptz[]
FROM score_flush)";

// Up to the cap, however many there are. In order, so that it is the index that is read even while
// nothing is known of the table's size.
constexpr const char* kCountEarlier = R"(
SELECT (SELECT count(*) FROM (
          SELECT 1 FROM ledger
          WHERE day = belated.day AND account_id = belated.account_id
            AND reason = belated.reason AND cap IS NOT NULL
          ORDER BY happened_at, event LIMIT belated.cap) AS earlier)
FROM unnest($1::uuid[], $2::date[], $3::text[], $4::bigint[]) WITH ORDINALITY
     AS belated (account_id, day, reason, cap, place)
ORDER BY place)";

constexpr const char* kAddMonths = R"(
INSERT INTO calendar AS held (account_id, year, month, days)
SELECT account_id, year, month, days::bigint[]
FROM unnest($1::uuid[], $2::smallint[], $3::smallint[], $4::text[])
     AS change (account_id, year, month, days)
ON CONFLICT (account_id, year, month) DO UPDATE
  SET days = calendar_days_add(held.days, excluded.days))";

// unnest() of several arrays among the columns, not in FROM, where PostgreSQL would first write
// them into a table of its own.
constexpr const char* kAddLedger = R"(
INSERT INTO ledger (account_id, happened_at, event, day, reason, points, cap, person, project_id,
                    note)
SELECT unnest($1::uuid[]), unnest($2::timestamptz[]), unnest($3::text[]), unnest($4::date[]),
       unnest($5::text[]), unnest($6::bigint[]), unnest($7::integer[]), unnest($8::uuid[]),
       unnest($9::text[]), unnest($10::text[]))";

constexpr const char* kAddAwards = R"(
INSERT INTO award_day AS held (day, reason, events, points)
SELECT * FROM unnest($1::date[], $2::text[], $3::bigint[], $4::bigint[])
ON CONFLICT (day, reason) DO UPDATE
  SET events = held.events + excluded.events, points = held.points + excluded.points)";

// Flushes are numbered as they commit, and each counts what those before it have written. There is
// one owner as a rule; where there are two for a moment, one waits for the other here. Who fills a
// copy in another schema waits for nobody.
constexpr const char* kOneFlushAtATime =
    "SELECT pg_advisory_xact_lock("
    "hashtextextended('tideline score_flush', 'score'::regclass::oid::bigint))";
// A copy that is built anew in another schema keeps no log: no snapshot is taken of it.
constexpr const char* kLogFlush = R"(
WITH forgotten AS (
  DELETE FROM score_flush WHERE number <= (SELECT max(number) FROM score_flush) - 10000)
INSERT INTO score_flush (number, accounts)
SELECT (SELECT max(number) FROM score_flush) + 1, $1::uuid[]
FROM pg_class scores JOIN pg_class log USING (relnamespace)
WHERE scores.oid = 'score'::regclass AND log.oid = 'score_flush'::regclass)";

// The entries of a map in the order of their keys: a batch that is sorted meets its pages once, and
// two writers cannot lock rows crosswise.
template <class Map>
std::vector<const typename Map::value_type*> sorted(const Map& map) {
  std::vector<const typename Map::value_type*> entries;
  entries.reserve(map.size());
  for (const auto& entry : map) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(),
            [](const auto* left, const auto* right) { return left->first < right->first; });
  return entries;
}

// The next flush is about as large as the last one: it need not grow again step by step.
template <class Map>
void forget(Map& map) {
  const std::size_t size = map.size();
  map.clear();
  map.reserve(size);
}

}  // namespace

void ScoreChanges::add_day(const core::AccountId& account, core::Day day, const Totals& earned) {
  days_[{account, day}].join(earned);
}

void ScoreChanges::add_belated(const CapKey& key, const Rule& rule, core::Timestamp time) {
  CHECK(rule.cap_per_day.has_value(), "only what has a cap is counted");
  BelatedEvents& pending = belated_[key];
  ++pending.events;
  pending.latest = std::max(pending.latest, time);
  pending.rule = rule;
}

void ScoreChanges::add_contribution(const core::AccountId& account, core::Day day,
                                    std::int64_t amount) {
  change_of(account).contributions += amount;
  const std::chrono::year_month_day date(day);
  const int year = static_cast<int>(date.year());
  const unsigned month = static_cast<unsigned>(date.month());
  const MonthKey key{account, year * 12 + static_cast<int>(month) - 1};
  months_[key].at(static_cast<unsigned>(date.day()) - 1) += amount;
}

void ScoreChanges::add_ledger(const eventsourcing::RecordedEvent& event, const Award& award,
                              core::Day day, std::int64_t points,
                              std::optional<std::uint32_t> cap) {
  std::string place = event.source + "/" + std::to_string(event.log.value()) + "/" +
                      std::to_string(event.position.value());
  ledger_.push_back({.account = award.account,
                     .happened_at = event.time,
                     .event = std::move(place),
                     .day = day,
                     .reason = award.reason,
                     .points = points,
                     .cap = cap,
                     .person = award.person,
                     .project_id = award.project_id,
                     .sealed_note = award.sealed_note});
}

void ScoreChanges::add_awards(core::Day day, Reason reason, std::int64_t events,
                              std::int64_t points) {
  Awards& pending = awards_[{day, reason}];
  pending.events += events;
  pending.points += points;
}

void ScoreChanges::clear() {
  people_.clear();
  forget(days_);
  belated_.clear();
  forget(months_);
  ledger_.clear();
  awards_.clear();
}

void ScoreChanges::flush(Transaction& transaction) {
  transaction.execute(kOneFlushAtATime);
  flush_belated(transaction);
  // What comes next is put together while the database writes what comes first, or after it where
  // there is no thread to be had.
  auto next = std::async(std::launch::async | std::launch::deferred, [this] {
    return std::array<std::pair<const char*, Params>, 4>{{{kAddMonths, month_columns()},
                                                          {kAddLedger, ledger_columns()},
                                                          {kAddAwards, award_columns()},
                                                          {kLogFlush, log_columns()}}};
  });
  const auto write = [&](const char* sql, const Params& columns) {
    if (!columns.empty()) transaction.execute(sql, columns);
  };
  write(kAddDeltas, delta_columns());
  for (const auto& [sql, columns] : next.get()) write(sql, columns);
  deferred_ = fold_after_flush(transaction);
}

// One of each person, by account.
std::vector<ScoreChanges::PersonChange> ScoreChanges::joined_people() const {
  std::vector<PersonChange> joined = people_;
  std::sort(joined.begin(), joined.end(), [](const PersonChange& one, const PersonChange& other) {
    return one.account < other.account;
  });
  std::size_t last = 0;
  for (std::size_t i = 1; i < joined.size(); ++i) {
    if (joined[i].account != joined[last].account) {
      joined[++last] = joined[i];
    } else {
      joined[last].join(joined[i]);
    }
  }
  if (!joined.empty()) joined.resize(last + 1);
  return joined;
}

Params ScoreChanges::delta_columns() const {
  if (people_.empty()) return {};
  std::vector<core::AccountId> accounts;
  std::vector<std::int64_t> points;
  std::vector<core::Timestamp> reached;
  std::vector<int> standings;
  std::vector<std::int64_t> contributions;
  std::vector<std::int64_t> events;
  for (const PersonChange& person : joined_people()) {
    accounts.push_back(person.account);
    points.push_back(person.score.points);
    reached.push_back(person.score.reached_at);
    standings.push_back(person.score.standing);
    contributions.push_back(person.contributions);
    events.push_back(person.events);
  }
  std::vector<core::AccountId> day_accounts;
  std::vector<core::Day> days;
  std::vector<std::int64_t> day_points;
  std::vector<core::Timestamp> day_reached;
  for (const auto* entry : sorted(days_)) {
    const auto& [key, earned] = *entry;
    day_accounts.push_back(key.account);
    days.push_back(key.day);
    day_points.push_back(earned.points);
    day_reached.push_back(earned.reached_at);
  }
  return {accounts, points,       reached, standings,  contributions,
          events,   day_accounts, days,    day_points, day_reached};
}

// Before the others, which it adds to, and before the ledger has these events too.
void ScoreChanges::flush_belated(Transaction& transaction) {
  if (belated_.empty()) return;
  std::vector<std::pair<CapKey, BelatedEvents*>> pending;
  for (auto& [key, belated] : belated_) pending.emplace_back(key, &belated);
  std::sort(pending.begin(), pending.end());
  std::vector<core::AccountId> accounts;
  std::vector<core::Day> days;
  std::vector<std::string_view> reasons;
  std::vector<std::uint32_t> caps;
  for (const auto& [key, belated] : pending) {
    accounts.push_back(key.account);
    days.push_back(key.day);
    reasons.push_back(name_of(key.reason));
    caps.push_back(*belated->rule.cap_per_day);
  }
  const auto counted = transaction.execute(kCountEarlier, {accounts, days, reasons, caps});
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const CapKey& key = pending[i].first;
    BelatedEvents& belated = *pending[i].second;
    const std::int64_t before = counted.at(i).integer(0);  // at most the cap
    const std::int64_t cap = *belated.rule.cap_per_day;
    const std::int64_t earning = std::min(before + belated.events, cap) - before;
    if (earning == 0) continue;
    belated.earning = static_cast<std::uint32_t>(earning);
    if (const std::int64_t points = earning * belated.rule.points; points != 0) {
      add_score(key.account, {points, belated.latest, 0});
      add_day(key.account, key.day, {points, belated.latest});
      add_awards(key.day, key.reason, 0, points);
    }
    if (const std::int64_t amount = earning * belated.rule.contribution; amount != 0) {
      add_contribution(key.account, key.day, amount);
    }
  }
}

Params ScoreChanges::month_columns() const {
  if (months_.empty()) return {};
  std::vector<core::AccountId> accounts;
  std::vector<int> years;
  std::vector<int> months;
  std::vector<std::string> days;
  for (const auto* entry : sorted(months_)) {
    accounts.push_back(entry->first.account);
    years.push_back(entry->first.months / 12);
    months.push_back(entry->first.months % 12 + 1);
    std::string list;
    for (const std::int64_t amount : entry->second) {
      list += (list.empty() ? "{" : ",") + std::to_string(amount);
    }
    days.push_back(list + "}");
  }
  return {accounts, years, months, days};
}

Params ScoreChanges::ledger_columns() const {
  if (ledger_.empty()) return {};
  std::vector<const LedgerRow*> rows;
  rows.reserve(ledger_.size());
  for (const LedgerRow& row : ledger_) rows.push_back(&row);
  std::sort(rows.begin(), rows.end(), [](const LedgerRow* left, const LedgerRow* right) {
    return std::tie(left->account, left->happened_at, left->event, left->reason) <
           std::tie(right->account, right->happened_at, right->event, right->reason);
  });
  std::vector<core::AccountId> accounts;
  std::vector<core::Timestamp> times;
  std::vector<std::string_view> events;
  std::vector<core::Day> days;
  std::vector<std::string_view> reasons;
  std::vector<std::int64_t> points;
  std::vector<std::optional<std::uint32_t>> caps;
  std::vector<std::optional<core::AccountId>> persons;
  std::vector<std::optional<std::string_view>> projects;
  std::vector<std::optional<std::string_view>> notes;
  for (const LedgerRow* row : rows) {
    accounts.push_back(row->account);
    times.push_back(row->happened_at);
    events.push_back(row->event);
    days.push_back(row->day);
    reasons.push_back(name_of(row->reason));
    points.push_back(row->points);
    caps.push_back(row->cap);
    persons.push_back(row->person);
    projects.push_back(row->project_id);
    notes.push_back(row->sealed_note);
  }
  return {accounts, times, events, days, reasons, points, caps, persons, projects, notes};
}

Params ScoreChanges::award_columns() const {
  if (awards_.empty()) return {};
  std::vector<core::Day> days;
  std::vector<std::string_view> reasons;
  std::vector<std::int64_t> events;
  std::vector<std::int64_t> points;
  for (const auto& [key, awards] : awards_) {
    days.push_back(key.first);
    reasons.push_back(name_of(key.second));
    events.push_back(awards.events);
    points.push_back(awards.points);
  }
  return {days, reasons, events, points};
}

Params ScoreChanges::log_columns() const {
  std::vector<core::AccountId> accounts;
  for (const PersonChange& person : people_) accounts.push_back(person.account);
  for (const LedgerRow& row : ledger_) accounts.push_back(row.account);
  if (accounts.empty()) return {};
  std::sort(accounts.begin(), accounts.end());
  accounts.erase(std::unique(accounts.begin(), accounts.end()), accounts.end());
  return {accounts};
}

}  // namespace tideline::scoring
