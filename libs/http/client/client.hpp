// Asks another server, over HTTP/1.1: what one instance of a service passes on to another one.
//
// Connections stay open for the next request. What comes back is not looked into: it is for whoever
// the request was from.
//
// Threads: get() from any, and it never waits; answers are told on the client's own thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "http/messages/message.hpp"
#include "http/tls/identity.hpp"

namespace tideline::http {

struct OutgoingRequest {
  std::string address;  // host:port
  std::string path;     // as it stands in the request line
  Parameters query;     // decoded
  Headers headers;
};

// For servers that ask for a certificate.
struct ClientTls {
  TlsIdentity identity;
  std::string server;  // DNS name that the server's certificate must have, whatever its address
};

struct ClientOptions {
  // In clear without.
  std::optional<ClientTls> tls = std::nullopt;

  // More requests at once are refused.
  std::size_t in_flight_max = 1'000;
  // A larger answer is an error.
  std::size_t body_bytes_max = 16 * 1024 * 1024;
  std::chrono::milliseconds connect_timeout{500};
  // From the request to the end of the answer.
  std::chrono::milliseconds timeout{5'000};
};

class Client {
 public:
  // Unavailable: nobody is there, or too much is in flight: the other side has not got the request.
  // Timeout: no answer, or not all of it. Must be quick, for the other answers wait.
  using Then = std::function<void(core::Result<Response>)>;

  explicit Client(ClientOptions options = {});
  // What is in flight is told that it is Unavailable.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Calls back once; when it is refused, before it returns.
  void get(const OutgoingRequest& request, Then then);

 private:
  class Transfers;
  std::unique_ptr<Transfers> transfers_;
};

}  // namespace tideline::http
