// A server with a few routes on a free port, for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "http/messages/json.hpp"
#include "http/routing/deferred_response.hpp"
#include "http/routing/event_stream.hpp"
#include "http/routing/router.hpp"
#include "http/server/server.hpp"

namespace tideline::http::testing {

// Waits for a condition that another thread brings about; false when it does not come.
inline bool eventually(const std::function<bool()>& condition) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    never.wait_for(lock, std::chrono::milliseconds(2));
  }
  return true;
}

class Gate {
 public:
  void open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait_for(lock, std::chrono::seconds(20), [this] { return open_; });
  }
  bool wait_for_visitors(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), [&] { return waiting_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int waiting_ = 0;
};

class RecordingObserver final : public RequestObserver {
 public:
  struct Entry {
    std::string route_template;
    std::string method;
    int status;
    bool delivered;
    std::string request_id;
    std::string failure;
  };

  void on_request(const RequestRecord& record) override {
    std::lock_guard lock(mutex_);
    entries_.push_back({std::string(record.route_template), std::string(record.method),
                        record.status, record.delivered, std::string(record.request_id),
                        std::string(record.failure)});
  }
  void on_connection_opened() override {
    std::lock_guard lock(mutex_);
    ++opened_;
  }
  void on_connection_closed() override {
    std::lock_guard lock(mutex_);
    ++closed_;
  }

  void on_tls_trouble(std::string_view why) override {
    std::lock_guard lock(mutex_);
    tls_trouble_ = why;
  }

  // The last.
  std::string tls_trouble() {
    std::lock_guard lock(mutex_);
    return tls_trouble_;
  }
  std::vector<Entry> entries() {
    std::lock_guard lock(mutex_);
    return entries_;
  }
  std::size_t count(int status) {
    std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::count_if(entries_.begin(), entries_.end(),
                      [&](const Entry& entry) { return entry.status == status; }));
  }
  std::size_t opened() {
    std::lock_guard lock(mutex_);
    return opened_;
  }
  std::size_t closed() {
    std::lock_guard lock(mutex_);
    return closed_;
  }

 private:
  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::size_t opened_ = 0;
  std::size_t closed_ = 0;
  std::string tls_trouble_;
};

inline std::string get(std::string_view target, std::string_view fields = "") {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n";
}
inline std::string post(std::string_view fields, std::string_view body) {
  return "POST /echo HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n" + std::string(body);
}

// Everyone who listens to /events/{name}.
class Listeners {
 public:
  void add(const std::shared_ptr<EventStream>& stream, std::string name) {
    std::lock_guard lock(mutex_);
    streams_.push_back({stream, std::move(name)});
  }
  // Each gets an event with its own name as data. Returns how many took it.
  std::size_t send_to_all(const std::string& id) {
    std::lock_guard lock(mutex_);
    std::size_t taken = 0;
    for (const auto& [weak, name] : streams_) {
      const auto stream = weak.lock();
      if (stream && stream->send({id, "", name})) ++taken;
    }
    return taken;
  }
  std::weak_ptr<EventStream> last() {
    std::lock_guard lock(mutex_);
    return streams_.back().first;
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<std::weak_ptr<EventStream>, std::string>> streams_;
};

// The answers that /late/{id} still owes.
class DeferredOnes {
 public:
  Response take_on(const Request& request) {
    auto deferred = std::make_shared<DeferredResponse>();
    std::lock_guard lock(mutex_);
    owed_.push_back({deferred, std::string(request.param("id")), request.attempt});
    return Response::defer(std::move(deferred));
  }
  [[nodiscard]] std::size_t owed() {
    std::lock_guard lock(mutex_);
    return owed_.size();
  }
  // To all: the id that was asked for and the number of the attempt.
  void give() {
    for (auto& [deferred, id, attempt] : take()) {
      deferred->give(Response::text(200, "text/plain", id + "/" + std::to_string(attempt)));
    }
  }
  std::shared_ptr<DeferredResponse> last() {
    std::lock_guard lock(mutex_);
    return owed_.back().deferred;
  }
  void forget() { take(); }
  void retry() {
    for (auto& one : take()) one.deferred->retry();
  }

 private:
  struct Owed {
    std::shared_ptr<DeferredResponse> deferred;
    std::string id;
    int attempt;
  };
  std::vector<Owed> take() {
    std::lock_guard lock(mutex_);
    return std::exchange(owed_, {});
  }

  std::mutex mutex_;
  std::vector<Owed> owed_;
};

class RunningServer {
 public:
  explicit RunningServer(ServerOptions options = {}) : router(nullptr, clock) {
    router.add(Method::Get, "/hello", Access::Public,
               [](const Request&) { return Response::text(200, "text/plain", "hello"); });
    router.add(Method::Get, "/echo/{id}", Access::Public, [](const Request& request) {
      return Response::text(200, "text/plain", std::string(request.param("id")));
    });
    router.add(Method::Get, "/query", Access::Public, [](const Request& request) {
      return Response::text(200, "text/plain", std::string(request.query("q").value_or("none")));
    });
    router.add(Method::Post, "/echo", Access::Public, [](const Request& request) {
      return Response::text(200, "text/plain", request.body);
    });
    router.add(Method::Post, "/json", Access::Public, [](const Request& request) {
      const auto object = read_json_object(request);
      return object ? Response::json(200, *object) : object.response();
    });
    router.add(Method::Delete, "/thing", Access::Public,
               [](const Request&) { return Response::no_content(); });
    router.add(Method::Get, "/throw", Access::Public,
               [](const Request&) -> Response { throw std::runtime_error("secret of the house"); });
    router.add(Method::Get, "/large", Access::Public, [](const Request&) {
      return Response::text(200, "text/plain", std::string(32 * 1024 * 1024, 'x'));
    });
    router.add(Method::Get, "/wait", Access::Public, [this](const Request&) {
      gate.pass();
      return Response::text(200, "text/plain", "waited");
    });
    router.add(Method::Get, "/dated", Access::Public, [](const Request&) {
      auto response = Response::text(200, "text/plain", "dated");
      response.good_until = core::time_since_boot() + std::chrono::hours(1);
      return response;
    });
    router.add(Method::Get, "/late/{id}", Access::Public,
               [this](const Request& request) { return deferred.take_on(request); });
    router.add(Method::Get, "/events/{name}", Access::Public, [this](const Request& request) {
      auto stream = std::make_shared<EventStream>(stream_bytes_max);
      if (const auto seen = request.header("Last-Event-ID")) {
        stream->send({std::string(*seen) + "+1", "missed", "while away"});
      }
      listeners.add(stream, std::string(request.param("name")));
      return Response::event_stream(std::move(stream));
    });
    server = std::make_unique<Server>(std::move(options), router, clock, &observer);
    const auto status = server->start();
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  }
  ~RunningServer() {
    gate.open();
    server->stop();
  }

  [[nodiscard]] std::uint16_t port() const { return server->port(); }

  core::SystemClock clock;
  Gate gate;
  Listeners listeners;
  DeferredOnes deferred;
  std::size_t stream_bytes_max = kEventStreamBytesMax;
  RecordingObserver observer;
  Router router;
  std::unique_ptr<Server> server;
};

}  // namespace tideline::http::testing
