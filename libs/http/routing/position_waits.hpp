// Requests that wait until a read model has applied their position token, and hold no worker
// meanwhile: a handler leaves the request here, and is called again, from its beginning, when the
// model has come so far or the time is over. Others look in between whether they may go on. So what
// waits for Kafka keeps nothing else waiting.
//
// A bounded number waits. One thread looks after the deadlines, the models' runners tell the rest.
// Thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>

#include "eventsourcing/topics/applied_positions.hpp"
#include "http/routing/deferred_response.hpp"

namespace tideline::http {

class PositionWaits {
 public:
  static constexpr std::size_t kWaitingMax = 1024;

  static constexpr std::chrono::milliseconds kWaitMax{2000};

  // `wait_max`: how long one request may wait in all, whatever it waits for.
  explicit PositionWaits(std::size_t waiting_max = kWaitingMax,
                         std::chrono::milliseconds wait_max = kWaitMax);
  // What still waits is dropped.
  ~PositionWaits();
  PositionWaits(const PositionWaits&) = delete;
  PositionWaits& operator=(const PositionWaits&) = delete;

  // Asks for the request to be handled again when `model` has applied `wanted`, at the latest at
  // `deadline`. `model` must outlive that. nullptr: as many wait as may.
  std::shared_ptr<DeferredResponse> put_aside(const eventsourcing::PositionVector& wanted,
                                              eventsourcing::AppliedPositions& model,
                                              std::chrono::steady_clock::time_point deadline);
  // The same, for what nobody tells of: at `time`.
  std::shared_ptr<DeferredResponse> put_aside(std::chrono::steady_clock::time_point time);
  std::size_t waiting() const;
  std::chrono::milliseconds wait_max() const { return wait_max_; }

 private:
  struct State;
  const std::shared_ptr<State> state_;  // of late calls, too
  const std::chrono::milliseconds wait_max_;
  std::jthread deadlines_;
};

}  // namespace tideline::http
