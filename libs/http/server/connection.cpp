#include "http/server/connection.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/check.hpp"
#include "core/clock.hpp"
#include "http/messages/body_source.hpp"
#include "http/messages/representation.hpp"

namespace tideline::http {
namespace {

// After the last answer the client may still be sending; closing at once would reset the
// connection, and the answer could be lost with it.
constexpr std::chrono::milliseconds kLinger{2000};
constexpr std::size_t kInboxCompactBytes = 16 * 1024;
constexpr std::size_t kRequestIdBytesMax = 128;
constexpr std::size_t kRequestsPerTurn = 16;

FramingLimits limits_of(const ServerOptions& options) {
  return {options.body_bytes_max, options.head_bytes_max, options.header_count_max,
          options.request_line_bytes_max};
}

bool is_acceptable_id(std::string_view id) {
  return !id.empty() && id.size() <= kRequestIdBytesMax &&
         std::all_of(id.begin(), id.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace

Connection::Connection(std::uint64_t id, int descriptor, TlsSession session, std::string source,
                       ConnectionHost& host)
    : id_(id),
      source_(std::move(source)),
      host_(host),
      channel_(descriptor, std::move(session)),
      reader_(limits_of(host.options()),
              [this](const Request& head, std::optional<std::size_t> length) {
                return admit_body(head, length);
              }) {
  std::lock_guard lock(mutex_);
  enter(Phase::Idle, host_.options().first_byte_timeout);
}

Connection::~Connection() {
  channel_.close(false);
  host_.on_destroyed(source_);
}

void Connection::begin() {
  std::lock_guard lock(mutex_);
  if (phase_ != Phase::Closed && !host_.watch_input(id_, channel_.descriptor())) finish(true);
}

void Connection::on_readable() {
  std::array<char, Channel::kReadBytes> bytes;
  std::lock_guard lock(mutex_);
  if (phase_ == Phase::Closed || input_ended_) return;
  // If there is more, this is called again: others have their turn first.
  const Channel::Input input = channel_.receive(bytes);
  switch (input.got) {
    case Channel::Got::Bytes:
      return on_bytes({bytes.data(), input.size});
    case Channel::Got::Nothing:
      return;
    case Channel::Got::End:
      return on_end();
  }
}

void Connection::on_bytes(std::string_view bytes) {
  const Phase phase = phase_;
  if (phase == Phase::Lingering || phase == Phase::Closed || inbox_overrun_) return;
  if (is_answering()) {
    // Cut at the limit, not before: complete requests ahead of the cut are still answered.
    const std::size_t room = host_.options().pipelined_bytes_max -
                             std::min(host_.options().pipelined_bytes_max, waiting_bytes().size());
    inbox_overrun_ = bytes.size() > room;
    inbox_.append(bytes.substr(0, room));
    return;
  }
  inbox_.append(bytes);
  advance();
}

// The client has sent its last byte, or is gone.
void Connection::on_end() {
  input_ended_ = true;
  // A client may close its sending side and still wait for the answers that are due. One that
  // listens to a stream has gone: it would stay open for ever otherwise.
  if (stream_ || !is_answering()) return finish(false);
  // The end would be told of without end.
  host_.unwatch_input(id_, channel_.descriptor());
}

bool Connection::is_answering() const {
  const Phase phase = phase_;
  return phase == Phase::InHand || phase == Phase::Writing || phase == Phase::Pulling ||
         phase == Phase::Streaming;
}

std::optional<Problem> Connection::admit_body(const Request& head,
                                              std::optional<std::size_t> length) {
  auto admitted = host_.admit_body(head, length, source_);
  if (!admitted) return admitted.problem();
  body_permit_ = std::move(*admitted);
  return std::nullopt;
}

// So that who sends a large body at a bearable rate is not cut off; a pause still is.
std::chrono::milliseconds Connection::body_timeout() const {
  const ServerOptions& options = host_.options();
  if (reader_.body_bytes() <= options.body_bytes_max) return options.body_timeout;
  return options.body_timeout +
         std::chrono::milliseconds(reader_.body_bytes() * 1000 / options.large_body_rate_min);
}

void Connection::advance() {
  while (phase_ == Phase::Idle || phase_ == Phase::Head || phase_ == Phase::Body) {
    const auto step = reader_.advance(waiting_bytes());
    consume(step.consumed);
    if (step.progress == Progress::Complete) {
      accept_request();
      continue;
    }
    if (!outbox_.empty()) {
      // There is no next request to hold the answers for.
      flush_outbox();
      continue;
    }
    if (step.progress == Progress::Refused) return refuse(reader_.refusal());
    if (inbox_overrun_) return linger();
    if (input_ended_) return finish(false);
    if (step.progress == Progress::NeedBody) {
      expect_more(Phase::Body, body_timeout());
      if (reader_.take_continue()) send_interim("HTTP/1.1 100 Continue\r\n\r\n");
      return;
    }
    if (waiting_bytes().empty()) {
      if (host_.draining()) return linger();
      if (phase_ != Phase::Idle) enter(Phase::Idle, host_.options().idle_timeout);
    } else {
      expect_more(Phase::Head, host_.options().header_timeout);
    }
    return;
  }
}

void Connection::accept_request() {
  if (!outbox_.empty()) {
    if (held_.empty()) host_.release_soon(id_);
    held_.push_back(std::move(exchange_));
  }
  exchange_ = Exchange();
  exchange_.keep_alive = reader_.keep_alive();
  exchange_.http_1_0 = reader_.is_http_1_0();
  exchange_.request = reader_.take();
  exchange_.body_permit = std::move(body_permit_);
  exchange_.began = std::chrono::steady_clock::now();
  prepare_ids(exchange_.request);
  enter_undated(Phase::InHand);
  if (std::exchange(worker_goes_on_, false)) return;
  if (host_.try_submit(shared_from_this())) return;
  answer(to_response(unavailable("the server has more to do than it can, try again")));
}

void Connection::prepare_ids(Request& request) {
  const auto id = request.header("X-Request-Id");
  request.request_id = id && is_acceptable_id(*id) ? std::string(*id) : host_.draw_request_id();
  const auto correlation = request.header("X-Correlation-Id");
  request.correlation_id = correlation && is_acceptable_id(*correlation) ? std::string(*correlation)
                                                                         : request.request_id;
  // Several are as good as none: nobody could say which one is meant.
  std::optional<core::TraceContext> parent;
  if (request.headers.count("traceparent") == 1) {
    parent = core::TraceContext::parse(*request.header("traceparent"),
                                       request.headers.joined("tracestate"));
  }
  if (parent) exchange_.parent_span_id = parent->span_id();
  request.traceparent = host_.draw_span(parent).text();
}

void Connection::refuse(const Problem& problem) {
  reader_.abandon();
  body_permit_.give_back();
  exchange_ = Exchange();
  exchange_.malformed = true;
  exchange_.request.request_id = host_.draw_request_id();
  exchange_.request.correlation_id = exchange_.request.request_id;
  exchange_.began = std::chrono::steady_clock::now();
  enter_undated(Phase::InHand);
  answer(to_response(problem));
}

void Connection::run() {
  if (std::exchange(pulling_, false)) return send_next_piece();
  // What was sent ahead is answered by the same worker, without waking another one each time, but
  // not so much of it that others would wait long.
  for (std::size_t turn = 1; turn <= kRequestsPerTurn; ++turn) {
    // Only this worker touches exchange_ while the request is in flight.
    std::string failure;
    Response response = dispatch(failure);
    if (response.deferred) return put_aside(std::move(response.deferred));
    std::lock_guard lock(mutex_);
    if (response.events) admit_stream(response);
    if (phase_ != Phase::InHand) return;
    exchange_.failure = std::move(failure);
    compose(response);
    worker_goes_on_ = turn < kRequestsPerTurn;
    if (worker_goes_on_ && may_hold() && !response.good_until) {
      enter_undated(Phase::Idle);
    } else {
      flush_outbox();
    }
    advance();
    const bool next_is_ours = turn < kRequestsPerTurn && !worker_goes_on_;
    worker_goes_on_ = false;
    if (!next_is_ours) return;
  }
}

// With the last word to exchange_: another worker may go on with the request before this returns.
void Connection::put_aside(std::shared_ptr<DeferredResponse> deferred) {
  exchange_.deferred = deferred;
  host_.put_aside();
  deferred->attach(weak_from_this());
}

void Connection::on_deferred_response() { host_.resume(shared_from_this()); }

Response Connection::dispatch(std::string& failure) {
  try {
    if (exchange_.request.path == "*") return Response::no_content();
    exchange_.request.position_waits = &host_.position_waits();
    const auto deferred = std::exchange(exchange_.deferred, nullptr);
    Response response = deferred ? deferred->finish() : host_.router().dispatch(exchange_.request);
    if (response.deferred) return response;
    if (response.status >= 200 && response.status <= 599) {
      response = represent(exchange_.request, std::move(response));
      const bool has_body = exchange_.request.method != Method::Head && response.source;
      if (has_body && response.source->left() > 0) response.body = response.source->take();
      return response;
    }
    failure = "a handler answered status " + std::to_string(response.status);
  } catch (const std::exception& error) {
    failure = error.what();
  } catch (...) {
    failure = "a handler threw something that is no std::exception";
  }
  return to_response(internal_error());
}

void Connection::on_writable() {
  std::lock_guard lock(mutex_);
  if (phase_ != Phase::Writing) return;
  flush_outbox();
  advance();
}

void Connection::on_tick(SteadyTime now) {
  const auto passed = [&] {
    const auto deadline = deadline_.load(std::memory_order_relaxed);
    return deadline != 0 && now.time_since_epoch().count() >= deadline;
  };
  if (!passed()) return;
  std::lock_guard lock(mutex_);
  if (!passed()) return;
  switch (phase_) {
    case Phase::Idle:
    case Phase::Lingering:
      return finish(false);
    case Phase::Head:
    case Phase::Body:
      return refuse(problem(408, "request-timeout", "The request took too long",
                            "send the whole request without pauses"));
    case Phase::Writing:
      answered(false);
      return finish(true);
    case Phase::Streaming:
      return beat();
    case Phase::InHand:
    case Phase::Pulling:
    case Phase::Closed:
      return;
  }
}

void Connection::close_stream() {
  std::shared_ptr<EventStream> stream;
  {
    std::lock_guard lock(mutex_);
    stream = stream_;
  }
  // Comes back by on_stream(), without the lock.
  if (stream) stream->close();
}

bool Connection::rests() {
  close_stream();
  std::lock_guard lock(mutex_);
  return phase_ == Phase::Closed || phase_ == Phase::Lingering ||
         (phase_ == Phase::Idle && !channel_.has_input());
}

bool Connection::settle() {
  close_stream();
  std::lock_guard lock(mutex_);
  // A request may have arrived that the reactor has not been told of yet.
  if (phase_ == Phase::Idle && !channel_.has_input()) linger();
  return phase_ == Phase::Closed || (phase_ == Phase::Lingering && channel_.all_taken());
}

void Connection::abort() {
  std::lock_guard lock(mutex_);
  // A reset would take back what the client's kernel has not got yet of a last answer.
  if (phase_ != Phase::Closed) finish(phase_ != Phase::Lingering);
}

void Connection::enter(Phase phase, std::chrono::milliseconds timeout) {
  phase_ = phase;
  deadline_ = (std::chrono::steady_clock::now() + timeout).time_since_epoch().count();
}

// The message must be whole in time, and come without long pauses.
void Connection::expect_more(Phase phase, std::chrono::milliseconds timeout) {
  const auto now = std::chrono::steady_clock::now();
  if (phase_ != phase) message_deadline_ = now + timeout;
  phase_ = phase;
  deadline_ =
      std::min(message_deadline_, now + host_.options().pause_timeout).time_since_epoch().count();
}

void Connection::enter_undated(Phase phase) {
  phase_ = phase;
  deadline_ = 0;
}

void Connection::linger() {
  if (input_ended_) return finish(false);
  channel_.end_sending();
  inbox_ = std::string();
  inbox_begin_ = 0;
  enter(Phase::Lingering, kLinger);
}

void Connection::finish(bool reset) {
  if (phase_ == Phase::Closed) return;
  enter_undated(Phase::Closed);
  report_held(false);
  if (stream_) stream_->abandon();
  end_stream();
  reader_.abandon();
  body_permit_.give_back();
  host_.forget(id_);
  channel_.close(reset);
}

std::string_view Connection::waiting_bytes() const {
  return std::string_view(inbox_).substr(inbox_begin_);
}

void Connection::consume(std::size_t bytes) {
  inbox_begin_ += bytes;
  CHECK(inbox_begin_ <= inbox_.size(), "only what is there can be consumed");
  if (inbox_begin_ == inbox_.size()) {
    inbox_.clear();
    inbox_begin_ = 0;
  } else if (inbox_begin_ > kInboxCompactBytes) {
    inbox_.erase(0, inbox_begin_);
    inbox_begin_ = 0;
  }
}

}  // namespace tideline::http
