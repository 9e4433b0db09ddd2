#include "runtime/log_places.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tideline::runtime {
namespace {

std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

std::optional<LogPlace> parse_place(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view range = text.substr(0, equals);
  const std::size_t dash = range.find('-');
  const auto first = number_of(range.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number_of(range.substr(dash + 1));
  const std::string_view conninfo = text.substr(equals + 1);
  if (!first || !last || *first > *last || conninfo.empty()) return std::nullopt;
  return LogPlace{*first, *last, std::string(conninfo)};
}

}  // namespace

core::Result<std::vector<LogPlace>> parse_log_places(std::string_view text, std::uint32_t logs) {
  std::vector<LogPlace> places;
  std::vector<bool> named(logs, false);
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    auto place = parse_place(text.substr(0, end));
    if (!place) return core::invalid_input("must be FIRST-LAST=CONNINFO;FIRST-LAST=CONNINFO...");
    if (place->last >= logs) {
      return core::invalid_input("names log " + std::to_string(place->last) + " of " +
                                 std::to_string(logs));
    }
    for (std::uint32_t log = place->first; log <= place->last; ++log) {
      if (named[log]) return core::invalid_input("names log " + std::to_string(log) + " twice");
      named[log] = true;
    }
    places.push_back(*std::move(place));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return places;
}

LogPools::LogPools(postgres::PooledDatabase& main, const std::vector<LogPlace>& places,
                   std::uint32_t logs)
    : main_(main), by_log_(logs, &main) {
  for (const LogPlace& place : places) {
    postgres::PooledDatabase* database = &main_;
    if (place.conninfo != main_.options().conninfo) {
      auto& pool = by_conninfo_[place.conninfo];
      if (!pool) {
        postgres::DatabaseOptions options = main_.options();
        options.conninfo = place.conninfo;
        pool = std::make_unique<postgres::PooledDatabase>(std::move(options));
      }
      database = pool.get();
    }
    for (std::uint32_t log = place.first; log <= place.last; ++log) by_log_[log] = database;
  }
}

std::vector<postgres::PooledDatabase*> LogPools::all() const {
  std::vector<postgres::PooledDatabase*> databases{&main_};
  for (const auto& [conninfo, pool] : by_conninfo_) databases.push_back(pool.get());
  return databases;
}

}  // namespace tideline::runtime
