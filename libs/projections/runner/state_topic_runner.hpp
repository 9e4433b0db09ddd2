// Runs what a service keeps of a state topic (eventsourcing/projections/state_topic.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "eventsourcing/projections/state_topic.hpp"
#include "eventsourcing/topics/applied_positions.hpp"
#include "sql/transaction.hpp"

namespace tideline::projections {

struct StateTopicStatus {
  bool caught_up_once = false;  // has seen the end of every partition, and flushed
  std::uint64_t applied = 0;
  std::uint64_t passed_over = 0;  // values that could not be read
  std::string last_problem;       // "" = none
};

// Runs one view on one thread. The view's tables and the next offsets change in one transaction, in
// table state_topic_checkpoint of the service's database
// (postgres/projections/projection_tables.hpp).
class StateTopicRunner {
 public:
  using LogLine = std::function<void(std::string_view, const std::string&)>;

  // `services`: from whose events the states are made, where their publisher tells how far it has
  // come. `database` is not used for a view that is not durable. `log` may be empty.
  StateTopicRunner(eventsourcing::StateView& view, sql::Database& database,
                   std::unique_ptr<eventsourcing::StateSource> source, LogLine log,
                   std::vector<std::string> services = {});
  ~StateTopicRunner();

  // Until stop is requested; flushes once more before it returns. Never throws.
  void run(std::stop_token stop);

  StateTopicStatus status() const;  // thread-safe
  // What queries wait on: as far as the publisher had come with what the tables hold.
  eventsourcing::AppliedPositions& applied();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tideline::projections
