#include "postgres/connections/error_mapping.hpp"

#include <gtest/gtest.h>

namespace tideline::postgres {
namespace {

using core::ErrorCode;

struct Case {
  const char* sqlstate;
  ErrorCode code;
  bool retryable;
};

class ErrorMapping : public ::testing::TestWithParam<Case> {};

TEST_P(ErrorMapping, TellsWhatPassesFromWhatDoesNot) {
  const core::Error error = error_of_sqlstate(GetParam().sqlstate, "why");
  EXPECT_EQ(error.code, GetParam().code);
  EXPECT_EQ(error.retryable, GetParam().retryable);
  EXPECT_EQ(error.message, "why");
}

INSTANTIATE_TEST_SUITE_P(
    SqlStates, ErrorMapping,
    ::testing::Values(Case{"", ErrorCode::Unavailable, true},         // connection lost
                      Case{"08006", ErrorCode::Unavailable, true},    // connection failure
                      Case{"40001", ErrorCode::Conflict, true},       // serialization failure
                      Case{"40P01", ErrorCode::Conflict, true},       // deadlock
                      Case{"55P03", ErrorCode::Unavailable, true},    // lock timeout
                      Case{"57014", ErrorCode::Unavailable, true},    // statement timeout
                      Case{"57P01", ErrorCode::Unavailable, true},    // server shuts down
                      Case{"25P03", ErrorCode::Unavailable, true},    // idle in transaction
                      Case{"53300", ErrorCode::Unavailable, true},    // too many connections
                      Case{"23505", ErrorCode::Conflict, false},      // unique constraint
                      Case{"23514", ErrorCode::InvalidInput, false},  // check constraint
                      Case{"22P02", ErrorCode::InvalidInput, false},  // text of another type
                      Case{"21000", ErrorCode::InvalidInput, false},  // one row updated twice
                      Case{"42703", ErrorCode::Internal, false},      // no such column
                      Case{"42501", ErrorCode::Internal, false}));    // no such right

}  // namespace
}  // namespace tideline::postgres
