// The relay publishes a service's events to its topic: log p to partition p, in order.
//
// It can repeat records, never skip or reorder them: consumers tell repeats by their position. One
// relay is active for each log, chosen by a claim; replicas take the logs that are free. What the
// partition really holds decides where it goes on, the checkpoint only tells others how far it is.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "eventsourcing/store/event_store.hpp"
#include "eventsourcing/store/relay_checkpoints.hpp"
#include "kafka/brokers.hpp"

namespace tideline::kafka {

struct RelayOptions {
  Brokers brokers;
  std::string service;  // publishes to events_topic(service)
  std::string client_id = "tideline-relay";
  // The logs that it publishes; empty: all of the service. Where the logs lie in several databases,
  // each has a relay of its own, which asks no other: one that is away holds up nothing elsewhere.
  std::vector<core::LogIndex> logs = {};
  std::size_t batch_events = 2000;  // read in one round trip: much of one log or a little of many
  // Events of one log that may wait for their acknowledgement; reading of it pauses above.
  std::size_t in_flight_max = 20000;
  // How often logs are looked at without having been woken.
  std::chrono::milliseconds poll{200};
  std::chrono::milliseconds checkpoint_interval{250};
  // How often logs that another relay holds, or that failed, are claimed again, and the claims held
  // are looked at.
  std::chrono::milliseconds claim_interval{1000};
  // How often the topic is looked at for records that it has lost; what the broker answers to the
  // next record says so too, but an idle log has none.
  std::chrono::milliseconds ends_interval{2000};
  // So long a gap that was published again is given to reach the readers before one of them may
  // have it published once more. Shorter than the time after which a reader reports again.
  std::chrono::milliseconds republish_interval{3000};
};

struct RelayLogStatus {
  core::LogIndex log;
  bool active = false;             // this relay holds the log and has found where to go on
  core::LogPosition acknowledged;  // the last one that Kafka has
  core::LogPosition checkpoint;    // the last one recorded in the database
  std::uint64_t lag = 0;           // events appended, not acknowledged yet, as last seen
};

struct RelayStatus {
  std::vector<RelayLogStatus> logs;
  std::uint64_t published = 0;  // records acknowledged since the start, repeats included
  std::uint64_t producer_restarts = 0;
  std::string problem;  // what keeps it from publishing just now; "" = nothing
  // The database lacks events that Kafka has, or has others in their place: somebody restored an
  // old backup. The log is not published any more and the service must not report ready. "" = no.
  std::string fatal;
};

struct RelayPorts {
  eventsourcing::EventLog& events;
  eventsourcing::RelayCheckpoints& checkpoints;  // in the database of its logs
  // Structured log line: level ("info", "warn", "error"), text. May be empty.
  std::function<void(std::string_view, const std::string&)> log;
};

class Relay {
 public:
  Relay(RelayPorts ports, RelayOptions options);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // Publishes until stop is requested, then waits shortly for what is in flight and records the
  // checkpoints. Blocks; one thread. Never throws: what fails is tried again, with growing pauses.
  void run(std::stop_token stop);

  // Thread-safe.
  RelayStatus status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tideline::kafka
