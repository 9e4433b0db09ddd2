// What a rebuild drives: a projection that writes into the tables of its copy, and the last few
// events that bring the copy to an exact vector. Internal to rebuild.cpp.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eventsourcing/projections/projection.hpp"
#include "eventsourcing/topics/partition_progress.hpp"
#include "eventsourcing/topics/record_source.hpp"
#include "postgres/projections/rebuild_tables.hpp"

namespace tideline::projections {

// The projection under another name, whose unqualified tables are the copy's.
class CopyProjection final : public eventsourcing::Projection {
 public:
  CopyProjection(eventsourcing::Projection& inner, const postgres::rebuild::Names& names,
                 std::string live_schema, eventsourcing::FlushPolicy policy)
      : inner_(inner), names_(names), live_schema_(std::move(live_schema)), policy_(policy) {}

  std::string_view name() const override { return names_.copy; }
  std::vector<std::string> sources() const override { return inner_.sources(); }
  std::vector<std::string> tables() const override { return inner_.tables(); }
  eventsourcing::FlushPolicy flush_policy() const override { return policy_; }
  void load(sql::Transaction& transaction) override {
    postgres::rebuild::enter_schema(transaction, names_, live_schema_);
    inner_.load(transaction);
    unwritten_ = false;
  }
  void apply(const eventsourcing::RecordedEvent& event) override {
    unwritten_ = true;
    inner_.apply(event);
  }
  eventsourcing::Preparation prepare_flush() override { return inner_.prepare_flush(); }
  void flush(sql::Transaction& transaction) override {
    postgres::rebuild::enter_schema(transaction, names_, live_schema_);
    inner_.flush(transaction);
  }
  void flushed() override {
    inner_.flushed();
    unwritten_ = false;
  }

  // Whether its memory may hold what the tables do not: only load() makes it sure of them again.
  bool holds_unwritten() const { return unwritten_; }

 private:
  eventsourcing::Projection& inner_;
  const postgres::rebuild::Names& names_;
  const std::string live_schema_;
  const eventsourcing::FlushPolicy policy_;
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
