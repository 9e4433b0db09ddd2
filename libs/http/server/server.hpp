// The HTTP/1.1 server: Pistache's event loops wait for sockets, the framing is our own and strict.
//
// Threads: start(), retire(), drain() and stop() from one owner thread. Handlers run on worker
// threads, never on a reactor, so they may block; requests of one connection are handled one after
// the other, in order. The observer is called from reactor, timer and worker threads.
//
// Every framing error is answered with a problem (400, 408, 411, 413, 414, 431, 501, 505) and
// closes its connection. A handler's exception becomes 500 without its text.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "http/messages/message.hpp"
#include "http/routing/router.hpp"
#include "http/tls/tls_server.hpp"

namespace tideline::http {

struct ServerOptions {
  // IPv4 or IPv6 address to listen on.
  std::string address = "127.0.0.1";
  // 0 = any free port; ask Server::port() after start().
  std::uint16_t port = 0;

  // Threads that read sockets and parse. Default 2. One serves some 80,000 small requests/s.
  std::size_t reactor_threads = 2;
  // Threads that run handlers. Default 16. Handlers wait for databases, so more than cores; as many
  // requests are in flight at once.
  std::size_t worker_threads = 16;
  // Complete requests that wait for a worker. Default 1,024. One more is answered 503 with
  // Retry-After before any work is done for it.
  std::size_t queued_requests_max = 1024;
  // Open connections. Default 10,000. One more is answered 503 with Retry-After and closed at once.
  // Each takes a descriptor: start() raises the process's soft limit if it can, else fewer
  // connections are taken.
  std::size_t connections_max = 10000;

  // Of these, from one address (IPv6: one /64). Default 0: half of those that are taken. One more
  // is treated alike. Gateways bring the connections of many, and each needs some 1,000.
  std::size_t connections_per_source_max = 0;
  // Clients must show a certificate then; without, HTTP is spoken in clear. The process must ignore
  // SIGPIPE: OpenSSL's writes raise it.
  std::optional<TlsOptions> tls = std::nullopt;

  // Open event streams. Default 1,000. One more is answered 503 with Retry-After.
  std::size_t streams_max = 1000;
  // Of these, for one account. Default 16. One more is answered 429 with Retry-After.
  std::size_t streams_per_account_max = 16;

  // How long a request waits in all for what its position token asks for. Default 2 s. Then it is
  // answered as its route says: with what there is, marked as stale, or 503 with Retry-After.
  std::chrono::milliseconds position_wait_max{2000};

  // Body after de-chunking. Default 1 MiB. Larger: 413, but where the route takes more
  // (RouteLimits): that is a large body.
  std::size_t body_bytes_max = 1024 * 1024;
  // Of all large bodies that are being read or handled. Default 128 MiB. Beyond: 503 with
  // Retry-After.
  std::size_t large_bodies_bytes_max = 128 * 1024 * 1024;
  // Large bodies at once of one account, or of one address where the route asks for no account.
  // Default 2. One more is answered 429 with Retry-After.
  std::size_t large_bodies_per_holder_max = 2;
  // Request line and all header fields. Default 16 KiB. Larger: 431.
  std::size_t head_bytes_max = 16 * 1024;
  // Header fields. Default 100. More: 431.
  std::size_t header_count_max = 100;
  // Request line. Default 8 KiB. Longer: 414.
  std::size_t request_line_bytes_max = 8 * 1024;
  // Bytes that a client may send ahead (pipelining) of the request in flight. Default 64 KiB. More:
  // the connection is closed after the answers that are due.
  std::size_t pipelined_bytes_max = 64 * 1024;

