// What a service says of itself: /livez, /readyz, /metrics.
//
// livez  200 as long as the process answers at all.
// readyz 200 when the database answers and every projection has caught up once, and the service is
//        not stopping; else 503. What does not keep it from serving (Kafka away, lag, a parked
//        event) makes it "degraded": shown, still 200.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
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

// Thread-safe.
class Health {
 public:
  void add(std::string part, std::function<PartHealth()> look);
  void set_started() { started_ = true; }
  void set_stopping() { stopping_ = true; }

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
