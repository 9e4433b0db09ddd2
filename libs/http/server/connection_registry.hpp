// Inside libs/http: the open connections, and one thread that looks after them: it lets their
// deadlines pass, goes on with writes for which a socket had no room, and releases held answers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/result.hpp"
#include "http/server/connection.hpp"

namespace tideline::http {

// Thread-safe. Connections may call watch_writable, release_soon and remove under their own lock;
// the connection_registry never calls a connection under its own.
class ConnectionRegistry {
 public:
  ConnectionRegistry() = default;
  ~ConnectionRegistry();
  ConnectionRegistry(const ConnectionRegistry&) = delete;
  ConnectionRegistry& operator=(const ConnectionRegistry&) = delete;

  // Deadlines are looked at, and `on_tick` is called on the connection_registry's thread, every
  // `tick`.
  core::Status start(std::chrono::milliseconds tick, std::function<void()> on_tick);
  void stop();

  void add(std::uint64_t id, std::shared_ptr<Connection> connection);
  // The connection is kept until its caller's own reference is gone.
  std::shared_ptr<Connection> remove(std::uint64_t id);
  // Null when there is none of that id, or no more.
  [[nodiscard]] std::shared_ptr<Connection> find(std::uint64_t id) const;
  // One call of on_writable() when there is room again; a closed descriptor is forgotten.
  void watch_writable(std::uint64_t id, int descriptor, bool watched);

  // One call of release(), some milliseconds later.
  void release_soon(std::uint64_t id);

  [[nodiscard]] std::vector<std::shared_ptr<Connection>> all() const;
  [[nodiscard]] std::size_t size() const;

 private:
  [[nodiscard]] bool watch(int descriptor, std::uint64_t id) const;
  void release_held();
  void run(std::chrono::milliseconds tick, const std::function<void()>& on_tick);

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections_;
  std::vector<std::uint64_t> held_;  // connections with answers to release; then the timer runs
  int epoll_ = -1;
  int wake_ = -1;
  int release_timer_ = -1;
  std::thread thread_;
};

}  // namespace tideline::http
