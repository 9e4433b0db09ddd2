// Inside libs/http: listens on one address and accepts connections, on a reactor thread: whoever
// connects costs no change of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "core/result.hpp"
#include "http/server/reactors.hpp"

namespace tideline::http {

// Of the other end of a connected socket, as bytes: an IPv4 address, or the network of an IPv6
// address (/64), all of which a client has for itself as a rule. Empty: it is gone.
std::string source_of(int descriptor);

// Thread-safe but for start(). The reactors run from before start() until after stop().
class Acceptor {
 public:
  // Under which the reactors watch the listening socket. Connections have others.
  static constexpr std::uint64_t kId = 0;

  // Called with a connected, non-blocking socket that it owns from then on; never twice at once.
  using OnConnection = std::function<void(int descriptor)>;

  explicit Acceptor(Reactors& reactors) : reactors_(reactors) {}
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  core::Status start(const std::string& address, std::uint16_t port, OnConnection on_connection);
  [[nodiscard]] std::uint16_t port() const { return port_; }
  // By the reactors.
  void on_readable();
  // To be called every now and then: accepting goes on after descriptors have run out.
  void resume();
  // Accepts what has connected already, then closes the listening socket: later connects are
  // refused. Idempotent.
  void stop();

 private:
  core::Status listen_on(const std::string& address, std::uint16_t port);
  void accept_some(int count_max);

  Reactors& reactors_;
  OnConnection on_connection_;
  std::mutex mutex_;
  int listening_ = -1;
  bool exhausted_ = false;  // of descriptors: not watched, or polling would spin
  std::uint16_t port_ = 0;
};

}  // namespace tideline::http
