#include "projections/rebuild/rebuild_copy.hpp"

#include <utility>

namespace tideline::projections {

Tail::Tail(std::unique_ptr<eventsourcing::RecordSource> source,
           const std::vector<postgres::rebuild::Place>& from)
    : source_(std::move(source)) {
  for (const postgres::rebuild::Place& place : from) {
    Partition& partition = partitions_[place.partition];
    partition.from = place.position;
    partition.progress.restart(place.position, place.next_offset);
  }
}

bool Tail::has(const eventsourcing::PositionVector& wanted) const {
  for (const auto& [service, logs] : wanted.services()) {
    for (const auto& [log, position] : logs) {
      const auto found = partitions_.find({service, log});
      const auto reached =
          found == partitions_.end() ? core::LogPosition{} : found->second.progress.position();
      if (reached < position) return false;
    }
  }
  return true;
}

core::Status Tail::take(eventsourcing::PollResult polled) {
  for (const eventsourcing::SourcePartition& assigned : polled.assigned) {
    Partition& partition = partitions_[assigned];
    auto sought = source_->seek(assigned, partition.progress.next_offset());
    if (!sought) return sought;
  }
  for (eventsourcing::SourceRecord& record : polled.records) {
    const auto found = partitions_.find({record.event.source, record.event.log});
    if (found == partitions_.end()) continue;
    Partition& partition = found->second;
    const eventsourcing::Verdict verdict =
        partition.progress.look_at(record.event.position, record.offset);
    if (verdict == eventsourcing::Verdict::Hold) {
      return core::unavailable("position " + std::to_string(partition.progress.missing().value()) +
                               " of " + record.event.source + " is not where it should be");
    }
    if (verdict != eventsourcing::Verdict::Apply) continue;
    partition.progress.applied(record.event.position, record.offset);
    partition.records.push_back(std::move(record));
  }
  return core::success();
}

core::Status Tail::read(const eventsourcing::PositionVector& wanted,
                        std::chrono::steady_clock::time_point deadline) {
  constexpr std::chrono::milliseconds kPoll{20};
  while (!has(wanted)) {
    if (std::chrono::steady_clock::now() > deadline) {
      return core::unavailable("the last events could not be read in time");
    }
    auto polled = source_->poll(kPoll);
    if (!polled) continue;
    if (auto taken = take(std::move(*polled)); !taken) return taken;
  }
  return core::success();
}

std::vector<Tail::Piece> Tail::up_to(const eventsourcing::PositionVector& wanted) const {
  std::vector<Piece> pieces;
  for (const auto& [place, partition] : partitions_) {
    const core::LogPosition end = wanted.at(place.service, place.log);
    Piece piece{place, partition.from, {}, {}, {}};
    for (const eventsourcing::SourceRecord& record : partition.records) {
      if (record.event.position > end) break;
      piece.events.push_back(&record.event);
      piece.to = record.event.position;
      piece.next_offset = core::KafkaOffset(record.offset.value() + 1);
    }
    if (!piece.events.empty()) pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace tideline::projections
