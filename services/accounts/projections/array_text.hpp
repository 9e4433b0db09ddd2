// A column of arrays, as SQL reads each: arrays of unequal lengths do not fit into one.
#pragma once

#include "sql/transaction.hpp"

namespace tideline::accounts {

inline constexpr auto kArrayText = [](const auto& values) {
  return sql::Param(values).text().value();
};

}  // namespace tideline::accounts
