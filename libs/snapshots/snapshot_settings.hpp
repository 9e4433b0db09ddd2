// Settings of a service that starts from snapshots and has a subcommand that takes them. For the
// service X:
//   TIDELINE_X_SNAPSHOT_FOLDER      where a start looks for snapshots and the subcommand `snapshot`
//                                   leaves them; "" for none
//   TIDELINE_X_SNAPSHOT_INTERVAL_S  10 to 86,400: the subcommand takes one so often. Longer means
//                                   that a start has more to make up for
//   TIDELINE_X_SNAPSHOTS_KEPT       1 to 100
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/config.hpp"
#include "snapshots/snapshot_folder.hpp"

namespace tideline::snapshots {

struct SnapshotSettings {
  SnapshotFolder folder{"", ""};
  std::chrono::seconds interval{600};
  std::size_t kept = 2;
  std::string folder_key;  // the setting's name

  // `service` as in the settings' names ("FEED"), `prefix` of the files. Mistakes go to `config`.
  static SnapshotSettings read(core::Config& config, std::string_view service, std::string prefix);
};

}  // namespace tideline::snapshots
