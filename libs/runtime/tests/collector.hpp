// A collector of spans for tests, on a port of its own.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "http/messages/json.hpp"
#include "http/server/server.hpp"
#include "observability/span_exporter.hpp"

namespace tideline::runtime::testing {

using http::Json;

inline const std::string kTraceId = "0af7651916cd43dd8448eb211c80319c";
inline const std::string kSpanId = "b7ad6b7169203331";

inline core::SystemClock system_clock_;

// Keeps the spans that it is sent; answers only once it is open.
class Collector {
 public:
  explicit Collector(int status = 200) : router_(nullptr, system_clock_) {
    router_.add(http::Method::Post, "/v1/traces", http::Access::Public,
                [this, status](const http::Request& request) {
                  std::unique_lock lock(mutex_);
                  ++asked_;
                  changed_.notify_all();
                  changed_.wait_for(lock, std::chrono::seconds(20), [this] { return open_; });
                  const auto sent = Json::parse(request.body);
                  for (const auto& resource : sent["resourceSpans"]) {
                    service_ = resource["resource"]["attributes"][0]["value"]["stringValue"];
                    for (const auto& scope : resource["scopeSpans"]) {
                      for (const auto& span : scope["spans"]) spans_.push_back(span);
                    }
                  }
                  changed_.notify_all();
                  return http::Response::json(status, Json::object());
                });
    server_ = std::make_unique<http::Server>(http::ServerOptions(), router_, system_clock_);
    EXPECT_TRUE(server_->start().ok());
  }
  ~Collector() {
    set_open(true);
    server_->stop();
  }

  std::string endpoint() const {
    return "http://127.0.0.1:" + std::to_string(server_->port()) + "/v1/traces";
  }
  void set_open(bool open) {
    const std::lock_guard lock(mutex_);
    open_ = open;
    changed_.notify_all();
  }
  bool wait_until_asked() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), [this] { return asked_ > 0; });
  }
  std::vector<Json> await_spans(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(10), [&] { return spans_.size() >= count; });
    return spans_;
  }
  std::string service() {
    const std::lock_guard lock(mutex_);
    return service_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int asked_ = 0;
  std::vector<Json> spans_;
  std::string service_;
  http::Router router_;
  std::unique_ptr<http::Server> server_;
};

inline observability::SpanExporterOptions quick_options(const std::string& endpoint) {
  observability::SpanExporterOptions options;
  options.endpoint = endpoint;
  options.service = "tideline-feed";
  options.interval = std::chrono::milliseconds(5);
  return options;
}

inline std::string attribute(const Json& span, const std::string& key) {
  for (const auto& found : span["attributes"]) {
    if (found["key"] != key) continue;
    return found["value"].begin()->get<std::string>();
  }
  return "none";
}

}  // namespace tideline::runtime::testing
