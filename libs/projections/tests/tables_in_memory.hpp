// A Database that understands the runner's own statements and two more, "ADD" (stream, delta) and
// "LOAD". Transactions see their own writes and commit all or nothing; one at a time. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "postgres/projections/checkpoints.hpp"
#include "sql/transaction.hpp"

namespace tideline::projections {

class TablesInMemory final : public sql::Database {
 public:
  struct Checkpoint {
    std::int64_t next_offset = 0;
    std::int64_t position = 0;
    std::int64_t generation = 0;
  };
  struct Tables {
    std::map<std::tuple<std::string, std::string, std::int64_t>, Checkpoint> checkpoints;
    std::map<std::string, std::int64_t> totals;
    std::vector<sql::Params> dead_letters;
    std::set<std::int64_t> marked;   // positions of dead letters to be applied again
    std::vector<sql::Params> skips;  // projection, service, log, position
  };

  // Asked before every ADD; throws TransactionFailed to refuse.
  std::function<void(const std::string& stream)> before_add;

  core::Status transact(const std::function<void(sql::Transaction&)>& work) override {
    const std::lock_guard lock(mutex_);
    if (failing_ > 0) {
      --failing_;
      return core::unavailable("a transaction that was told to fail");
    }
    Tables changed = tables_;
    Session session(*this, changed);
    try {
      work(session);
    } catch (const sql::TransactionFailed& failure) {
      return failure.error();
    }
    tables_ = std::move(changed);
    ++commits_;
    return core::success();
  }
  core::Status snapshot(const std::function<void(sql::Transaction&)>& work) override {
    return transact(work);
  }

  Tables tables() const {
    const std::lock_guard lock(mutex_);
    return tables_;
  }
  void skip(sql::Params row) {
    const std::lock_guard lock(mutex_);
    tables_.skips.push_back(std::move(row));
  }
  // As an operator who wants all parked events applied again.
  void mark_all() {
    const std::lock_guard lock(mutex_);
    for (const sql::Params& letter : tables_.dead_letters) {
      tables_.marked.insert(std::stoll(*letter.at(3).text()));
    }
    for (auto& [place, held] : tables_.checkpoints) ++held.generation;
  }
  void fail_transactions(int count) {
    const std::lock_guard lock(mutex_);
    failing_ = count;
  }
  int commits() const {
    const std::lock_guard lock(mutex_);
    return commits_;
  }

 private:
  class Session final : public sql::Transaction {
   public:
    Session(TablesInMemory& database, Tables& tables) : database_(database), tables_(tables) {}

    sql::Rows execute(std::string_view sql, const sql::Params& params) override {
      if (sql == "ADD") return add(params);
      if (sql == "LOAD") return load();
      if (sql == postgres::checkpoints::kInsertMissingSql) return insert_missing(params);
      if (sql == postgres::checkpoints::kClaimSql) return claim(params);
      if (sql == postgres::checkpoints::kAdvanceSql) return advance(params);
      if (sql == postgres::checkpoints::kHeldSql) return held(text(params, 0));
      if (sql == postgres::checkpoints::kMarkedSql) return marked();
      if (sql == postgres::checkpoints::kUnparkSql) return unpark(params);
      if (sql == postgres::checkpoints::kKeepParkedSql) return keep_parked(params);
      if (sql == postgres::checkpoints::kParkedSql) return parked(text(params, 0));
      if (sql == postgres::checkpoints::kSkippedSql) return skipped(text(params, 0));
      CHECK(sql == postgres::checkpoints::kParkSql, "a statement that the fake does not know");
      tables_.dead_letters.push_back(params);
      return {};
    }
    void copy_in(std::string_view, std::span<const std::string>,
                 std::span<const sql::Params>) override {}

   private:
    static std::string text(const sql::Params& params, std::size_t index) {
      return *params.at(index).text();
    }
    static std::vector<std::string> array(const sql::Params& params, std::size_t index) {
      return sql::Row({params.at(index).text()}).text_array(0);
    }
    static sql::Row row(std::vector<std::string> columns) {
      return sql::Row({columns.begin(), columns.end()});
    }

