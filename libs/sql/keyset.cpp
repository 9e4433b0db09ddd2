#include "sql/keyset.hpp"

#include "core/time_ordered_id.hpp"

namespace tideline::sql {
namespace {

struct Halves {
  core::Timestamp since;
  std::string_view id;
};

std::optional<Halves> split(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto since = core::parse_iso8601(text.substr(0, comma));
  if (!since || core::format_iso8601(*since) != text.substr(0, comma)) return std::nullopt;
  return Halves{*since, text.substr(comma + 1)};
}

}  // namespace

std::optional<Place<core::AccountId>> parse_account_place(std::string_view text) {
  const auto halves = split(text);
  if (!halves) return std::nullopt;
  const auto account = core::AccountId::parse(halves->id);
  if (!account) return std::nullopt;
  return Place<core::AccountId>{halves->since, *account};
}

std::optional<Place<std::string>> parse_id_place(std::string_view text) {
  const auto halves = split(text);
  if (!halves || !core::is_time_ordered_id(halves->id)) return std::nullopt;
  return Place<std::string>{halves->since, std::string(halves->id)};
}

namespace detail {

std::string keyset_sql(const KeysetStatement& statement, std::string_view id_type,
                       std::size_t params, bool bounded, bool newer) {
  const auto column = [&](std::string_view name, std::string_view order) {
    return std::string(name) + std::string(order);
  };
  std::string sql(statement.select);
  if (bounded) {
    sql += " AND (" + column(statement.since, ", ") + column(statement.id, ") ");
    sql += newer ? "> ($" : "< ($";
    sql += std::to_string(++params) + "::timestamptz, $";
    sql += std::to_string(++params) + "::" + std::string(id_type) + ")";
  }
  const std::string_view order = newer ? " ASC" : " DESC";
  sql += " ORDER BY " + column(statement.since, order) + ", " + column(statement.id, order);
  sql += " LIMIT $" + std::to_string(++params) + "::int";
  return sql;
}

}  // namespace detail
}  // namespace tideline::sql
