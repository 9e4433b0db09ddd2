#include "http/server/server.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "core/check.hpp"
#include "core/encoding.hpp"
#include "core/random.hpp"
#include "http/messages/problem.hpp"
#include "http/routing/position_waits.hpp"
#include "http/server/acceptor.hpp"
#include "http/server/body_budget.hpp"
#include "http/server/connection.hpp"
#include "http/server/connection_registry.hpp"
#include "http/server/reactors.hpp"
#include "http/server/shares.hpp"
#include "http/server/wire_format.hpp"
#include "http/server/worker_pool.hpp"

namespace tideline::http {
namespace {

using std::chrono::milliseconds;

// Descriptors that the rest of the process may need.
constexpr std::size_t kDescriptorReserve = 256;
constexpr milliseconds kStopWait{2000};
constexpr milliseconds kDrainPoll{5};
constexpr std::chrono::seconds kStreamsRetryAfter{10};

// Threads inherit the mask: signals go to the threads of the application.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

// How many connections the descriptor limit allows, raising it if need be.
std::size_t affordable_connections(std::size_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  const rlim_t needed = wanted + kDescriptorReserve;
  if (limit.rlim_cur < needed) {
    limit.rlim_cur = std::min(needed, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit);
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  }
  if (limit.rlim_cur >= needed) return wanted;
  const std::size_t spare =
      limit.rlim_cur > kDescriptorReserve ? limit.rlim_cur - kDescriptorReserve : 1;
  return spare;
}

milliseconds tick_of(const ServerOptions& options) {
  const milliseconds shortest =
      std::min({options.first_byte_timeout, options.header_timeout, options.body_timeout,
                options.pause_timeout, options.idle_timeout, options.write_timeout,
                options.heartbeat_interval});
  return std::clamp(shortest / 4, milliseconds{5}, milliseconds{250});
}

std::string holder_of(const Request& request) { return request.principal->account.to_string(); }

std::string draw_prefix() {
  core::SystemRandom random;
  std::array<std::uint8_t, 8> bytes{};
  random.fill(bytes);
  return core::to_hex(bytes);
}

}  // namespace

class Server::Impl final : public ConnectionHost, public ReadinessListener {
 public:
  Impl(ServerOptions options, const Router& router, const core::Clock& clock,
       RequestObserver* observer)
      : options_(std::move(options)), router_(router), clock_(clock), observer_(observer) {
    CHECK(options_.reactor_threads > 0 && options_.worker_threads > 0, "a server needs threads");
  }
  ~Impl() override { stop(); }

  core::Status start();
  void retire(milliseconds at_least, milliseconds at_most);
  bool drain(milliseconds deadline);
  void stop();
  [[nodiscard]] std::uint16_t port() const { return acceptor_.port(); }
  [[nodiscard]] std::size_t requests_in_flight() const { return pool_ ? pool_->in_flight() : 0; }
  [[nodiscard]] std::size_t connections() const { return connection_registry_.size(); }
  [[nodiscard]] std::size_t streams() const { return streams_; }

  [[nodiscard]] const ServerOptions& options() const override { return options_; }
  [[nodiscard]] const Router& router() const override { return router_; }
  [[nodiscard]] PositionWaits& position_waits() override { return position_waits_; }
  [[nodiscard]] std::size_t requests_waiting() const { return position_waits_.waiting(); }
  [[nodiscard]] core::Timestamp now() const override { return clock_.now(); }
  [[nodiscard]] bool retiring() const override { return retiring_; }
  [[nodiscard]] bool draining() const override { return draining_; }
  std::optional<Problem> try_open_stream(const Request& request) override;
  void stream_ended(const Request& request) override;
  Parsed<BodyBudget::Permit> admit_body(const Request& head, std::optional<std::size_t> length,
                                        const std::string& source) override;
  [[nodiscard]] std::size_t large_body_bytes() const { return body_budget_.taken(); }
  [[nodiscard]] std::string draw_request_id() override;
  [[nodiscard]] core::TraceContext draw_span(
      const std::optional<core::TraceContext>& parent) override;
  bool try_submit(std::shared_ptr<Task> task) override {
    return pool_->try_submit(std::move(task));
  }
  void watch_writable(std::uint64_t connection, int descriptor, bool watched) override {
    connection_registry_.watch_writable(connection, descriptor, watched);
  }
  void release_soon(std::uint64_t connection) override {
    connection_registry_.release_soon(connection);
  }
  void put_aside() override { pool_->put_aside(); }
  void resume(std::shared_ptr<Task> task) override { pool_->resume(std::move(task)); }
  void observe(const RequestRecord& record) override {
    if (observer_ != nullptr) observer_->on_request(record);
  }
  core::Status watch_input(std::uint64_t connection, int descriptor) override {
    return reactors_.watch(connection, descriptor);
  }
  void unwatch_input(std::uint64_t connection, int descriptor) override {
    reactors_.unwatch(connection, descriptor);
  }
  void forget(std::uint64_t connection) override;
  void on_destroyed(const std::string& source) override;