    sql::Rows add(const sql::Params& params) {
      if (database_.before_add) database_.before_add(text(params, 0));
      tables_.totals[text(params, 0)] += std::stoll(text(params, 1));
      return {};
    }
    sql::Rows load() {
      sql::Rows rows;
      for (const auto& [stream, total] : tables_.totals) {
        rows.push_back(row({stream, std::to_string(total)}));
      }
      return rows;
    }
    sql::Rows insert_missing(const sql::Params& params) {
      for (std::size_t i = 0; i < array(params, 1).size(); ++i) {
        tables_.checkpoints.try_emplace(key(params, i));
      }
      return {};
    }
    std::tuple<std::string, std::string, std::int64_t> key(const sql::Params& params,
                                                           std::size_t i) {
      return {text(params, 0), array(params, 1)[i], std::stoll(array(params, 2)[i])};
    }
    sql::Rows claim(const sql::Params& params) {
      sql::Rows rows;
      for (std::size_t i = 0; i < array(params, 1).size(); ++i) {
        Checkpoint& held = tables_.checkpoints.at(key(params, i));
        ++held.generation;
        rows.push_back(
            row({array(params, 1)[i], array(params, 2)[i], std::to_string(held.generation),
                 std::to_string(held.next_offset), std::to_string(held.position)}));
      }
      return rows;
    }
    sql::Rows advance(const sql::Params& params) {
      sql::Rows rows;
      for (std::size_t i = 0; i < array(params, 1).size(); ++i) {
        Checkpoint& held = tables_.checkpoints.at(key(params, i));
        if (std::to_string(held.generation) != array(params, 3)[i]) continue;
        if (std::to_string(held.position) != array(params, 4)[i]) continue;
        held.position = std::stoll(array(params, 5)[i]);
        held.next_offset = std::stoll(array(params, 6)[i]);
        rows.push_back(row({array(params, 2)[i]}));
      }
      return rows;
    }
    sql::Rows held(const std::string& projection) {
      sql::Rows rows;
      for (const auto& [place, held] : tables_.checkpoints) {
        if (std::get<0>(place) != projection) continue;
        rows.push_back(row({std::get<1>(place), std::to_string(std::get<2>(place)),
                            std::to_string(held.position), std::to_string(held.next_offset),
                            std::to_string(held.generation)}));
      }
      return rows;
    }
    sql::Rows marked() {
      sql::Rows rows;
      for (const sql::Params& letter : tables_.dead_letters) {
        if (!tables_.marked.contains(std::stoll(text(letter, 3)))) continue;
        rows.push_back(row({text(letter, 1), text(letter, 2), text(letter, 3), text(letter, 4),
                            text(letter, 5), text(letter, 6), text(letter, 7), text(letter, 8), "0",
                            text(letter, 10), text(letter, 11), text(letter, 12), text(letter, 13),
                            text(letter, 14)}));
      }
      return rows;
    }
    sql::Rows unpark(const sql::Params& params) {
      sql::Rows rows;
      for (const std::string& position : array(params, 3)) {
        if (std::erase_if(tables_.dead_letters, [&](const sql::Params& letter) {
              return text(letter, 3) == position;
            }) == 1) {
          rows.push_back(row({position}));
        }
        tables_.marked.erase(std::stoll(position));
      }
      return rows;
    }
    sql::Rows keep_parked(const sql::Params& params) {
      for (sql::Params& letter : tables_.dead_letters) {
        if (text(letter, 3) != text(params, 3)) continue;
        letter.back() = params.at(4);
        tables_.marked.erase(std::stoll(text(params, 3)));
        return {row({text(params, 3)})};
      }
      return {};
    }
    sql::Rows parked(const std::string& projection) {
      std::map<std::pair<std::string, std::string>, int> count;
      for (const sql::Params& letter : tables_.dead_letters) {
        if (text(letter, 0) == projection) ++count[{text(letter, 1), text(letter, 4)}];
      }
      sql::Rows rows;
      for (const auto& [stream, letters] : count) {
        rows.push_back(row({stream.first, stream.second, std::to_string(letters)}));
      }
      return rows;
    }
    sql::Rows skipped(const std::string& projection) {
      sql::Rows rows;
      for (const sql::Params& skip : tables_.skips) {
        if (text(skip, 0) != projection) continue;
        rows.push_back(row({text(skip, 1), text(skip, 2), text(skip, 3)}));
      }
      return rows;
    }

    TablesInMemory& database_;
    Tables& tables_;
  };

  mutable std::mutex mutex_;
  Tables tables_;
  int failing_ = 0;
  int commits_ = 0;
};

}  // namespace tideline::projections
