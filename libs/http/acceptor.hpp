// Inside libs/http: listens on one address and accepts connections on a thread of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "core/result.hpp"

namespace tideline::http {

class Acceptor {
 public:
  // Called on the acceptor's thread with a connected, non-blocking socket that it owns from then
  // on.
  using OnConnection = std::function<void(int descriptor)>;

  Acceptor() = default;
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  core::Status start(const std::string& address, std::uint16_t port, OnConnection on_connection);
  [[nodiscard]] std::uint16_t port() const { return port_; }
  // Accepts what has connected already, then closes the listening socket: later connects are
  // refused. Joins the thread. Idempotent.
  void stop();

 private:
  core::Status listen_on(const std::string& address, std::uint16_t port);
  void run();
  void accept_all();

  OnConnection on_connection_;
  int listening_ = -1;
  int wake_ = -1;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace tideline::http
