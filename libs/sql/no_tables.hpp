// The transaction that a model in memory alone is loaded with: it refuses every statement.
#pragma once

#include "sql/transaction.hpp"

namespace tideline::sql {

class NoTables final : public Transaction {
 public:
  Rows execute(std::string_view, const Params&) override { refuse(); }
  void copy_in(std::string_view, std::span<const std::string>, std::span<const Params>) override {
    refuse();
  }

 private:
  [[noreturn]] static void refuse() {
    throw TransactionFailed(core::internal_error("what is not durable has no tables"));
  }
};

}  // namespace tideline::sql
