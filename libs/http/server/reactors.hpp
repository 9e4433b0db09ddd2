// Inside libs/http: the threads that wait for sockets. The one place where Pistache is used.
//
// Pistache gives the event loops. Who is told reads its socket itself, and closes it: Pistache's
// connections, parser, router and responses are not used (README.md says why).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/result.hpp"

namespace tideline::http {

// Told on the reactor threads. Must not block or throw.
class ReadinessListener {
 public:
  virtual ~ReadinessListener() = default;
  // Around all that one wake-up of a thread brings.
  virtual void on_turn_begin() = 0;
  virtual void on_turn_end() = 0;
  // There is something to read, or the end: told again and again until it has been read. Never by
  // two threads at once for one id. May still come for what was unwatched, or closed, meanwhile.
  virtual void on_readable(std::uint64_t id) = 0;
};

// Thread-safe but for start() and stop().
class Reactors {
 public:
  Reactors();
  ~Reactors();

  // `listener` outlives the threads.
  core::Status start(std::size_t threads, ReadinessListener& listener);
  // Tells of `descriptor` under `id`, below 2^56 and nobody else's, until it is unwatched or
  // closed.
  core::Status watch(std::uint64_t id, int descriptor);
  // For a descriptor that is watched and open.
  void unwatch(std::uint64_t id, int descriptor);
  // Joins the threads.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tideline::http
