// The tables that the engine writes, in memory: they understand its statements, those that read a
// calendar and what is published, and no others.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "sql/transaction.hpp"

namespace tideline::scoring {

class TablesForTests final : public sql::Transaction {
 public:
  struct Score {
    std::int64_t points = 0;
    core::Timestamp reached_at{};
    std::int64_t standing = 0;
    std::int64_t contributions = 0;
    std::int64_t events = 0;
  };
  using Month = std::tuple<std::string, int, int>;  // account as uuid, year, month

  std::map<std::string, Score> scores;
  std::map<Month, std::array<std::int64_t, 31>> months;
  std::map<std::pair<std::string, std::string>, Score> earned;  // account, day
  struct LedgerRow {
    std::string day;
    std::string reason;
    bool has_cap = false;
  };
  std::map<std::pair<std::string, std::string>, LedgerRow> ledger;  // account, event
  // Day and reason; events and points.
  std::map<std::pair<std::string, std::string>, std::pair<std::int64_t, std::int64_t>> awards;
  std::vector<std::set<std::string>> flushes = {{}};  // whom each wrote, by its number
  std::map<std::size_t, sql::Params> deltas;          // deferred, by the number of the flush
  std::size_t statements = 0;

  sql::Rows execute(std::string_view sql, const sql::Params& params) override {
    ++statements;
    const auto is = [&](std::string_view what) { return sql.find(what) != std::string_view::npos; };
    if (is("INSERT INTO score_flush")) return log_flush(params);
    if (is("INSERT INTO score_delta")) return deferred(params);
    if (is("SELECT number FROM score_delta")) return deltas_but(number(params.at(0)));
    if (is("SELECT count(*) FROM score_delta")) {
      return {sql::Row({std::to_string(deltas.size())})};
    }
    if (is("DELETE FROM score_delta")) return fold(number(params.at(0)));
    if (is("pg_try_advisory_xact_lock")) return {sql::Row({"t"})};
    if (is("SELECT NOT EXISTS")) return {sql::Row({"f"})};
    if (is("pg_advisory_xact_lock")) return {};
    if (is("INSERT INTO award_day")) return add_awards(params);
    if (is("INSERT INTO calendar")) return add_months(params);
    if (is("INSERT INTO ledger")) return add_ledger(params);
    if (is("AS earlier")) return count_earlier(params);
    if (is("AS contribution USING")) return states_of(params);
    if (is("SELECT 'wanted'")) return calendar_of(params);
    const auto changed = is("DECLARE") && is("score_flush")
                             ? std::optional(changed_after(number(params.at(0))))
                             : std::nullopt;
    if (is("DECLARE changed_rows")) return declare_changed(*changed);
    if (is("FROM score_delta) AS delta")) {
      return is("unnest(days)") ? declare_day_deltas(params.back().text().value(), changed)
                                : declare_deltas(changed);
    }
    if (is("DECLARE score_rows")) return declare_scores(changed);
    if (is("DECLARE day_rows")) return declare_days(params.back().text().value(), changed);
    if (is("DECLARE count_rows")) return declare_counts(params.back().text().value(), changed);
    if (is("ORDER BY number DESC")) return flush_row(flushes.size() - 1);
    if (is("FROM score_flush WHERE number = $1")) return flush_row(number(params.at(0)));
    if (is("sum(cardinality(accounts))")) return count_changed(number(params.at(0)));
    if (is("FROM award_day")) return awards_from(params.at(0).text().value());
    if (is("CLOSE")) return {};
    CHECK(is("FETCH"), "a statement that the tables do not know");
    return std::exchange(fetched_, {});
  }
  void copy_in(std::string_view, std::span<const std::string>,
               std::span<const sql::Params>) override {
    CHECK(false, "the engine copies nothing in");
  }

 private:
  static std::vector<std::string> array(const sql::Params& params, std::size_t index) {
    return sql::Row({params.at(index).text()}).text_array(0);
  }
  static void expect_sorted(const std::vector<std::string>& keys) {
    CHECK(std::is_sorted(keys.begin(), keys.end()), "a batch is sorted by its key");
  }
  static std::string microseconds(core::Timestamp time) {
    return std::to_string(time.time_since_epoch().count());
  }

