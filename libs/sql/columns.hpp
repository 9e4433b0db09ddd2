// A batch as arrays, one for each column: what a statement takes apart by unnest().
//
//   sql::write_batch(transaction, "INSERT INTO follow SELECT * FROM unnest($1::uuid[],
//   $2::bigint[])",
//                    rows, &Row::owner, &Row::version);
//
// A column is a member pointer or a function of a row. The rows of a map are its entries; there a
// column may also be one of the value or of the key, whichever it fits.
#pragma once

#include <functional>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sql/transaction.hpp"

namespace tideline::sql {

namespace detail {

template <class Value, class Member>
decltype(auto) follow(const Value& value, const Member& member) {
  if constexpr (std::is_invocable_v<const Member&, const Value&>) {
    return std::invoke(member, value);
  } else {
    return std::invoke(member, *value);
  }
}

template <class Value, class Member, class... Rest>
decltype(auto) follow(const Value& value, const Member& member, const Rest&... rest) {
  return follow(follow(value, member), rest...);
}

template <class Row, class Column>
decltype(auto) column_of(const Row& row, const Column& column) {
  if constexpr (std::is_invocable_v<const Column&, const Row&>) {
    return std::invoke(column, row);
  } else if constexpr (std::is_invocable_v<const Column&, decltype((row.second))>) {
    return std::invoke(column, row.second);
  } else {
    return std::invoke(column, row.first);
  }
}

template <class Rows, class Column>
Param array_of(Rows& rows, const Column& column) {
  std::vector<std::decay_t<decltype(column_of(*std::ranges::begin(rows), column))>> values;
  if constexpr (std::ranges::sized_range<Rows>) values.reserve(std::ranges::size(rows));
  for (const auto& row : rows) values.push_back(column_of(row, column));
  return values;
}

}  // namespace detail

// Of a map whose key or value is one column.
inline constexpr struct {
  template <class Key, class Value>
  const Key& operator()(const std::pair<Key, Value>& entry) const {
    return entry.first;
  }
} kKey;
inline constexpr struct {
  template <class Key, class Value>
  const Value& operator()(const std::pair<Key, Value>& entry) const {
    return entry.second;
  }
} kValue;

// The text of an array: arrays of unequal lengths do not fit into one, so a column of them is
// text[], and each is cast.
inline constexpr auto kArrayText = [](const auto& values) { return Param(values).text().value(); };

// A member of a member, through optionals that have a value; the last one may be a function.
template <class First, class... Rest>
constexpr auto at(First first, Rest... rest) {
  return [=]<class Row>(const Row& row)
             -> decltype(auto) requires std::is_invocable_v<const First&, const Row&> {
    return detail::follow(std::invoke(first, row), rest...);
  };
}

// The arrays of `rows`, be there none.
template <std::ranges::forward_range Rows, class... Columns>
Params columns(Rows&& rows, const Columns&... column) {
  Params params;
  params.reserve(sizeof...(column));
  (params.push_back(detail::array_of(rows, column)), ...);
  return params;
}

// Runs the statement with them, if there are rows.
template <std::ranges::forward_range Rows, class... Columns>
void write_batch(Transaction& transaction, std::string_view statement, Rows&& rows,
                 const Columns&... column) {
  if (!std::ranges::empty(rows)) transaction.execute(statement, columns(rows, column...));
}

}  // namespace tideline::sql
