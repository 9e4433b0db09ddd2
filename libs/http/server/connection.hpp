// Inside libs/http: one client's connection, from its bytes to its answers.
//
// Requests are handled one after the other; what comes meanwhile waits in a bounded inbox. This
// object alone reads, writes and closes the socket, and all others name it by an id that is never
// used again: a deferred response, or a late call, cannot reach another client whose socket has got
// the same number.
//
// Three kinds of threads meet here, under one short lock: the connection's reactor (input), a
// worker (the handler, outside the lock) and the connection_registry (deadlines, slow writes).
// While a request is in flight only its worker answers. An answer that is read piece by piece goes
// back to a worker for each piece, once the one before is with the kernel. When the answer is a
// stream of events, those who send them come in as well.
//
// Answers to requests that were sent ahead go out together: one is held while the worker goes on
// with the next, but not behind a handler that takes its time (see release()).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.hpp"
#include "http/routing/deferred_response.hpp"
#include "http/routing/event_stream.hpp"
#include "http/server/channel.hpp"
#include "http/server/exchange.hpp"
#include "http/server/outbox.hpp"
#include "http/server/request_reader.hpp"
#include "http/server/server.hpp"
#include "http/server/worker_pool.hpp"

namespace tideline::http {

class Connection;

using SteadyTime = std::chrono::steady_clock::time_point;

// What connections need of their server; outlives them all.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  [[nodiscard]] virtual const ServerOptions& options() const = 0;
  [[nodiscard]] virtual const Router& router() const = 0;
  [[nodiscard]] virtual PositionWaits& position_waits() = 0;
  [[nodiscard]] virtual core::Timestamp now() const = 0;
  // Answers are their connections' last, and no streams are opened; so also while draining.
  [[nodiscard]] virtual bool retiring() const = 0;
  [[nodiscard]] virtual bool draining() const = 0;
  [[nodiscard]] virtual std::string draw_request_id() = 0;
  // A span for a request that came with `parent`.
  [[nodiscard]] virtual core::TraceContext draw_span(
      const std::optional<core::TraceContext>& parent) = 0;
  // Why there can be no stream for this request now. Each that was opened is told once when it has
  // ended.
  virtual std::optional<Problem> try_open_stream(const Request& request) = 0;
  virtual void stream_ended(const Request& request) = 0;
  // The permit for a large body, or why there is none. `source`: whose connection it is.
  virtual Parsed<BodyBudget::Permit> admit_body(const Request& head,
                                                std::optional<std::size_t> length,
                                                const std::string& source) = 0;
  virtual bool try_submit(std::shared_ptr<Task> task) = 0;
  // A request that waits for its answer without a worker, until it is resumed.
  virtual void put_aside() = 0;
  virtual void resume(std::shared_ptr<Task> task) = 0;
  // Calls on_readable() while there is input, until the descriptor is closed.
  virtual core::Status watch_input(std::uint64_t connection, int descriptor) = 0;
  virtual void unwatch_input(std::uint64_t connection, int descriptor) = 0;
  // Calls on_writable() once the socket takes bytes again. `watched` is false the first time.
  virtual void watch_writable(std::uint64_t connection, int descriptor, bool watched) = 0;
  // Calls release() some milliseconds later.
  virtual void release_soon(std::uint64_t connection) = 0;
  virtual void observe(const RequestRecord& record) = 0;
  // The connection is about to close its descriptor.
  virtual void forget(std::uint64_t connection) = 0;
  virtual void on_destroyed(const std::string& source) = 0;
};

class Connection final : public Task,
                         public EventStream::Listener,
                         public DeferredResponse::Listener,
                         public std::enable_shared_from_this<Connection> {
 public:
  // Owns `descriptor`, a connected, non-blocking socket; in clear without a session.
  // `source` is whose share of connections it counts for.
  Connection(std::uint64_t id, int descriptor, TlsSession session, std::string source,
             ConnectionHost& host);
  ~Connection() override;

  // Has its input watched from now on; closes if that cannot be.
  void begin();
  void on_readable();   // on its reactor
  void run() override;  // the request in flight or the next piece of its answer, on a worker
  void on_stream() override;
  void on_deferred_response() override;

  // By the connection_registry.
  void on_writable();
  void on_tick(SteadyTime now);
  // Sends the answers that are held behind the request in flight.
  void release();

  // By retire(): ends its stream; whether nothing has begun on it.
  bool rests();
  // By drain(): closes if no request has arrived; true when all answers are with the client and no
  // more follow.
  bool settle();
  // Closes now, whatever is going on. By stop().
  void abort();

 private:
  enum class Phase { Idle, Head, Body, InHand, Writing, Pulling, Streaming, Lingering, Closed };

  void close_stream();
  // All under mutex_.
  void on_bytes(std::string_view bytes);
  void on_end();
  void advance();
  [[nodiscard]] bool is_answering() const;
  std::optional<Problem> admit_body(const Request& head, std::optional<std::size_t> length);
  [[nodiscard]] std::chrono::milliseconds body_timeout() const;
  void accept_request();
  void refuse(const Problem& problem);
  void answer(const Response& response);
  void compose(const Response& response);
  [[nodiscard]] bool may_hold() const;
  void send_interim(std::string_view bytes);
  bool write_outbox();
  void flush_outbox();
  void pull();
  void admit_stream(Response& response);
  void pass_events_on();
  void beat();
  void end_stream();
  void answered(bool delivered);
  void report_held(bool delivered);
  void report(Exchange& exchange, bool delivered);
  void after_answer();
  void enter(Phase phase, std::chrono::milliseconds timeout);
  void expect_more(Phase phase, std::chrono::milliseconds timeout);
  void enter_undated(Phase phase);
  void linger();
  void finish(bool reset);
  [[nodiscard]] std::string_view waiting_bytes() const;
  void consume(std::size_t bytes);
  void prepare_ids(Request& request);

  Response dispatch(std::string& failure);
  void send_next_piece();
  void put_aside(std::shared_ptr<DeferredResponse> deferred);

  const std::uint64_t id_;
  const std::string source_;
  ConnectionHost& host_;
  mutable std::mutex mutex_;
  Channel channel_;
  std::atomic<Phase> phase_{Phase::Idle};
  std::atomic<SteadyTime::rep> deadline_{0};  // 0 = none
  SteadyTime message_deadline_;               // of the whole head, or body, that is being read
  RequestReader reader_;
  BodyBudget::Permit body_permit_;  // of the large body that is being read
  std::string inbox_;
  std::size_t inbox_begin_ = 0;
  bool inbox_overrun_ = false;
  bool input_ended_ = false;
  bool last_answer_ = false;
  bool watched_ = false;
  bool pulling_ = false;         // a worker has been asked for the next piece of rest_
  bool worker_goes_on_ = false;  // with the next request; taken back by accept_request()
  Outbox outbox_;
  Exchange exchange_;           // the one in flight
  std::vector<Exchange> held_;  // before exchange_: their answers are in the outbox
  std::shared_ptr<EventStream> stream_;
  std::shared_ptr<BodySource> rest_;  // of the answer that is being sent, while there is more
};

}  // namespace tideline::http
