// What a rebuild works with: the schema of the copy, and the last few events that bring the copy to
// an exact vector. Internal to rebuild.cpp.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eventsourcing/projections/projection_observer.hpp"
#include "eventsourcing/topics/partition_progress.hpp"
#include "eventsourcing/topics/record_source.hpp"
#include "postgres/projections/rebuild_tables.hpp"

namespace tideline::projections {

// Has the projection write into the tables of the copy: unqualified names are the copy's.
class CopySchema final : public eventsourcing::ProjectionObserver {
 public:
  CopySchema(const postgres::rebuild::Names& names, std::string live_schema)
      : names_(names), live_schema_(std::move(live_schema)) {}

  void loading(sql::Transaction& transaction) override {
    flushing(transaction);
    unwritten_ = false;
  }
  void applying(const eventsourcing::RecordedEvent&) override { unwritten_ = true; }
  void flushing(sql::Transaction& transaction) override {
    postgres::rebuild::enter_schema(transaction, names_, live_schema_);
  }
  void committed() override { unwritten_ = false; }

  // Whether the projection's memory may hold what the tables do not: only load() makes it sure of
  // them again.
  bool holds_unwritten() const { return unwritten_; }

 private:
  const postgres::rebuild::Names& names_;
  const std::string live_schema_;
  bool unwritten_ = false;
};

// Reads on from the copy's checkpoints, without applying: so that it has what is needed at hand
// when the positions to be reached are known.
class Tail {
 public:
  Tail(std::unique_ptr<eventsourcing::RecordSource> source,
       const std::vector<postgres::rebuild::Place>& from);

  // Until everything up to `wanted` has been read; an Error at the deadline, and at a gap, which
  // the runner knows how to close.
  core::Status read(const eventsourcing::PositionVector& wanted,
                    std::chrono::steady_clock::time_point deadline);

  struct Piece {
    eventsourcing::SourcePartition partition;
    core::LogPosition from;
    core::LogPosition to;
    core::KafkaOffset next_offset;
    std::vector<const eventsourcing::RecordedEvent*> events;  // after `from` up to `to`, in order
  };
  // What has been read up to `wanted`, of each partition that has something.
  std::vector<Piece> up_to(const eventsourcing::PositionVector& wanted) const;

 private:
  struct Partition {
    eventsourcing::PartitionProgress progress;
    core::LogPosition from;
    std::vector<eventsourcing::SourceRecord> records;
  };

  core::Status take(eventsourcing::PollResult polled);
  bool has(const eventsourcing::PositionVector& wanted) const;

  std::unique_ptr<eventsourcing::RecordSource> source_;
  std::map<eventsourcing::SourcePartition, Partition> partitions_;
};

}  // namespace tideline::projections
