// Where snapshots lie: <prefix><microseconds since 1970>.snapshot, the newest has the highest name.
//
// Any number of processes may read. One at a time writes: it holds the folder's lock, which ends
// with it however it ends. Thread-safe, for it holds nothing but names; blocks on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "snapshots/block_file.hpp"

namespace tideline::snapshots {

class SnapshotFolder {
 public:
  // path "": there are no snapshots, and none can be written.
  SnapshotFolder(std::filesystem::path path, std::string prefix)
      : path_(std::move(path)), prefix_(std::move(prefix)) {}

  bool is_there() const { return !path_.empty(); }
  const std::filesystem::path& path() const { return path_; }
  // By their names, the newest first. Whether they are whole is found by reading them.
  std::vector<std::filesystem::path> files() const;
  std::filesystem::path file_of(core::Timestamp taken_at) const;

  struct Newest {
    core::Timestamp taken_at{};
    core::Timestamp written_at{};
    std::uint64_t bytes = 0;
  };
  std::optional<Newest> newest() const;

  // Held as long as what it returns. Unavailable: another process writes.
  core::Result<FileHandle> lock() const;
  // Under the lock: removes all but the newest `kept` and what was never finished.
  void forget_others(std::size_t kept) const;

  // What lies beside them under that name; nullopt: nothing yet.
  std::optional<std::string> text(std::string_view name) const;
  // Replaces it at once: readers find the old one or the new one, whole. Under the lock.
  core::Status put_text(std::string_view name, const std::string& text) const;

 private:
  std::optional<core::Timestamp> time_of(const std::filesystem::path& file) const;

  std::filesystem::path path_;
  std::string prefix_;
};

}  // namespace tideline::snapshots
