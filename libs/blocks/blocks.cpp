#include "blocks/blocks.hpp"

namespace tideline::blocks {
namespace {

bool is_true(sql::Transaction& transaction, const std::string& condition,
             const sql::Params& params) {
  return transaction.execute("SELECT " + condition, params).at(0).boolean(0);
}

std::string has_blocked_sql(std::string_view by, std::string_view other) {
  return "EXISTS (SELECT FROM person_block blocked WHERE blocked.owner = " + std::string(by) +
         " AND blocked.other = " + std::string(other) + " AND blocked.active)";
}

}  // namespace

bool has_blocked(sql::Transaction& transaction, const core::AccountId& by,
                 const core::AccountId& other) {
  return is_true(transaction, has_blocked_sql("$1::uuid", "$2::uuid"), {by, other});
}

bool are_apart(sql::Transaction& transaction, const core::AccountId& one,
               const core::AccountId& other) {
  return is_true(transaction, are_apart_sql("$1::uuid", "$2::uuid"), {one, other});
}

std::string are_apart_sql(std::string_view one, std::string_view other) {
  return "(" + has_blocked_sql(one, other) + " OR " + has_blocked_sql(other, one) + ")";
}

const char* const kBlockTableSql = R"sql(
CREATE TABLE person_block (
  owner uuid NOT NULL,
  other uuid NOT NULL,
  active boolean NOT NULL,
  since timestamptz NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (owner, other)
);
CREATE INDEX person_block_by_time ON person_block (owner, since DESC, other DESC) WHERE active;
)sql";

}  // namespace tideline::blocks
