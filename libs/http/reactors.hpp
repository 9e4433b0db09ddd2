// Inside libs/http: the threads that read sockets. The one place where Pistache is used.
//
// Pistache gives the event loops and the life of a connection in them: it reads, tells its sink,
// and closes the descriptor after the end. Nothing is ever written through it, and its parser,
// router and responses are not used (README.md says why).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "core/result.hpp"

namespace tideline::http {

// Told by one reactor thread, never by two at once. Must not block or throw.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void on_bytes(std::string_view bytes) = 0;
  // The client has sent its last byte, or is gone: nothing follows. The reactor closes its
  // descriptor right after.
  virtual void on_end() = 0;
};

// Told on each reactor thread around the calls of sinks and watches that one wake-up brings.
class TurnListener {
 public:
  virtual ~TurnListener() = default;
  virtual void on_turn_begin() = 0;
  virtual void on_turn_end() = 0;
};

class Reactors {
 public:
  Reactors();
  ~Reactors();

  // `turns` outlives the threads.
  core::Status start(std::size_t threads, TurnListener& turns);
  // Calls `on_readable` on one reactor thread, again and again while there is something to read.
  // One descriptor at a time; it stays the caller's. Must not block or throw.
  core::Status watch(int descriptor, std::function<void()> on_readable);
  // A call that has begun may still be going on afterwards. Not for a descriptor that was closed.
  void unwatch(int descriptor);
  // Takes over a connected, non-blocking socket, also when it fails. The sink is kept until after
  // its on_end(). To end a connection from outside, shut its socket down. Thread-safe.
  core::Status adopt(int descriptor, std::shared_ptr<ByteSink> sink);
  // Whether a thread may have taken bytes from a socket that it has not handed to the sink yet.
  // While this is false, all bytes that are not in the kernel any more have been handed over.
  // Thread-safe.
  [[nodiscard]] bool reading() const;
  // Joins the threads. Descriptors whose on_end() was not told yet stay open: end them before.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tideline::http
