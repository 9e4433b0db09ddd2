#include "scoring/api/snapshot_taking.hpp"

#include "scoring/api/statistics_json.hpp"
#include "scoring/projections/snapshot/snapshot_take.hpp"

namespace tideline::scoring {

core::Result<SnapshotTaken> take_snapshot_and_statistics(const SnapshotPorts& ports,
                                                         const SnapshotFolder& folder,
                                                         core::Timestamp now, std::size_t kept) {
  const core::Day today = ports.campus.day_of(now);
  const auto file = take_snapshot(ports.database, folder, {now, today}, kept);
  if (!file) return file.error();
  const auto rules = ports.rules.read();
  if (!rules) return rules.error();
  const auto statistics = statistics_of(*file, rules->book.on(today).levels);
  if (!statistics) return statistics.error();
  if (const auto put = folder.put_statistics(statistics_json(*statistics)); !put) {
    return put.error();
  }
  return SnapshotTaken{*file, statistics->members};
}

}  // namespace tideline::scoring
