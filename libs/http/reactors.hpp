// Inside libs/http: the threads that read sockets. The one place where Pistache is used.
//
// Pistache gives the event loops and the life of a connection in them: it reads, tells its sink,
// and closes the descriptor after the end. Nothing is ever written through it, and its parser,
// router and responses are not used (README.md says why).
#pragma once

#include <cstddef>
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

class Reactors {
 public:
  Reactors();
  ~Reactors();

  core::Status start(std::size_t threads);
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
