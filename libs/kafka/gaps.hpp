// Positions that a consumer misses, told to the relays over the topic tideline.gaps.
//
//   {"service":"feed","log":3,"position":"17","end_offset":"40"}
//
// end_offset: the end of the partition when the report was made. A relay that has published the
// position at or behind it need not do so again: the reporter will come to it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "eventsourcing/topics/record_source.hpp"
#include "kafka/brokers.hpp"

namespace tideline::kafka {

struct GapReport {
  eventsourcing::SourcePartition partition;
  core::LogPosition position;
  core::KafkaOffset end_offset;

  friend bool operator==(const GapReport&, const GapReport&) = default;
};

std::string encode_gap(const GapReport& report);
// nullopt for what encode_gap would not have written.
std::optional<GapReport> decode_gap(std::string_view json);

// Thread-safe. Fits RunnerPorts::report_gap.
class GapReporter {
 public:
  explicit GapReporter(const Brokers& brokers);
  ~GapReporter();

  // Asks for the end of the partition, for at most a second, and sends without waiting for the
  // acknowledgement: the runner reports again while it waits.
  void report(const eventsourcing::SourcePartition& partition, core::LogPosition position);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tideline::kafka
