// What oracle.sql answers about many histories at once, in a database of its own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../delivery.hpp"
#include "core/check.hpp"
#include "postgres/connections/database.hpp"
#include "support/postgres_server.hpp"

namespace tideline::feed::testing {

class SqlOracle {
 public:
  using Viewer = std::pair<std::size_t, std::string>;  // number of the history, account id
  struct Answers {
    std::map<Viewer, Oracle::Ids> timelines;  // newest first
    std::map<Viewer, Oracle::Ids> shown;
    // What is met under them: "like <moment> <account>", "comment <moment> <id> <parent>",
    // "edits <moment> <how many>", "bookmark <moment> "; sorted.
    std::map<Viewer, std::vector<std::string>> met;
    // Where the query over all and the two predicates disagree: lines "history viewer id".
    std::vector<std::string> disagreements;
  };

  // One history after the other: what has been delivered, and to whom it matters.
  static Answers ask(const std::vector<std::pair<Events, std::vector<core::AccountId>>>& all) {
    postgres::DatabaseOptions options;
    options.conninfo = test_support::PostgresServer::shared().create_database();
    postgres::PooledDatabase database(options);
    Answers answers;
    const auto done = database.transact([&](sql::Transaction& transaction) {
      const auto statements = read_statements();
      const auto first_fact = fill_after(statements, transaction);
      fill(all, transaction);
      for (auto i = first_fact; i < statements.size(); ++i) transaction.execute(statements[i]);
      answers.timelines = read("timeline", transaction);
      answers.shown = read("shown", transaction);
      answers.met = read_met(transaction);
      answers.disagreements = compare_forms(transaction);
    });
    EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message);
    return answers;
  }

 private:
  static std::vector<std::string> read_statements() {
    std::ifstream file(TIDELINE_SOURCE_DIR "/services/feed/tests/integration/oracle.sql");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::string> statements;
    for (std::size_t from = 0, end = 0; (end = text.find(";\n", from)) != std::string::npos;
         from = end + 2) {
      statements.push_back(text.substr(from, end - from));
    }
    CHECK(statements.size() > 10, "oracle.sql is there");
    return statements;
  }

  // The tables that this class fills; returns the number of the next statement.
  static std::size_t fill_after(const std::vector<std::string>& statements,
                                sql::Transaction& transaction) {
    std::size_t next = 0;
    for (; statements[next].find("CREATE TABLE held") == std::string::npos; ++next) {
      transaction.execute(statements[next]);
    }
    return next;
  }

  static void fill(const std::vector<std::pair<Events, std::vector<core::AccountId>>>& all,
                   sql::Transaction& transaction) {
    std::vector<sql::Params> events, seen, people;
    for (std::size_t h = 0; h < all.size(); ++h) {
      std::size_t n = 0;
      for (const auto& event : all[h].first) {
        events.push_back({h, n, event.source, event.log, event.position, event.type, event.data});
        const std::size_t number = n++;
        const auto data = nlohmann::json::parse(event.data);
        const auto vector =
            eventsourcing::PositionVector::from_token(data.value("seen", event.metadata.seen));
        for (const auto& [source, logs] : vector->services()) {
          for (const auto& [log, position] : logs) {
            seen.push_back({h, number, source, log, position});
          }
        }
      }
      for (const core::AccountId& person : all[h].second) people.push_back({h, person.to_string()});
    }
    copy("event", {"h", "n", "source", "log", "position", "type", "data"}, events, transaction);
    copy("seen", {"h", "n", "source", "log", "position"}, seen, transaction);
    copy("person", {"h", "id"}, people, transaction);
  }

  static void copy(const char* table, const std::vector<std::string>& columns,
                   const std::vector<sql::Params>& rows, sql::Transaction& transaction) {
    transaction.copy_in(table, columns, rows);
  }

  static std::map<Viewer, Oracle::Ids> read(const std::string& view,
                                            sql::Transaction& transaction) {
    std::map<Viewer, Oracle::Ids> found;
    for (const auto& row : transaction.execute("SELECT h, viewer, id FROM " + view +
                                               " ORDER BY h, viewer, id DESC")) {
      found[{static_cast<std::size_t>(row.integer(0)), row.text(1)}].push_back(
          static_cast<std::uint64_t>(row.integer(2)));
    }
    return found;
  }

  static std::map<Viewer, std::vector<std::string>> read_met(sql::Transaction& transaction) {
    std::map<Viewer, std::vector<std::string>> found;
    for (const auto& row : transaction.execute("SELECT h, viewer, line FROM met")) {
      found[{static_cast<std::size_t>(row.integer(0)), row.text(1)}].push_back(row.text(2));
    }
    for (auto& [viewer, lines] : found) std::sort(lines.begin(), lines.end());
    return found;
  }

  static std::vector<std::string> compare_forms(sql::Transaction& transaction) {
    const std::string by_predicates =
        "SELECT h, viewer, id FROM shown WHERE wants(h, viewer, author)";
    const std::string by_query = "SELECT h, viewer, id FROM timeline";
    std::vector<std::string> lines;
    for (const auto& row :
         transaction.execute("((" + by_predicates + " EXCEPT ALL " + by_query + ") UNION ALL (" +
                             by_query + " EXCEPT ALL " + by_predicates + ")) LIMIT 10")) {
      lines.push_back(row.text(0) + " " + row.text(1) + " " + row.text(2));
    }
    return lines;
  }
};

}  // namespace tideline::feed::testing
