// Lists that page by key, newest first: a page begins where another ended, whatever was added or
// taken away meanwhile.
//
// A list is ordered by (since, id), both falling; Id is what its rows differ in (an account, or the
// text id of a tag or group). Pure text, but for select_newest_first(), which blocks on the
// database and throws TransactionFailed.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "sql/transaction.hpp"

namespace tideline::sql {

template <class Id>
struct Place {
  core::Timestamp since;
  Id id;
  friend bool operator==(const Place&, const Place&) = default;
};

// At most one of `before` (newer ones) and `after` (older ones) is set.
template <class Id>
struct Window {
  std::optional<Place<Id>> before;
  std::optional<Place<Id>> after;
  int limit = 20;
};

// One page, newest first, and whether there is more on either side.
template <class Item>
struct Slice {
  std::vector<Item> items;
  bool more_before = false;
  bool more_after = false;
};

// The page out of what was read: items in list order, up to one more than `limit`, which tells
// whether there is a further page. `newer`: read ahead of a place; `bounded`: from a place at all.
template <class Item>
Slice<Item> cut_slice(std::vector<Item> items, int limit, bool newer, bool bounded) {
  const bool more = items.size() > static_cast<std::size_t>(limit);
  if (more) items.erase(newer ? items.begin() : items.end() - 1);
  if (items.empty()) return {};
  return {std::move(items), newer ? more : bounded, newer || more};
}

// The item of most lists: a person, and since when it is in it.
struct PersonSince {
  core::AccountId account;
  core::Timestamp since;

  // Of a row that begins with both.
  static PersonSince of(const Row& row) { return {row.account(0), row.timestamp_us(1)}; }
  friend bool operator==(const PersonSince&, const PersonSince&) = default;
};

// "2026-01-02T03:04:05.678901Z,<id>"
template <class Id>
std::string place_text(const Place<Id>& place) {
  std::string text = core::format_iso8601(place.since) + ",";
  if constexpr (std::is_same_v<Id, core::AccountId>)
    return text + place.id.to_string();
  else
    return text + place.id;
}

// nullopt for anything that place_text() would not have written.
std::optional<Place<core::AccountId>> parse_account_place(std::string_view text);
std::optional<Place<std::string>> parse_id_place(std::string_view text);

// A statement up to and including its last condition, and the two columns that order it. `since` is
// a timestamptz; `id` a uuid, or a text of collation "C".
struct KeysetStatement {
  std::string_view select;
  std::string_view since;
  std::string_view id;
};

namespace detail {
std::string keyset_sql(const KeysetStatement& statement, std::string_view id_type,
                       std::size_t params, bool bounded, bool newer);
}

template <class Item, class Id, class ToItem>
Slice<Item> select_newest_first(Transaction& transaction, const KeysetStatement& statement,
                                Params params, const Window<Id>& window, const ToItem& to_item) {
  constexpr std::string_view kIdType = std::is_same_v<Id, core::AccountId> ? "uuid" : "text";
  const bool newer = window.before.has_value();
  const auto& bound = newer ? window.before : window.after;
  const std::string sql =
      detail::keyset_sql(statement, kIdType, params.size(), bound.has_value(), newer);
  if (bound) {
    params.emplace_back(bound->since);
    params.emplace_back(bound->id);
  }
  params.emplace_back(window.limit + 1);
  auto rows = transaction.execute(sql, params);
  if (newer) std::reverse(rows.begin(), rows.end());
  std::vector<Item> items;
  items.reserve(rows.size());
  for (const auto& row : rows) items.push_back(to_item(row));
  return cut_slice(std::move(items), window.limit, newer, bound.has_value());
}

}  // namespace tideline::sql