  void on_turn_begin() override { WorkerPool::gather(); }
  void on_turn_end() override { pool_->flush(); }
  void on_readable(std::uint64_t id) override;

 private:
  void take_over(int descriptor);
  void turn_away(int descriptor, const char* why);

  ServerOptions options_;
  const Router& router_;
  const core::Clock& clock_;
  RequestObserver* observer_;
  std::size_t connections_max_ = 0;
  bool started_ = false;

  std::atomic<bool> retiring_{false};
  std::atomic<bool> draining_{false};
  std::atomic<std::size_t> streams_{0};
  Shares streams_of_accounts_{options_.streams_per_account_max};
  BodyBudget body_budget_{options_.large_bodies_bytes_max, options_.large_bodies_per_holder_max};
  std::optional<Shares> connections_of_sources_;
  std::unique_ptr<TlsServer> tls_;
  std::atomic<std::uint64_t> next_connection_{1};
  std::atomic<std::uint64_t> next_request_{1};
  const std::string request_id_prefix_ = draw_prefix();
  core::SystemRandom trace_random_;

  std::mutex mutex_;
  std::condition_variable destroyed_;
  std::size_t alive_ = 0;  // connections whose descriptors may be open

  std::unique_ptr<WorkerPool> pool_;
  PositionWaits position_waits_{PositionWaits::kWaitingMax, options_.position_wait_max};
  ConnectionRegistry connection_registry_;
  Reactors reactors_;
  Acceptor acceptor_{reactors_};
};

core::Status Server::Impl::start() {
  CHECK(!started_, "a server starts once");
  const SignalsBlocked blocked;
  started_ = true;
  connections_max_ = affordable_connections(options_.connections_max);
  const std::size_t share = options_.connections_per_source_max;
  connections_of_sources_.emplace(share > 0 ? share : (connections_max_ + 1) / 2);
  if (options_.tls) {
    auto tls = TlsServer::load(*options_.tls, [this](std::string_view why) {
      if (observer_ != nullptr) observer_->on_tls_trouble(why);
    });
    if (!tls) return tls.error();
    tls_ = *std::move(tls);
  }
  pool_ = std::make_unique<WorkerPool>(options_.worker_threads, options_.queued_requests_max);
  auto status = connection_registry_.start(tick_of(options_), [this] { acceptor_.resume(); });
  if (!status) return status;
  status = reactors_.start(options_.reactor_threads, *this);
  if (!status) return status;
  return acceptor_.start(options_.address, options_.port,
                         [this](int descriptor) { take_over(descriptor); });
}

void Server::Impl::take_over(int descriptor) {
  bool full = false;
  {
    std::lock_guard lock(mutex_);
    full = alive_ >= connections_max_;
  }
  if (full) return turn_away(descriptor, "the server has as many connections as it takes");
  std::string source = source_of(descriptor);
  if (!connections_of_sources_->take(source)) {
    return turn_away(descriptor, "your address has as many connections as it may have");
  }
  {
    std::lock_guard lock(mutex_);
    ++alive_;
  }
  const std::uint64_t id = next_connection_++;
  auto connection = std::make_shared<Connection>(
      id, descriptor, tls_ ? tls_->accept(descriptor) : nullptr, std::move(source), *this);
  connection_registry_.add(id, connection);
  if (observer_ != nullptr) observer_->on_connection_opened();
  connection->begin();
}

void Server::Impl::on_readable(std::uint64_t id) {
  if (id == Acceptor::kId) return acceptor_.on_readable();
  if (const auto connection = connection_registry_.find(id)) connection->on_readable();
}

// Best effort: a client that is still sending may see a reset instead.
void Server::Impl::turn_away(int descriptor, const char* why) {
  // Nothing that is said before the handshake would be understood.
  if (tls_) {
    close(descriptor);
    return;
  }
  WireContext context;
  context.now = now();
  const std::string answer = to_wire(to_response(unavailable(why)), context);
  std::array<char, 4096> unread{};
  (void)send(descriptor, answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  shutdown(descriptor, SHUT_WR);
  (void)recv(descriptor, unread.data(), unread.size(), MSG_DONTWAIT);
  close(descriptor);
}

std::string Server::Impl::draw_request_id() {
  std::uint64_t number = next_request_.fetch_add(1, std::memory_order_relaxed);
  std::array<std::uint8_t, 8> bytes{};
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte, number >>= 8) {
    *byte = static_cast<std::uint8_t>(number);
  }
  return request_id_prefix_ + core::to_hex(bytes);
}

core::TraceContext Server::Impl::draw_span(const std::optional<core::TraceContext>& parent) {
  if (parent) return parent->child(trace_random_);
  constexpr double kRange = 18446744073709551616.0;  // 2^64
  const bool sampled =
      options_.traces_sampled > 0 &&
      static_cast<double>(trace_random_.next_u64()) < options_.traces_sampled * kRange;
  return core::TraceContext::start(trace_random_, sampled);
}

std::optional<Problem> Server::Impl::try_open_stream(const Request& request) {
  if (request.principal && !streams_of_accounts_.take(holder_of(request))) {
    return too_many_requests(kStreamsRetryAfter);
  }
  if (streams_.fetch_add(1) < options_.streams_max) return std::nullopt;
  stream_ended(request);
  return unavailable("no more streams are opened now, try again");
}

void Server::Impl::stream_ended(const Request& request) {
  --streams_;
  if (request.principal) streams_of_accounts_.give_back(holder_of(request));
}

Parsed<BodyBudget::Permit> Server::Impl::admit_body(const Request& head,
                                                    std::optional<std::size_t> length,
                                                    const std::string& source) {
  const auto admitted = router_.admit_body(head);
  if (!admitted) return admitted.problem();
  const std::size_t bytes_max = std::max(options_.body_bytes_max, admitted->body_bytes_max);
  if (!length && bytes_max > options_.body_bytes_max) {
    return problem(411, "length-required", "A length is needed",
                   "send Content-Length with a body of more than " +
                       std::to_string(options_.body_bytes_max) + " bytes");
  }
  if (!length || *length > bytes_max) return content_too_large(bytes_max);
  return body_budget_.take(admitted->account ? admitted->account->to_string() : source, *length);
}

void Server::Impl::forget(std::uint64_t connection) {
  if (connection_registry_.remove(connection) && observer_ != nullptr)
    observer_->on_connection_closed();
}

void Server::Impl::on_destroyed(const std::string& source) {
  connections_of_sources_->give_back(source);
  std::lock_guard lock(mutex_);
  --alive_;
  destroyed_.notify_all();
}

void Server::Impl::retire(milliseconds at_least, milliseconds at_most) {
  const auto begun = std::chrono::steady_clock::now();
  retiring_ = true;
  for (;;) {
    bool rests = true;
    for (const auto& connection : connection_registry_.all()) rests = connection->rests() && rests;
    const auto now = std::chrono::steady_clock::now();
    if (now >= begun + at_most || (rests && now >= begun + at_least)) return;
    std::unique_lock lock(mutex_);
    destroyed_.wait_for(lock, kDrainPoll);
  }
}

bool Server::Impl::drain(milliseconds deadline) {
  const auto until = std::chrono::steady_clock::now() + deadline;
  acceptor_.stop();
  retiring_ = true;
  draining_ = true;
  for (;;) {
    bool settled = true;
    for (const auto& connection : connection_registry_.all())
      settled = connection->settle() && settled;
    if (settled) return true;
    if (std::chrono::steady_clock::now() >= until) return false;
    std::unique_lock lock(mutex_);
    destroyed_.wait_for(lock, kDrainPoll);
  }
}

void Server::Impl::stop() {
  acceptor_.stop();
  retiring_ = true;
  draining_ = true;
  if (pool_) pool_->stop();
  for (const auto& connection : connection_registry_.all()) connection->abort();
  {
    // Threads that are told of a connection may still hold it.
    std::unique_lock lock(mutex_);
    destroyed_.wait_for(lock, kStopWait, [this] { return alive_ == 0; });
  }
  reactors_.stop();
  connection_registry_.stop();
}

Server::Server(ServerOptions options, const Router& router, const core::Clock& clock,
               RequestObserver* observer)
    : impl_(std::make_unique<Impl>(std::move(options), router, clock, observer)) {}

Server::~Server() = default;

core::Status Server::start() { return impl_->start(); }
std::uint16_t Server::port() const { return impl_->port(); }
std::size_t Server::requests_in_flight() const { return impl_->requests_in_flight(); }
std::size_t Server::requests_waiting() const { return impl_->requests_waiting(); }
std::size_t Server::connections() const { return impl_->connections(); }
std::size_t Server::streams() const { return impl_->streams(); }
std::size_t Server::large_body_bytes() const { return impl_->large_body_bytes(); }
void Server::retire(milliseconds at_least, milliseconds at_most) {
  impl_->retire(at_least, at_most);
}
bool Server::drain(milliseconds deadline) { return impl_->drain(deadline); }
void Server::stop() { impl_->stop(); }

}  // namespace tideline::http
