// Where snapshots lie (snapshots/snapshot_folder.hpp), as scores-<microseconds since
// 1970>.snapshot; beside them statistics.json, what was computed of the last one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "snapshots/snapshot_folder.hpp"

namespace tideline::scoring {

class SnapshotFolder : public snapshots::SnapshotFolder {
 public:
  static constexpr const char* kPrefix = "scores-";

  // "": there are no snapshots, and none can be written.
  explicit SnapshotFolder(std::filesystem::path path)
      : snapshots::SnapshotFolder(std::move(path), kPrefix) {}

  // nullopt: there are none yet.
  std::optional<std::string> statistics() const { return text(kStatistics); }
  // Readers find the old text or the new one. Under the lock.
  core::Status put_statistics(const std::string& text) const { return put_text(kStatistics, text); }

 private:
  static constexpr const char* kStatistics = "statistics.json";
};

}  // namespace tideline::scoring
