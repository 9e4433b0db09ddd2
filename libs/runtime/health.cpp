#include "runtime/health.hpp"

#include <condition_variable>
#include <nlohmann/json.hpp>

namespace tideline::runtime {

void Pulse::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any pause;
  while (!stop.stop_requested()) {
    if (ask_()) answered_at_ = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex);
    pause.wait_for(lock, stop, kEvery, [] { return false; });
  }
}

bool Pulse::is_there() const {
  const auto at = answered_at_.load();
  return at != std::chrono::steady_clock::time_point{} &&
         std::chrono::steady_clock::now() - at < kAwayAfter;
}

void Health::add(std::string part, std::function<PartHealth()> look) {
  const std::lock_guard lock(mutex_);
  parts_.push_back({std::move(part), std::move(look)});
}

http::Response Health::readiness() const {
  const std::lock_guard lock(mutex_);
  bool ready = started_;
  bool degraded = false;
  std::uint64_t lag = 0;
  auto parts = http::Json::object();
  for (const Part& part : parts_) {
    const PartHealth health = part.look();
    ready = ready && health.ready;
    degraded = degraded || health.degraded;
    lag += health.lag;
    parts[part.name] = {{"ready", health.ready},
                        {"degraded", health.degraded},
                        {"lag", health.lag},
                        {"detail", health.detail}};
  }
  int code = 503;
  const char* status = started_ ? "not ready" : "starting";
  if (stopping_) {
    code = 404;
    status = "stopping";
  } else if (ready) {
    code = 200;
    status = degraded ? "degraded" : "ready";
  }
  auto response =
      http::Response::json(code, {{"status", status}, {"lag", lag}, {"parts", std::move(parts)}});
  response.header("Cache-Control", "no-store");
  return response;
}

void Health::add_routes(http::Router& router, const observability::Metrics& metrics) const {
  using http::Access;
  using http::Method;
  router.add(Method::Get, "/livez", Access::Public, [](const http::Request&) {
    return http::Response::json(200, {{"status", "alive"}});
  });
  router.add(Method::Get, "/readyz", Access::Public,
             [this](const http::Request&) { return readiness(); });
  router.add(Method::Get, "/metrics", Access::Public, [&metrics](const http::Request&) {
    return http::Response::text(200, "text/plain; version=0.0.4; charset=utf-8", metrics.render());
  });
}

}  // namespace tideline::runtime
