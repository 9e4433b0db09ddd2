// A runner in a process of its own, to be killed and frozen at its points: this test binary once
// more, with nothing but the "test" ProjectionChild.Runs (child_runner.cpp).
//
// It goes on until it is told a goal, and then until it has applied that; it ends with 0 if its
// memory then equals the table (asked of a lone owner only).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "counted_projection.hpp"

namespace tideline::kafka::testing {

struct ChildOptions {
  std::string group = "";
  std::int64_t poison_every = 0;
  // Raises `signal` (SIGKILL, SIGSTOP) when it passes `point` for the nth time. 0: never.
  projections::RunnerPoint point = projections::RunnerPoint::Committed;
  int nth = 0;
  int signal = 0;
};

class ChildRunner {
 public:
  ChildRunner(const PublishedService& service, const ChildOptions& options);
  ~ChildRunner();  // kills it
  ChildRunner(const ChildRunner&) = delete;
  ChildRunner& operator=(const ChildRunner&) = delete;

  void tell_goal(const eventsourcing::PositionVector& goal);
  void send(int signal);
  // Until it has ended, or stopped; the status is waitpid's. Fails the test after kDeadline.
  int wait();

 private:
  pid_t pid_ = -1;
  int goal_socket_ = -1;
};

}  // namespace tideline::kafka::testing
