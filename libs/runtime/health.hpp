// What a service says of itself: /livez, /readyz, /metrics.
//
// livez  200 as long as the process answers at all.
// readyz 200 when the database answers and every projection has caught up once; else 503. What does
//        not keep it from serving (Kafka away, lag, a parked event, the database where much is
//        answered from memory) makes it "degraded": shown, still 200. 404 while the service stops:
//        HAProxy lets what it has begun end and sends nothing new (http-check disable-on-404).
//
// An answer waits for nobody: what may not answer is asked by a thread of its own (Pulse).
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "http/routing/router.hpp"
#include "observability/metrics.hpp"

namespace tideline::runtime {

struct PartHealth {
  bool ready = true;  // false: the service must get no traffic
  bool degraded = false;
  std::string detail;     // "" = nothing to say; never a secret
  std::uint64_t lag = 0;  // events not yet published or applied
};

// Whether something answers that may not answer for long, such as a database: run() asks again and
// again, and whoever looks is told of the last answer. Thread-safe.
class Pulse {
 public:
  static constexpr std::chrono::milliseconds kEvery{500};
  // Without an answer for so long it is taken for away.
  static constexpr std::chrono::milliseconds kAwayAfter{2'000};

  // True: it has answered. May block, and is called by run() alone.
  explicit Pulse(std::function<bool()> ask) : ask_(std::move(ask)) {}

  void run(const std::stop_token& stop);
  bool is_there() const;

 private:
  const std::function<bool()> ask_;
  std::atomic<std::chrono::steady_clock::time_point> answered_at_{};
};

// Thread-safe.
class Health {
 public:
  // `look` must not block.
  void add(std::string part, std::function<PartHealth()> look);
  void set_started() { started_ = true; }
  void set_stopping() { stopping_ = true; }
  bool is_stopping() const { return stopping_; }

  void add_routes(http::Router& router, const observability::Metrics& metrics) const;

 private:
  http::Response readiness() const;

  struct Part {
    std::string name;
    std::function<PartHealth()> look;
  };
  mutable std::mutex mutex_;
  std::vector<Part> parts_;
  std::atomic<bool> started_{false};
  std::atomic<bool> stopping_{false};
};

}  // namespace tideline::runtime
