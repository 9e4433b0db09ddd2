#include "snapshots/snapshot_settings.hpp"

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

namespace tideline::snapshots {

SnapshotSettings SnapshotSettings::read(core::Config& config, std::string_view service,
                                        std::string prefix) {
  const std::string own = "TIDELINE_" + std::string(service);
  SnapshotSettings settings;
  settings.folder_key = own + "_SNAPSHOT_FOLDER";
  const std::string folder = config.text(settings.folder_key, "");
  settings.folder = SnapshotFolder(folder, std::move(prefix));
  std::error_code failure;
  if (!folder.empty() && !std::filesystem::is_directory(folder, failure)) {
    config.add_error(settings.folder_key, "is no folder");
  }
  settings.interval = std::chrono::seconds(
      config.integer(own + "_SNAPSHOT_INTERVAL_S", settings.interval.count(), 10, 86'400));
  settings.kept = static_cast<std::size_t>(
      config.integer(own + "_SNAPSHOTS_KEPT", static_cast<std::int64_t>(settings.kept), 1, 100));
  return settings;
}

}  // namespace tideline::snapshots
