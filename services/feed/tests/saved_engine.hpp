// Snapshots that an engine of a history leaves behind, as files of the real form, and starts from
// the newest of them. The folder is in memory where that is possible: there are thousands.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "core/check.hpp"
#include "feed/projections/snapshot/feed_snapshot.hpp"

namespace tideline::feed::testing {

class SavedEngine {
 public:
  // What a start forgets of a snapshot: for one that is broken.
  using Loss = std::function<void(FeedMemory&)>;

  explicit SavedEngine(Loss loss = {}) : loss_(std::move(loss)) {
    std::error_code failure;
    const bool memory = std::filesystem::is_directory("/dev/shm", failure);
    std::string pattern =
        (memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) /
        "tideline-XXXXXX";
    CHECK(mkdtemp(pattern.data()) != nullptr, "a folder for snapshots");
    folder_ = pattern;
  }
  ~SavedEngine() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  SavedEngine(const SavedEngine&) = delete;
  SavedEngine& operator=(const SavedEngine&) = delete;

  // For FeedEngineOptions::restore; the object outlives the engine.
  std::function<std::optional<RestoredFeed>()> restore() {
    return [this] { return next_start_uses_it_ ? read() : std::nullopt; };
  }
  // How the next loads start.
  void use(bool it) { next_start_uses_it_ = it && saved_; }

  void save(FeedEngine& engine, eventsourcing::PartitionPlaces places) {
    const SnapshotOrigin origin{core::Timestamp(), std::move(places), {}};
    const auto written = write_snapshot(file(), origin, engine);
    CHECK(written.ok(), written.ok() ? "" : written.error().message.c_str());
    saved_ = true;
  }

 private:
  std::filesystem::path file() const { return folder_ / "feed.snapshot"; }

  std::optional<RestoredFeed> read() const {
    auto reader = SnapshotReader::open(file());
    CHECK(reader.ok(), reader.ok() ? "" : reader.error().message.c_str());
    auto restored = reader->read();
    CHECK(restored.ok(), restored.ok() ? "" : restored.error().message.c_str());
    if (loss_) loss_(restored->memory);
    return *std::move(restored);
  }

  const Loss loss_;
  std::filesystem::path folder_;
  bool saved_ = false;
  bool next_start_uses_it_ = false;
};

}  // namespace tideline::feed::testing
