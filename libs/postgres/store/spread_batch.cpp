#include "postgres/store/spread_batch.hpp"

#include <charconv>
#include <set>
#include <utility>

#include "eventsourcing/store/append_rules.hpp"

namespace tideline::postgres {
namespace {

using core::LogIndex;
using core::LogPosition;

std::string_view next_field(std::string_view& rest) {
  const std::size_t end = rest.find(':');
  const std::string_view field = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return field;
}

template <class Number>
std::optional<Number> number_of(std::string_view field) {
  Number number = 0;
  const char* end = field.data() + field.size();
  const auto [rest, error] = std::from_chars(field.data(), end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

}  // namespace

std::map<std::size_t, PartScope> parts_of(const BatchScope& scope, const LogDatabases& databases) {
  std::map<std::size_t, PartScope> parts;
  for (const LogIndex log : scope.logs) {
    parts[databases.index_of(log)].scope.logs.push_back(log);
  }
  for (const std::string_view stream : scope.streams) {
    const LogIndex log = core::log_of(stream, databases.logs());
    parts[databases.index_of(log)].scope.streams.push_back(stream);
  }
  for (std::size_t i = 0; i < scope.keys.size(); ++i) {
    PartScope& part = parts[databases.index_of(log_of_key(*scope.keys[i], databases.logs()))];
    part.scope.keys.push_back(scope.keys[i]);
    part.keys.push_back(i);
  }
  return parts;
}

void join(LockedState& whole, LockedState part, const PartScope& of) {
  whole.heads.merge(part.heads);
  whole.versions.merge(part.versions);
  for (auto& [index, result] : part.results) {
    whole.results.emplace(of.keys.at(index), std::move(result));
  }
}

std::map<std::size_t, BatchPlan> parts_of(const BatchPlan& plan,
                                          const std::map<std::size_t, PartScope>& scope,
                                          const LogDatabases& databases) {
  std::map<std::size_t, BatchPlan> parts;
  for (const auto& [index, part] : scope) parts[index];
  for (const auto& event : plan.events) {
    parts.at(databases.index_of(event.log)).events.push_back(event);
  }
  for (const auto& result : plan.results) {
    const LogIndex log = log_of_key(*result.key, databases.logs());
    parts.at(databases.index_of(log)).results.push_back(result);
  }
  for (const auto& [log, head] : plan.heads) {
    parts.at(databases.index_of(log)).heads.emplace(log, head);
  }
  return parts;
}

std::vector<std::size_t> databases_of(const eventsourcing::Append& append,
                                      const LogDatabases& databases) {
  const eventsourcing::Append* one = &append;
  std::set<std::size_t> touched;
  for (const LogIndex log : scope_of({&one, 1}, databases.logs()).logs) {
    touched.insert(databases.index_of(log));
  }
  return {touched.begin(), touched.end()};
}

std::string gid_prefix(std::string_view service) {
  return "tideline:" + std::string(service) + ":";
}

std::string to_gid(const DecidingEvent& event) {
  return gid_prefix(event.service) + std::to_string(event.log.value()) + ":" +
         std::to_string(event.position.value()) + ":" + event.event_id;
}

std::optional<DecidingEvent> from_gid(std::string_view gid) {
  if (next_field(gid) != "tideline") return std::nullopt;
  const std::string_view service = next_field(gid);
  const auto log = number_of<std::uint32_t>(next_field(gid));
  const auto position = number_of<std::uint64_t>(next_field(gid));
  if (service.empty() || !log || !position || gid.empty()) return std::nullopt;
  return DecidingEvent{std::string(service), LogIndex(*log), LogPosition(*position),
                       std::string(gid)};
}

}  // namespace tideline::postgres
