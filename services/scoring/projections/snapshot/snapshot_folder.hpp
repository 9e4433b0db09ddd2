// Where snapshots lie: scores-<microseconds since 1970>.snapshot, the newest has the highest name;
// beside them statistics.json, what was computed of the last one.
//
// Any number of processes may read. One at a time writes: it holds the folder's lock, which ends
// with it however it ends. Thread-safe, for it holds nothing but the path; blocks on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "scoring/projections/snapshot/snapshot_file.hpp"

namespace tideline::scoring {

class SnapshotFolder {
 public:
  // "": there are no snapshots, and none can be written.
  explicit SnapshotFolder(std::filesystem::path path) : path_(std::move(path)) {}

  bool is_there() const { return !path_.empty(); }
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

  // Text of statistics.json; nullopt: there is none yet.
  std::optional<std::string> statistics() const;
  // Replaces it at once: readers find the old one or the new one, whole. Under the lock.
  core::Status put_statistics(const std::string& text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace tideline::scoring
