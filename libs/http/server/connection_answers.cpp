// Inside libs/http: the part of a connection that sends answers: whole, piece by piece, as streams.
#include <utility>

#include "http/messages/body_source.hpp"
#include "http/server/connection.hpp"
#include "http/server/wire_format.hpp"

namespace tideline::http {
namespace {

// Larger pieces cost no fewer calls of the kernel to speak of.
constexpr std::size_t kHeldBytesMax = 16 * 1024;

}  // namespace

void Connection::answer(const Response& response) {
  compose(response);
  flush_outbox();
}

// Behind what is held.
void Connection::compose(const Response& response) {
  // Requests that have come already are still answered, on a drain and after the client's end.
  const bool no_more = (input_ended_ || host_.retiring()) && waiting_bytes().empty();
  const bool keep_alive = exchange_.keep_alive && !exchange_.malformed && !no_more && !stream_;
  WireContext context;
  context.keep_alive = keep_alive;
  context.stopping = host_.retiring();
  context.http_1_0 = exchange_.http_1_0;
  context.head_only = exchange_.request.method == Method::Head;
  context.request_id = exchange_.request.request_id;
  context.correlation_id = exchange_.request.correlation_id;
  context.now = host_.now();
  std::string bytes = to_wire(response, context);
  // As late as can be: the one that is stopped between this and the call that sends it sends it
  // later.
  if (response.good_until && *response.good_until < core::time_since_boot()) {
    return compose(to_response(unavailable("the answer took too long, try again")));
  }
  last_answer_ = !keep_alive;
  exchange_.drop_body();
  exchange_.status = response.status;
  exchange_.response_bytes = response.body.size();
  if (response.source && !context.head_only && response.source->left() > 0) {
    exchange_.response_bytes += response.source->left();
    rest_ = response.source;
  }
  exchange_.outbox_end = outbox_.append(std::move(bytes));
}

bool Connection::may_hold() const {
  return !last_answer_ && !stream_ && !rest_ && !waiting_bytes().empty() &&
         outbox_.unsent() < kHeldBytesMax;
}

void Connection::send_interim(std::string_view bytes) {
  // The socket has room for so little unless the client misbehaves. In TLS what was begun would
  // have to go on before anything else.
  if (channel_.send(bytes) != bytes.size()) finish(true);
}

// True when everything is out; else it goes on when there is room, or the client is gone.
bool Connection::write_outbox() {
  switch (outbox_.send_to(channel_)) {
    case Outbox::Sent::All:
      return true;
    case Outbox::Sent::Part:
      if (phase_ != Phase::Writing) enter(Phase::Writing, host_.options().write_timeout);
      host_.watch_writable(id_, channel_.descriptor(), std::exchange(watched_, true));
      return false;
    case Outbox::Sent::Refused:
      answered(false);
      finish(true);
      return false;
  }
  return false;
}

// Whether the client is gone is found out with the answer to the request in flight.
void Connection::release() {
  std::lock_guard lock(mutex_);
  if (phase_ != Phase::InHand || outbox_.empty()) return;
  switch (outbox_.send_to(channel_)) {
    case Outbox::Sent::All:
      return report_held(true);
    case Outbox::Sent::Part:
      return host_.release_soon(id_);
    case Outbox::Sent::Refused:
      return;
  }
}

void Connection::flush_outbox() {
  if (!write_outbox()) return;
  if (rest_) return pull();
  answered(true);
  if (stream_) return pass_events_on();
  after_answer();
}

// With an empty outbox. The next piece is read by a worker: this may be a thread that must not wait
// for a database.
void Connection::pull() {
  report_held(true);
  enter_undated(Phase::Pulling);
  pulling_ = true;
  host_.put_aside();
  host_.resume(shared_from_this());
}

// On a worker, which alone touches rest_ meanwhile. The time to take it runs for each piece.
void Connection::send_next_piece() {
  std::string piece;
  std::string failure;
  try {
    piece = rest_->take();
  } catch (const std::exception& error) {
    failure = error.what();
  } catch (...) {
    failure = "a body threw something that is no std::exception";
  }
  std::lock_guard lock(mutex_);
  if (phase_ != Phase::Pulling) return;
  if (piece.empty()) {
    // Its length was told already: only the end of the connection says that there is no more.
    exchange_.failure = std::move(failure);
    answered(false);
    return finish(true);
  }
  if (rest_->left() == 0) rest_.reset();
  outbox_.append(std::move(piece));
  flush_outbox();
  advance();
}

// Takes the stream on, or replaces the response where there cannot be one.
void Connection::admit_stream(Response& response) {
  if (phase_ != Phase::InHand || exchange_.request.method == Method::Head) {
    return response.events->abandon();
  }
  std::optional<Problem> refusal;
  if (input_ended_ || host_.retiring()) {
    refusal = unavailable("no more streams are opened now, try again");
  } else {
    refusal = host_.try_open_stream(exchange_.request);
  }
  if (refusal) {
    response.events->abandon();
    response = to_response(*refusal);
    return;
  }
  stream_ = response.events;
  stream_->attach(weak_from_this());
}

void Connection::on_stream() {
  std::lock_guard lock(mutex_);
  if (!stream_) return;
  if (phase_ == Phase::Streaming) return pass_events_on();
  if (phase_ == Phase::Writing && stream_->state() == EventStream::State::Overrun) finish(true);
}

// With an empty outbox. What is sent meanwhile waits in the stream, which bounds it.
void Connection::pass_events_on() {
  for (;;) {
    const auto portion = stream_->take();
    if (portion.state == EventStream::State::Overrun) return finish(true);
    const bool last = portion.state == EventStream::State::Closed;
    if (portion.bytes.empty() && !last) {
      return enter(Phase::Streaming, host_.options().heartbeat_interval);
    }
    outbox_.append(exchange_.http_1_0 ? portion.bytes : to_chunk(portion.bytes));
    if (last && !exchange_.http_1_0) outbox_.append(std::string(kLastChunk));
    if (last) end_stream();
    // The time to take it runs for each portion.
    enter_undated(Phase::Streaming);
    if (!write_outbox()) return;
    if (last) return after_answer();
  }
}

void Connection::beat() {
  constexpr std::string_view kComment = ":\n\n";
  outbox_.append(exchange_.http_1_0 ? std::string(kComment) : to_chunk(kComment));
  enter_undated(Phase::Streaming);
  if (write_outbox()) pass_events_on();
}

void Connection::end_stream() {
  if (!stream_) return;
  stream_.reset();
  host_.stream_ended(exchange_.request);
}

void Connection::answered(bool delivered) {
  report_held(delivered);
  report(exchange_, delivered);
}

void Connection::report_held(bool delivered) {
  for (Exchange& exchange : held_) {
    report(exchange, delivered || outbox_.has_sent(exchange.outbox_end));
  }
  held_.clear();
}

void Connection::report(Exchange& exchange, bool delivered) {
  if (!std::exchange(exchange.reported, true)) host_.observe(exchange.record(delivered));
}

void Connection::after_answer() {
  if (!last_answer_) return enter(Phase::Idle, host_.options().idle_timeout);
  // Who has said that this was the last request sends no more, so there is nothing to linger for.
  const bool said_last = !exchange_.keep_alive && !exchange_.malformed && !stream_;
  if (said_last && !host_.draining() && waiting_bytes().empty() && !channel_.has_input()) {
    return finish(false);
  }
  linger();
}

}  // namespace tideline::http
