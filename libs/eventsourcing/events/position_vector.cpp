#include "eventsourcing/events/position_vector.hpp"

#include <algorithm>
#include <charconv>

#include "core/encoding.hpp"

namespace tideline::eventsourcing {
namespace {

constexpr std::size_t kServicesMax = 32;
constexpr std::size_t kLogsMax = 4096;
constexpr std::size_t kTokenBytesMax = 65536;

template <class Number>
bool read_number(std::string_view& text, char end_mark, Number& number) {
  const auto end = text.find(end_mark);
  const std::string_view digits = text.substr(0, end);
  if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return false;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || stop != digits.data() + digits.size()) return false;
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return true;
}

// "0=17,5=2": the logs of one service, ascending.
bool read_logs(std::string_view text, PositionVector::Logs& logs) {
  while (!text.empty()) {
    std::uint32_t log = 0;
    std::uint64_t position = 0;
    const bool last = text.find(',') == std::string_view::npos;
    if (!read_number(text, '=', log) || !read_number(text, ',', position)) return false;
    if (!last && text.empty()) return false;  // a comma with nothing behind it
    if (position == 0 || logs.size() >= kLogsMax) return false;
    if (!logs.empty() && logs.rbegin()->first.value() >= log) return false;
    logs.emplace_hint(logs.end(), log, position);
  }
  return !logs.empty();
}

bool is_service_name(std::string_view name) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
  return !name.empty() && name.size() <= 32 && std::all_of(name.begin(), name.end(), allowed);
}

}  // namespace

void PositionVector::raise(std::string_view service, core::LogIndex log,
                           core::LogPosition position) {
  if (position == core::LogPosition(0)) return;
  auto found = services_.find(service);
  if (found == services_.end()) found = services_.emplace(std::string(service), Logs{}).first;
  core::LogPosition& held = found->second[log];
  held = std::max(held, position);
}

void PositionVector::join(const PositionVector& other) {
  for (const auto& [service, logs] : other.services_) {
    for (const auto& [log, position] : logs) raise(service, log, position);
  }
}

core::LogPosition PositionVector::at(std::string_view service, core::LogIndex log) const {
  const auto found = services_.find(service);
  if (found == services_.end()) return core::LogPosition(0);
  const auto held = found->second.find(log);
  return held == found->second.end() ? core::LogPosition(0) : held->second;
}

bool PositionVector::covers(const PositionVector& wanted) const {
  for (const auto& [service, logs] : wanted.services_) {
    if (services_.find(service) == services_.end()) continue;
    for (const auto& [log, position] : logs) {
      if (at(service, log) < position) return false;
    }
  }
  return true;
}

std::string PositionVector::to_token() const {
  std::string text;
  for (const auto& [service, logs] : services_) {
    if (!text.empty()) text.push_back(';');
    text.append(service).push_back(':');
    const char* separator = "";
    for (const auto& [log, position] : logs) {
      text.append(separator).append(std::to_string(log.value())).append("=");
      text.append(std::to_string(position.value()));
      separator = ",";
    }
  }
  return core::to_base64url(core::as_bytes(text));
}

std::optional<PositionVector> PositionVector::from_token(std::string_view token) {
  if (token.size() > kTokenBytesMax) return std::nullopt;
  const auto bytes = core::from_base64url(token);
  if (!bytes) return std::nullopt;
  const std::string decoded(bytes->begin(), bytes->end());
  std::string_view text = decoded;
  PositionVector vector;
  while (!text.empty()) {
    const auto end = text.find(';');
    const std::string_view entry = text.substr(0, end);
    const auto colon = entry.find(':');
    if (colon == std::string_view::npos || vector.services_.size() >= kServicesMax) {
      return std::nullopt;
    }
    const std::string_view service = entry.substr(0, colon);
    const bool ascending = vector.services_.empty() || vector.services_.rbegin()->first < service;
    Logs logs;
    if (!is_service_name(service) || !ascending || !read_logs(entry.substr(colon + 1), logs)) {
      return std::nullopt;
    }
    vector.services_.emplace(std::string(service), std::move(logs));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    if (text.empty()) return std::nullopt;
  }
  return vector;
}

}  // namespace tideline::eventsourcing