  sql::Rows deferred(const sql::Params& params) {
    expect_sorted(array(params, 0));
    expect_sorted(array(params, 6));
    CHECK(deltas.emplace(flushes.size(), params).second, "one for each flush");
    return {};
  }
  // The newest `kept` stay.
  sql::Rows deltas_but(std::size_t kept) const {
    sql::Rows numbers;
    for (const auto& [number, columns] : deltas) {
      if (numbers.size() + kept == deltas.size()) break;
      numbers.push_back(sql::Row({std::to_string(number)}));
    }
    return numbers;
  }
  sql::Rows fold(std::size_t flush) {
    const auto taken = deltas.extract(flush);
    if (!taken) return {};
    const sql::Params& params = taken.mapped();
    add_totals(params, scores);
    const auto day_accounts = array(params, 6);
    for (std::size_t i = 0; i < day_accounts.size(); ++i) {
      Score& held = earned[{day_accounts[i], array(params, 7)[i]}];
      held.points += std::stoll(array(params, 8)[i]);
      held.reached_at = std::max(held.reached_at, core::parse_iso8601(array(params, 9)[i]).value());
    }
    return {};
  }
  static void add_totals(const sql::Params& params, std::map<std::string, Score>& to) {
    const auto accounts = array(params, 0);
    for (std::size_t i = 0; i < accounts.size(); ++i) {
      Score& held = to[accounts[i]];
      held.points += std::stoll(array(params, 1)[i]);
      held.reached_at = std::max(held.reached_at, core::parse_iso8601(array(params, 2)[i]).value());
      held.standing |= std::stoll(array(params, 3)[i]);
      held.contributions += std::stoll(array(params, 4)[i]);
      held.events += std::stoll(array(params, 5)[i]);
    }
  }
  // With what is deferred.
  sql::Rows states_of(const sql::Params& params) const {
    auto totals = scores;
    for (const auto& [number, columns] : deltas) add_totals(columns, totals);
    sql::Rows rows;
    const std::pair from(std::stoi(params.at(1).text().value()),
                         std::stoi(params.at(2).text().value()));
    for (const std::string& account : array(params, 0)) {
      const auto found = totals.find(account);
      if (found == totals.end()) continue;
      const Score& score = found->second;
      std::vector<std::optional<std::string>> columns{
          account, std::to_string(score.events), std::to_string(score.points),
          std::to_string(score.contributions), std::to_string(score.standing)};
      const std::size_t before = rows.size();
      for (const auto& [key, days] : months) {
        const auto& [whose, year, month] = key;
        if (whose != account || std::pair(year, month) < from) continue;
        for (std::size_t day = 0; day < days.size(); ++day) {
          if (days.at(day) == 0) continue;
          auto with_day = columns;
          with_day.emplace_back(core::format_day(std::chrono::year(year) /
                                                 std::chrono::month(static_cast<unsigned>(month)) /
                                                 std::chrono::day(static_cast<unsigned>(day) + 1)));
          with_day.emplace_back(std::to_string(days.at(day)));
          rows.push_back(sql::Row(std::move(with_day)));
        }
      }
      if (rows.size() > before) continue;
      columns.resize(7);
      rows.push_back(sql::Row(std::move(columns)));
    }
    return rows;
  }
  // By account, day and reason.
  using Counts = std::map<std::tuple<std::string, std::string, std::string>, std::int64_t>;
  Counts counts() const {
    Counts counted;
    for (const auto& [key, row] : ledger) {
      if (row.has_cap) ++counted[{key.first, row.day, row.reason}];
    }
    return counted;
  }
  sql::Rows count_earlier(const sql::Params& params) const {
    const Counts counted = counts();
    const auto accounts = array(params, 0);
    expect_sorted(accounts);
    sql::Rows rows;
    for (std::size_t i = 0; i < accounts.size(); ++i) {
      const auto found = counted.find({accounts[i], array(params, 1)[i], array(params, 2)[i]});
      const std::int64_t cap = std::stoll(array(params, 3)[i]);
      const std::int64_t earlier = found == counted.end() ? 0 : std::min(found->second, cap);
      rows.push_back(sql::Row({std::to_string(earlier)}));
    }
    return rows;
  }
  sql::Rows add_months(const sql::Params& params) {
    const auto accounts = array(params, 0);
    expect_sorted(accounts);
    for (std::size_t i = 0; i < accounts.size(); ++i) {
      auto& days =
          months[{accounts[i], std::stoi(array(params, 1)[i]), std::stoi(array(params, 2)[i])}];
      const auto more = sql::Row({array(params, 3)[i]}).text_array(0);
      CHECK(more.size() == days.size(), "a month has 31 places");
      for (std::size_t day = 0; day < days.size(); ++day) days.at(day) += std::stoll(more[day]);
    }
    return {};
  }
  // With what is deferred. The months asked for, then those of the last days, then the total.
  sql::Rows calendar_of(const sql::Params& params) const {
    const std::string account = params.at(0).text().value();
    const auto bound = [&](std::size_t year, std::size_t month) {
      return std::pair(std::stoi(params.at(year).text().value()),
                       std::stoi(params.at(month).text().value()));
    };
    sql::Rows rows;
    for (const auto& [part, first, last] :
         {std::tuple("wanted", bound(1, 2), bound(1, 3)), {"recent", bound(4, 5), bound(6, 7)}}) {
      for (const auto& [key, days] : months) {
        const auto& [whose, year, month] = key;
        const std::pair at(year, month);
        if (whose != account || at < first || at > last) continue;
        const std::vector<std::int64_t> amounts(days.begin(), days.end());
        rows.push_back(sql::Row(
            {part, std::to_string(year), std::to_string(month), sql::Param(amounts).text()}));
      }
    }
    auto totals = scores;
    for (const auto& [number, columns] : deltas) add_totals(columns, totals);
    const std::vector<std::int64_t> total{totals[account].contributions};
    rows.push_back(sql::Row({"total", std::nullopt, std::nullopt, sql::Param(total).text()}));
    return rows;
  }
  sql::Rows add_ledger(const sql::Params& params) {
    const auto accounts = array(params, 0);
    expect_sorted(accounts);
    for (std::size_t i = 0; i < accounts.size(); ++i) {
      const bool added = ledger
                             .emplace(std::pair(accounts[i], array(params, 2)[i]),
                                      LedgerRow{array(params, 3)[i], array(params, 4)[i],
                                                array(params, 6)[i] != "NULL"})
                             .second;
      CHECK(added, "one entry for each person and event");
    }
    return {};
  }
  sql::Rows add_awards(const sql::Params& params) {
    const auto days = array(params, 0);
    expect_sorted(days);
    for (std::size_t i = 0; i < days.size(); ++i) {
      auto& [events, points] = awards[{days[i], array(params, 1)[i]}];
      events += std::stoll(array(params, 2)[i]);
      points += std::stoll(array(params, 3)[i]);
    }
    return {};
  }
  sql::Rows awards_from(const std::string& from) const {
    sql::Rows rows;
    for (const auto& [key, count] : awards) {
      if (key.first < from) continue;
      rows.push_back(sql::Row(
          {key.first, key.second, std::to_string(count.first), std::to_string(count.second)}));
    }
    return rows;
  }

