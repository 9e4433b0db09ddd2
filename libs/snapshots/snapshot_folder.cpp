#include "snapshots/snapshot_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>
#include <system_error>

namespace tideline::snapshots {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".snapshot";
constexpr std::string_view kPartSuffix = ".part";
constexpr std::size_t kDigits = 20;

std::vector<fs::path> all_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) found.push_back(entry.path());
  return found;
}

core::Timestamp written_at(const fs::path& file, std::error_code& failure) {
  const auto system = std::chrono::file_clock::to_sys(fs::last_write_time(file, failure));
  return std::chrono::time_point_cast<std::chrono::microseconds>(system);
}

}  // namespace

// nullopt: the name of something else.
std::optional<core::Timestamp> SnapshotFolder::time_of(const fs::path& file) const {
  const std::string name = file.filename().string();
  if (name.size() != prefix_.size() + kDigits + kSuffix.size() || !name.starts_with(prefix_) ||
      !name.ends_with(kSuffix)) {
    return std::nullopt;
  }
  const char* from = name.data() + prefix_.size();
  std::int64_t us = 0;
  const auto [end, error] = std::from_chars(from, from + kDigits, us);
  if (error != std::errc() || end != from + kDigits) return std::nullopt;
  return core::Timestamp(std::chrono::microseconds(us));
}

std::vector<fs::path> SnapshotFolder::files() const {
  std::vector<fs::path> found = all_in(path_);
  std::erase_if(found, [this](const fs::path& file) { return !time_of(file); });
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

fs::path SnapshotFolder::file_of(core::Timestamp taken_at) const {
  std::string digits = std::to_string(taken_at.time_since_epoch().count());
  digits.insert(0, kDigits - digits.size(), '0');
  return path_ / (prefix_ + digits + std::string(kSuffix));
}

std::optional<SnapshotFolder::Newest> SnapshotFolder::newest() const {
  const auto found = files();
  if (found.empty()) return std::nullopt;
  std::error_code failure;
  const Newest newest{*time_of(found.front()), written_at(found.front(), failure),
                      fs::file_size(found.front(), failure)};
  if (failure) return std::nullopt;  // removed just now
  return newest;
}

core::Result<FileHandle> SnapshotFolder::lock() const {
  FileHandle handle(::open((path_ / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640));
  if (!handle.is_open()) return core::unavailable("cannot write in " + path_.string());
  if (::flock(handle.get(), LOCK_EX | LOCK_NB) != 0) {
    return core::unavailable("another process takes a snapshot just now");
  }
  return handle;
}

void SnapshotFolder::forget_others(std::size_t kept) const {
  std::error_code ignored;  // what is left over is tried again the next time
  for (const fs::path& file : all_in(path_)) {
    if (file.filename().string().ends_with(kPartSuffix)) fs::remove(file, ignored);
  }
  const auto found = files();
  for (std::size_t i = kept; i < found.size(); ++i) fs::remove(found[i], ignored);
}

std::optional<std::string> SnapshotFolder::text(std::string_view name) const {
  if (!is_there()) return std::nullopt;
  const std::ifstream file(path_ / name, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

core::Status SnapshotFolder::put_text(std::string_view name, const std::string& text) const {
  const fs::path whole = path_ / name;
  const fs::path part = whole.string() + std::string(kPartSuffix);
  std::ofstream file(part, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  const bool written = file.good();
  file.close();
  if (!written || std::rename(part.c_str(), whole.c_str()) != 0) {
    return core::unavailable("cannot write " + part.string());
  }
  return core::success();
}

}  // namespace tideline::snapshots
