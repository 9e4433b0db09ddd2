// A real edge behind the gateway's tests: answers every request with what it has read, and writes a
// line of JSON for each to stdout. The first line is {"port":...}. Ends with its standard input.
#include <unistd.h>

#include <iostream>
#include <mutex>

#include "core/clock.hpp"
#include "http/messages/json.hpp"
#include "http/routing/router.hpp"
#include "http/server/server.hpp"

namespace {

using namespace tideline;

class Lines final : public http::RequestObserver {
 public:
  void write(const http::Json& line) {
    std::lock_guard lock(mutex_);
    std::cout << line.dump() << std::endl;
  }
  // Also what matched no route, or was refused before there was a request.
  void on_request(const http::RequestRecord& record) override {
    write({{"method", record.method},
           {"route", record.route_template},
           {"status", record.status},
           {"body_bytes", record.request_bytes},
           {"request_id", record.request_id}});
  }

 private:
  std::mutex mutex_;
};

http::Response echo(const http::Request& request) {
  return http::Response::json(200, {{"method", http::name_of(request.method)},
                                    {"path", request.path},
                                    {"body", request.body},
                                    {"request_id", request.request_id}})
      .header("X-Edge", "1");
}

}  // namespace

int main() {
  const core::SystemClock clock;
  http::Router router(nullptr, clock);
  for (const char* path : {"/v1/sessions", "/v1/accounts", "/v1/me"}) {
    for (const auto method : {http::Method::Get, http::Method::Post, http::Method::Delete}) {
      router.add(method, path, http::Access::Public, echo);
    }
  }
  Lines lines;
  http::ServerOptions options;
  options.worker_threads = 4;
  options.pause_timeout = std::chrono::milliseconds(500);
  // The gateway asks for it.
  router.add(http::Method::Get, "/readyz", http::Access::Public, echo);
  http::Server server(options, router, clock, &lines);
  if (const auto started = server.start(); !started) {
    std::cerr << started.error().message << "\n";
    return 1;
  }
  lines.write({{"port", server.port()}});
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  server.stop();
  return 0;
}