  using Accounts = std::set<std::string>;
  static std::size_t number(const sql::Param& param) { return std::stoull(param.text().value()); }
  sql::Rows log_flush(const sql::Params& params) {
    const auto accounts = array(params, 0);
    expect_sorted(accounts);
    flushes.emplace_back(accounts.begin(), accounts.end());
    return {};
  }
  sql::Rows flush_row(std::size_t flush) const {
    if (flush >= flushes.size()) return {};
    const std::string text = std::to_string(flush);
    return {sql::Row({"1", text, "flush-" + text})};
  }
  Accounts changed_after(std::size_t flush) const {
    Accounts all;
    for (std::size_t i = flush + 1; i < flushes.size(); ++i) {
      all.insert(flushes[i].begin(), flushes[i].end());
    }
    return all;
  }
  sql::Rows count_changed(std::size_t flush) const {
    std::size_t entries = 0;
    for (std::size_t i = flush + 1; i < flushes.size(); ++i) entries += flushes[i].size();
    return {sql::Row({std::to_string(entries)})};
  }
  sql::Rows declare_changed(const Accounts& changed) {
    fetched_.clear();
    for (const auto& account : changed) fetched_.push_back(sql::Row({account}));
    return {};
  }
  static bool leaves_out(const std::optional<Accounts>& changed, const std::string& account) {
    return changed && !changed->contains(account);
  }

  sql::Rows declare_deltas(const std::optional<Accounts>& changed) {
    fetched_.clear();
    for (const auto& [number, columns] : deltas) {
      const auto accounts = array(columns, 0);
      for (std::size_t i = 0; i < accounts.size(); ++i) {
        if (leaves_out(changed, accounts[i])) continue;
        fetched_.push_back(
            sql::Row({accounts[i], array(columns, 1)[i],
                      microseconds(core::parse_iso8601(array(columns, 2)[i]).value()),
                      array(columns, 3)[i]}));
      }
    }
    return {};
  }
  sql::Rows declare_day_deltas(const std::string& from, const std::optional<Accounts>& changed) {
    fetched_.clear();
    for (const auto& [number, columns] : deltas) {
      const auto accounts = array(columns, 6);
      const auto days = array(columns, 7);
      for (std::size_t i = 0; i < accounts.size(); ++i) {
        if (days[i] < from || leaves_out(changed, accounts[i])) continue;
        fetched_.push_back(
            sql::Row({accounts[i], days[i], array(columns, 8)[i],
                      microseconds(core::parse_iso8601(array(columns, 9)[i]).value())}));
      }
    }
    return {};
  }
  sql::Rows declare_scores(const std::optional<Accounts>& changed) {
    fetched_.clear();
    for (const auto& [account, score] : scores) {
      if (leaves_out(changed, account)) continue;
      fetched_.push_back(
          sql::Row({account, std::to_string(score.points), microseconds(score.reached_at),
                    std::to_string(score.standing)}));
    }
    return {};
  }
  sql::Rows declare_days(const std::string& from, const std::optional<Accounts>& changed) {
    fetched_.clear();
    for (const auto& [key, of_day] : earned) {
      if (key.second < from || leaves_out(changed, key.first)) continue;
      fetched_.push_back(sql::Row(
          {key.first, key.second, std::to_string(of_day.points), microseconds(of_day.reached_at)}));
    }
    return {};
  }
  sql::Rows declare_counts(const std::string& from, const std::optional<Accounts>& changed) {
    fetched_.clear();
    for (const auto& [key, events] : counts()) {
      if (std::get<1>(key) < from || leaves_out(changed, std::get<0>(key))) continue;
      fetched_.push_back(
          sql::Row({std::get<0>(key), std::get<1>(key), std::get<2>(key), std::to_string(events)}));
    }
    return {};
  }

  sql::Rows fetched_;
};

}  // namespace tideline::scoring
