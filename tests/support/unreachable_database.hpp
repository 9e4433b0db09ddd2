// A database that a test can cut off.
#pragma once

#include <atomic>
#include <functional>

#include "sql/transaction.hpp"

namespace tideline::test_support {

class UnreachableDatabase final : public sql::Database {
 public:
  explicit UnreachableDatabase(sql::Database& inner) : inner_(inner) {}
  core::Status transact(const std::function<void(sql::Transaction&)>& work) override {
    return is_away ? core::Status(core::unavailable("away")) : inner_.transact(work);
  }
  core::Status snapshot(const std::function<void(sql::Transaction&)>& work) override {
    return is_away ? core::Status(core::unavailable("away")) : inner_.snapshot(work);
  }
  std::atomic<bool> is_away{false};

 private:
  sql::Database& inner_;
};

}  // namespace tideline::test_support