  // From the connection to its first byte. Default 10 s. Longer: closed without a word.
  std::chrono::milliseconds first_byte_timeout{10'000};
  // Between two bytes of a head or a body. Default 5 s. Longer: 408.
  std::chrono::milliseconds pause_timeout{5'000};
  // From the first byte of a head to its end. Default 10 s. Longer: 408.
  std::chrono::milliseconds header_timeout{10'000};
  // From the end of the head to the end of the body. Default 30 s. Longer: 408.
  std::chrono::milliseconds body_timeout{30'000};
  // Bytes a second that a large body may ask for at least: its length at this rate is added to
  // body_timeout. Default 128 KiB, 1 Mbit/s.
  std::size_t large_body_rate_min = 128 * 1024;
  // After an answer, without a next request begun. Default 60 s. Longer: closed without a word.
  std::chrono::milliseconds idle_timeout{60'000};
  // For a whole response to be taken by the client, or for one piece of a body that is read piece
  // by piece. Default 10 s. Longer: the connection is reset.
  // What a slow client has not taken yet occupies memory, never a thread.
  std::chrono::milliseconds write_timeout{10'000};
  // Without an event on a stream: then a comment is sent. Default 15 s, below what gateways wait.
  std::chrono::milliseconds heartbeat_interval{15'000};

  // Share (0 to 1) of the requests without a trace of their own whose new trace says "sampled".
  // Default 0: nobody exports spans. A trace that came with the request keeps its flag.
  double traces_sampled = 0;
};

// What is told about each request that was answered or given up. Views live for the call only.
struct RequestRecord {
  std::string_view route_template;  // empty: no route matched, or the request was malformed
  std::string_view method;          // empty when malformed
  int status = 0;                   // as sent
  // From the end of the request to the end of the write; of a stream, of its head.
  std::chrono::nanoseconds duration{0};
  std::size_t request_bytes = 0;   // body
  std::size_t response_bytes = 0;  // body
  bool delivered = false;          // false: the client was gone or too slow
  std::string_view request_id;
  std::string_view correlation_id;
  std::string_view traceparent;          // of the span that this request is; empty when malformed
  std::string_view parent_span_id;       // of the span that the client sent; empty: none
  const Principal* principal = nullptr;  // null: not signed in
  std::string_view failure;  // what() of a handler's exception: for the log, never for a client
};

// Port for metrics and logs. Must not block or throw.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  virtual void on_request(const RequestRecord& record) = 0;
  virtual void on_connection_opened() {}
  virtual void on_connection_closed() {}
  // Files of TLS have changed and cannot be used; those from before still are.
  virtual void on_tls_trouble(std::string_view) {}
};

class Server {
 public:
  // Router and observer must outlive the server; `observer` may be null. `clock` gives the Date
  // header; timeouts run on the steady clock.
  Server(ServerOptions options, const Router& router, const core::Clock& clock,
         RequestObserver* observer = nullptr);
  ~Server();  // stops
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Binds and listens; returns when connections are accepted. An error names address and port,
  // or the file of TLS that cannot be used.
  core::Status start();
  // The port that is bound; 0 before start().
  [[nodiscard]] std::uint16_t port() const;
  // Requests queued or in flight.
  [[nodiscard]] std::size_t requests_in_flight() const;
  // Of these, how many wait for what their position token says.
  [[nodiscard]] std::size_t requests_waiting() const;
  [[nodiscard]] std::size_t connections() const;
  [[nodiscard]] std::size_t streams() const;
  // Of the large bodies that are being read or handled.
  [[nodiscard]] std::size_t large_body_bytes() const;

  // Before drain(): goes on, but says with each answer that it is about to stop (kStoppingHeader)
  // and that this was the connection's last, and ends event streams. So who sends requests here
  // goes elsewhere, and none of them comes to a port that nobody listens on. Blocks for `at_least`,
  // then until nothing has been begun, or `at_most` after the call.
  void retire(std::chrono::milliseconds at_least, std::chrono::milliseconds at_most);
  // Refuses new connections, finishes requests that have begun (their answers say "Connection:
  // close"), ends event streams, closes connections on which nothing has arrived. Blocks until all
  // are answered, and the clients' kernels have the answers, or `deadline` has passed; true = all
  // were answered. Call stop() afterwards.
  bool drain(std::chrono::milliseconds deadline);
  // Closes everything and joins all threads; waits for handlers that are running. Idempotent.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tideline::http
