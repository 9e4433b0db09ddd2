#include "feed/projections/snapshot/feed_snapshot.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "feed/projections/events_read.hpp"
#include "snapshots/value_stream.hpp"

namespace tideline::feed {
namespace {

using nlohmann::json;

// "TLfeed_5": another form of the memory (engine/saved_memory.cpp), or another meaning of an event
// for it, gets another number.
constexpr std::uint64_t kForm = 0x355f646565664c54U;

std::string text_of(const SnapshotOrigin& origin) {
  json places = json::array();
  for (const auto& [partition, place] : origin.places) {
    places.push_back({partition.service, partition.log.value(), place.position.value(),
                      place.next_offset.value()});
  }
  json last_own = json::array();
  for (const auto& [log, id] : origin.last_own) last_own.push_back({log.value(), id});
  return json{{"taken_at", core::format_iso8601(origin.taken_at)},
              {"reads", read::event_types()},
              {"places", std::move(places)},
              {"last_own", std::move(last_own)}}
      .dump();
}

// nullopt: of a program that reads other events.
std::optional<SnapshotOrigin> parse_origin(const std::string& text) {
  try {
    const json data = json::parse(text);
    const auto taken_at = core::parse_iso8601(data.at("taken_at").get<std::string>());
    if (!taken_at || data.at("reads").get<std::set<std::string>>() != read::event_types()) {
      return std::nullopt;
    }
    SnapshotOrigin origin;
    origin.taken_at = *taken_at;
    for (const json& place : data.at("places")) {
      const eventsourcing::SourcePartition partition{
          place.at(0).get<std::string>(), core::LogIndex(place.at(1).get<std::uint32_t>())};
      origin.places[partition] = {core::LogPosition(place.at(2).get<std::uint64_t>()),
                                  core::KafkaOffset(place.at(3).get<std::int64_t>())};
    }
    for (const json& last : data.at("last_own")) {
      origin.last_own[core::LogIndex(last.at(0).get<std::uint32_t>())] =
          last.at(1).get<std::string>();
    }
    return origin;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

core::Status write_snapshot(const std::filesystem::path& file, const SnapshotOrigin& origin,
                            FeedEngine& engine) {
  snapshots::BlockWriter blocks(file, kForm, text_of(origin));
  snapshots::ValueWriter out(blocks);
  engine.save(out);
  return out.finish();
}

core::Result<SnapshotReader> SnapshotReader::open(const std::filesystem::path& file) {
  auto blocks = snapshots::BlockReader::open(file, kForm);
  if (!blocks) return blocks.error();
  auto origin = parse_origin(blocks->head());
  if (!origin) return snapshots::not_whole("it is of a program that reads other events");
  return SnapshotReader(*std::move(blocks), *std::move(origin));
}

core::Result<RestoredFeed> SnapshotReader::read() {
  RestoredFeed restored{{}, origin_.places};
  snapshots::ValueReader in(blocks_);
  restored.memory.load(in);
  if (const auto whole = in.finish(); !whole) return whole.error();
  return restored;
}

}  // namespace tideline::feed
