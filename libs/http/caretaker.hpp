// Inside libs/http: the open connections, and one thread that looks after them: it lets their
// deadlines pass and goes on with writes for which a socket had no room.
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
#include "http/connection.hpp"

namespace tideline::http {

// Thread-safe. Connections may call add_write_watch and remove under their own lock; the caretaker
// never calls a connection under its own.
class Caretaker {
 public:
  Caretaker() = default;
  ~Caretaker();
  Caretaker(const Caretaker&) = delete;
  Caretaker& operator=(const Caretaker&) = delete;

  // Deadlines are looked at, and `on_tick` is called on the caretaker's thread, every `tick`.
  core::Status start(std::chrono::milliseconds tick, std::function<void()> on_tick);
  void stop();

  void add(std::uint64_t id, std::shared_ptr<Connection> connection);
  // The connection is kept until its caller's own reference is gone.
  std::shared_ptr<Connection> remove(std::uint64_t id);
  // Null when there is none of that id, or no more.
  [[nodiscard]] std::shared_ptr<Connection> find(std::uint64_t id) const;
  // One call of on_writable() when there is room again; a closed descriptor is forgotten.
  void watch_writable(std::uint64_t id, int descriptor, bool watched);

  [[nodiscard]] std::vector<std::shared_ptr<Connection>> all() const;
  [[nodiscard]] std::size_t size() const;

 private:
  void run(std::chrono::milliseconds tick, const std::function<void()>& on_tick);

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections_;
  int epoll_ = -1;
  int wake_ = -1;
  std::thread thread_;
};

}  // namespace tideline::http
