// The edge of every query that a client may ask right after a command: "read your own writes".
//
// Threads: any. Calls block at most for the given wait, on the worker thread of the request.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "eventsourcing/position_vector.hpp"
#include "eventsourcing/projection_runner.hpp"
#include "http/command_endpoint.hpp"
#include "http/message.hpp"
#include "http/problem.hpp"

namespace tideline::http {

inline constexpr std::string_view kStaleHeader = "Tideline-Stale";

// Port: the read models that a query reads. Logs that they do not consume count as covered.
class PositionWaiter {
 public:
  virtual ~PositionWaiter() = default;
  // True as soon as everything of `wanted` is applied; false when `timeout` has passed.
  // Thread-safe.
  virtual bool wait_for(const eventsourcing::PositionVector& wanted,
                        std::chrono::milliseconds timeout) = 0;
};

// Waits for all of some projections, which must outlive it.
class ProjectionWaiter final : public PositionWaiter {
 public:
  explicit ProjectionWaiter(std::vector<eventsourcing::AppliedPositions*> projections)
      : projections_(std::move(projections)) {}
  bool wait_for(const eventsourcing::PositionVector& wanted,
                std::chrono::milliseconds timeout) override;

 private:
  std::vector<eventsourcing::AppliedPositions*> projections_;
};

enum class WhenBehind {
  Refuse,     // 503 with Retry-After: where privacy depends on it
  MarkStale,  // answer with the header Tideline-Stale: true
};

inline constexpr std::chrono::milliseconds kPositionWait{2000};

// Waits for the request's Tideline-Position; true = the read models have it (or none was sent),
// false = answer, but mark it stale. 400 for a garbled token, 503 for WhenBehind::Refuse.
Parsed<bool> await_position(const Request& request, PositionWaiter& waiter, WhenBehind when_behind,
                            std::chrono::milliseconds timeout = kPositionWait);

// await_position around a query: answers with its response, marked stale if need be, and hands the
// client's token back unchanged.
Response answer_query(const Request& request, PositionWaiter& waiter, WhenBehind when_behind,
                      const std::function<Response()>& query,
                      std::chrono::milliseconds timeout = kPositionWait);

}  // namespace tideline::http
