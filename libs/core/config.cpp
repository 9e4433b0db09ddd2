#include "core/config.hpp"

#include <charconv>
#include <fstream>
#include <sstream>

extern char** environ;

namespace tideline::core {
namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

template <class Visit>
void for_each_part(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    const auto end = text.find(separator);
    visit(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Config::Config(std::string_view file_text, const char* const* environment) {
  for_each_part(file_text, '\n', [&](std::string_view line) {
    if (line.empty() || line.front() == '#') return;
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) {
      mistakes_.push_back("configuration line without '=': " + std::string(line));
      return;
    }
    const std::string key(trim(line.substr(0, equals)));
    values_[key] = std::string(trim(line.substr(equals + 1)));
    from_file_asked_[key] = false;
  });
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const auto equals = entry.find('=');
    if (!entry.starts_with("TIDELINE_") || equals == std::string_view::npos) continue;
    values_[std::string(entry.substr(0, equals))] = std::string(entry.substr(equals + 1));
  }
}

Result<Config> Config::load(const std::optional<std::string>& path) {
  std::ostringstream text;
  if (path) {
    std::ifstream file(*path);
    if (!file) return invalid_input("cannot read the configuration file " + *path);
    text << file.rdbuf();
  }
  return Config(text.str(), environ);
}

std::optional<std::string> Config::find(std::string_view key) {
  if (const auto asked = from_file_asked_.find(key); asked != from_file_asked_.end()) {
    asked->second = true;
  }
  const auto found = values_.find(key);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

std::string Config::text(std::string_view key, std::optional<std::string> fallback) {
  if (auto value = find(key)) return *value;
  if (!fallback) add_error(key, "is missing");
  return fallback.value_or("");
}

std::int64_t Config::integer(std::string_view key, std::int64_t fallback, std::int64_t min,
                             std::int64_t max) {
  const auto text = find(key);
  if (!text) return fallback;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() || value < min || value > max) {
    add_error(key, "must be a whole number from " + std::to_string(min) + " to " +
                       std::to_string(max) + ", not '" + *text + "'");
    return fallback;
  }
  return value;
}

std::chrono::milliseconds Config::duration_ms(std::string_view key,
                                              std::chrono::milliseconds fallback) {
  constexpr std::int64_t kDay = 24LL * 3600 * 1000;
  return std::chrono::milliseconds(integer(key, fallback.count(), 0, 365 * kDay));
}

bool Config::boolean(std::string_view key, bool fallback) {
  const auto text = find(key);
  if (!text) return fallback;
  if (*text == "true") return true;
  if (*text == "false") return false;
  add_error(key, "must be true or false, not '" + *text + "'");
  return fallback;
}

std::vector<std::string> Config::list(std::string_view key, std::vector<std::string> fallback) {
  const auto text = find(key);
  if (!text) return fallback;
  std::vector<std::string> items;
  for_each_part(*text, ',', [&](std::string_view item) {
    if (!item.empty()) items.emplace_back(item);
  });
  return items;
}

void Config::add_error(std::string_view key, std::string_view why) {
  mistakes_.push_back(std::string(key) + " " + std::string(why));
}

std::vector<std::string> Config::mistakes() const {
  std::vector<std::string> all = mistakes_;
  for (const auto& [key, asked] : from_file_asked_) {
    if (!asked) all.push_back(key + " is in the configuration file but no setting has that name");
  }
  return all;
}

}  // namespace tideline::core
