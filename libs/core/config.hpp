// Settings from a file of KEY=VALUE lines, overridden by the environment. Reading never stops at
// the first mistake: all of them are collected, so that one start shows them all. Not thread-safe:
// read once at the start.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace tideline::core {

class Config {
 public:
  // `environment` is what ::environ holds; only names that begin with TIDELINE_ count.
  // Lines of `file_text` are KEY=VALUE; blank lines and lines that begin with # are passed over.
  Config(std::string_view file_text, const char* const* environment);

  static Result<Config> load(const std::optional<std::string>& path);

  std::string text(std::string_view key, std::optional<std::string> fallback = std::nullopt);
  std::int64_t integer(std::string_view key, std::int64_t fallback, std::int64_t min,
                       std::int64_t max);
  // A number of milliseconds.
  std::chrono::milliseconds duration_ms(std::string_view key, std::chrono::milliseconds fallback);
  bool boolean(std::string_view key, bool fallback);
  // Separated by commas; spaces around an item do not count; empty items are dropped.
  std::vector<std::string> list(std::string_view key, std::vector<std::string> fallback);

  // Adds a mistake found by the one that knows more about a value.
  void add_error(std::string_view key, std::string_view why);

  // Every mistake so far, and every TIDELINE_ key of the file that nothing asked for.
  std::vector<std::string> mistakes() const;

 private:
  std::optional<std::string> find(std::string_view key);

  std::map<std::string, std::string, std::less<>> values_;
  std::map<std::string, bool, std::less<>> from_file_asked_;  // key of the file -> asked for?
  std::vector<std::string> mistakes_;
};

}  // namespace tideline::core
