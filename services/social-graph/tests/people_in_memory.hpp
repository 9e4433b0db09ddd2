// A Database that holds the directory of people and who has blocked whom, and nothing else: what
// commands need of a database.
// One thread.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "people/people_directory.hpp"
#include "sql/transaction.hpp"

namespace tideline::social_graph {

class PeopleInMemory final : public sql::Database {
 public:
  void put(const people::Person& person) { people_[person.account] = person; }
  void block(const core::AccountId& by, const core::AccountId& other) {
    blocks_.emplace(by.to_uuid(), other.to_uuid());
  }
  // Every call fails from now on, as when the database is away.
  void go_away() { away_ = true; }

  core::Status transact(const std::function<void(sql::Transaction&)>&) override {
    return core::internal_error("commands write events, nothing else");
  }
  core::Status snapshot(const std::function<void(sql::Transaction&)>& work) override {
    if (away_) return core::unavailable("the database is away");
    Reader reader(people_, blocks_);
    work(reader);
    return core::success();
  }

 private:
  using People = std::map<core::AccountId, people::Person>;
  using Blocks = std::set<std::pair<std::string, std::string>>;  // who blocks whom, as UUIDs

  // Answers blocks::has_blocked() and the two statements of people::PeopleDirectory: one account,
  // or an array of them.
  class Reader final : public sql::Transaction {
   public:
    Reader(const People& people, const Blocks& blocks) : people_(people), blocks_(blocks) {}

    sql::Rows execute(std::string_view sql, const sql::Params& params) override {
      if (sql.find("FROM person_block") != std::string_view::npos) {
        const bool is = blocks_.contains({*params.at(0).text(), *params.at(1).text()});
        return {sql::Row({is ? "t" : "f"})};
      }
      EXPECT_NE(sql.find("FROM person"), std::string_view::npos) << sql;
      const std::string asked = *params.at(0).text();
      const auto ids = asked.starts_with('{') ? sql::Row({asked}).text_array(0)
                                              : std::vector<std::string>{asked};
      sql::Rows rows;
      for (const auto& id : ids) {
        const auto found = people_.find(*core::AccountId::parse_uuid(id));
        if (found == people_.end()) continue;
        const people::Person& person = found->second;
        rows.emplace_back(std::vector<std::optional<std::string>>{
            person.account.to_uuid(), person.user_id, person.real_name, person.department,
            person.closed ? "t" : "f", std::nullopt});
      }
      return rows;
    }
    void copy_in(std::string_view, std::span<const std::string>,
                 std::span<const sql::Params>) override {
      ADD_FAILURE() << "nothing is copied here";
    }

   private:
    const People& people_;
    const Blocks& blocks_;
  };

  People people_;
  Blocks blocks_;
  bool away_ = false;
};

}  // namespace tideline::social_graph
