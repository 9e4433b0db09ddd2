#include "projections/runner/state_publication.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "postgres/projections/checkpoints.hpp"

namespace tideline::projections {
namespace {

constexpr std::chrono::milliseconds kLookInterval{2000};

}  // namespace

// What was acknowledged is read before the ends are asked for: another replica may publish
// meanwhile.
core::Status StatePublication::publish(sql::Transaction& transaction,
                                       const std::vector<eventsourcing::StateUpdate>& updates,
                                       const eventsourcing::PositionVector& applied) {
  const auto acknowledged = postgres::state_topic_place(transaction, topic_);
  const auto before = ports_.topic->ends();
  if (!before) return before.error();
  // look() sees to it: here the projection might not hold the rows of all its partitions.
  if (lacks(*before, acknowledged)) return core::unavailable(topic_ + " has lost states");
  const auto sent = ports_.topic->send(updates, acknowledged.edition);
  if (!sent) return sent;
  if (!applied.empty()) {
    const auto told = ports_.topic->send_applied(applied, acknowledged.edition);
    if (!told) return told;
  }
  const auto after = ports_.topic->ends();
  if (!after) return after.error();
  advance(transaction, acknowledged.edition, *after);
  return core::success();
}

void StatePublication::run(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    // Without an answer of Kafka or PostgreSQL nothing is known, and both have others who say so.
    (void)look();
    stopped.wait_for(lock, stop, kLookInterval, [] { return false; });
  }
}

core::Result<bool> StatePublication::look() {
  const auto acknowledged = ports_.database.read([&](sql::Transaction& transaction) {
    return postgres::state_topic_place(transaction, topic_);
  });
  if (!acknowledged) return acknowledged.error();
  if (acknowledged->next.empty()) return false;
  const auto ends = ports_.topic->ends();
  if (!ends) return ends.error();
  if (!lacks(*ends, *acknowledged)) return false;
  const auto begun = ports_.database.transact([&](sql::Transaction& transaction) {
    // Another replica may have found it too.
    const auto now = postgres::state_topic_place(transaction, topic_);
    if (now.edition == acknowledged->edition) begin_anew(transaction, now.edition, *ends);
  });
  if (!begun) return begun.error();
  return true;
}

bool StatePublication::lacks(const Ends& ends, const postgres::StateTopicPlace& acknowledged) {
  return std::any_of(acknowledged.next.begin(), acknowledged.next.end(), [&](const auto& entry) {
    return entry.first < ends.size() && ends[entry.first] < entry.second;
  });
}

// A database that was restored must not give an edition a second time: so it is the time.
void StatePublication::begin_anew(sql::Transaction& transaction, std::int64_t edition,
                                  const Ends& ends) {
  using std::chrono::milliseconds;
  const auto now = std::chrono::duration_cast<milliseconds>(ports_.clock.now().time_since_epoch());
  if (ports_.log) ports_.log("error", topic_ + " has lost states: all are published again");
  postgres::checkpoints::restart(transaction, projection_);
  advance(transaction, std::max<std::int64_t>(now.count(), edition + 1), ends);
}

void StatePublication::advance(sql::Transaction& transaction, std::int64_t edition,
                               const Ends& ends) {
  postgres::StateTopicPlace place{edition, {}};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    place.next[static_cast<std::uint32_t>(i)] = ends[i];
  }
  postgres::advance_state_topic(transaction, topic_, place);
}

}  // namespace tideline::projections
