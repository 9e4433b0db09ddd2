#include "http/server/connection_registry.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <limits>
#include <utility>

#include "core/check.hpp"

namespace tideline::http {
namespace {

constexpr std::uint64_t kWakeId = 0;  // connections count from 1
constexpr std::uint64_t kReleaseId = std::numeric_limits<std::uint64_t>::max();
constexpr int kEventsMax = 64;
// How long an answer may wait for the next of its connection. Handlers that read from memory take
// some ten microseconds; the one that waits for an answer notices tens of milliseconds.
constexpr std::chrono::milliseconds kHold{5};

}  // namespace

ConnectionRegistry::~ConnectionRegistry() { stop(); }

core::Status ConnectionRegistry::start(std::chrono::milliseconds tick,
                                       std::function<void()> on_tick) {
  CHECK(epoll_ < 0, "the connection_registry runs already");
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  release_timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (epoll_ < 0 || !watch(wake_, kWakeId) || !watch(release_timer_, kReleaseId)) {
    return core::internal_error("no epoll descriptor");
  }
  thread_ = std::thread([this, tick, on_tick = std::move(on_tick)] { run(tick, on_tick); });
  return core::success();
}

bool ConnectionRegistry::watch(int descriptor, std::uint64_t id) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = id;
  return descriptor >= 0 && epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void ConnectionRegistry::run(std::chrono::milliseconds tick, const std::function<void()>& on_tick) {
  auto next_tick = std::chrono::steady_clock::now() + tick;
  for (;;) {
    std::array<epoll_event, kEventsMax> events{};
    const int count = epoll_wait(epoll_, events.data(), kEventsMax, static_cast<int>(tick.count()));
    if (count < 0 && errno != EINTR) return;
    for (int i = 0; i < count; ++i) {
      const std::uint64_t id = events[static_cast<std::size_t>(i)].data.u64;
      if (id == kWakeId) return;
      if (id == kReleaseId) {
        release_held();
        continue;
      }
      if (const auto connection = find(id)) connection->on_writable();
    }
    const auto now = std::chrono::steady_clock::now();
    if (now < next_tick) continue;
    next_tick = now + tick;
    on_tick();
    for (const auto& connection : all()) connection->on_tick(now);
  }
}

void ConnectionRegistry::stop() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    CHECK(write(wake_, &one, sizeof one) == sizeof one, "an event descriptor takes one");
    thread_.join();
  }
  for (int* descriptor : {&epoll_, &wake_, &release_timer_}) {
    if (*descriptor >= 0) close(std::exchange(*descriptor, -1));
  }
}

void ConnectionRegistry::add(std::uint64_t id, std::shared_ptr<Connection> connection) {
  std::lock_guard lock(mutex_);
  connections_.emplace(id, std::move(connection));
}

std::shared_ptr<Connection> ConnectionRegistry::remove(std::uint64_t id) {
  std::lock_guard lock(mutex_);
  auto node = connections_.extract(id);
  return node.empty() ? nullptr : std::move(node.mapped());
}

void ConnectionRegistry::watch_writable(std::uint64_t id, int descriptor, bool watched) {
  epoll_event event{};
  event.events = EPOLLOUT | EPOLLONESHOT;
  event.data.u64 = id;
  // On failure the write's deadline drops the connection.
  epoll_ctl(epoll_, watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event);
}

void ConnectionRegistry::release_soon(std::uint64_t id) {
  std::lock_guard lock(mutex_);
  held_.push_back(id);
  if (held_.size() > 1) return;
  itimerspec once{};
  once.it_value.tv_nsec = std::chrono::nanoseconds(kHold).count();
  CHECK(timerfd_settime(release_timer_, 0, &once, nullptr) == 0, "a timer can be set");
}

void ConnectionRegistry::release_held() {
  std::uint64_t expirations = 0;
  CHECK(read(release_timer_, &expirations, sizeof expirations) == sizeof expirations,
        "the timer has run out");
  std::vector<std::uint64_t> held;
  {
    std::lock_guard lock(mutex_);
    held.swap(held_);
  }
  for (const std::uint64_t id : held) {
    if (const auto connection = find(id)) connection->release();
  }
}

std::shared_ptr<Connection> ConnectionRegistry::find(std::uint64_t id) const {
  std::lock_guard lock(mutex_);
  const auto found = connections_.find(id);
  return found == connections_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Connection>> ConnectionRegistry::all() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Connection>> connections;
  connections.reserve(connections_.size());
  for (const auto& [id, connection] : connections_) connections.push_back(connection);
  return connections;
}

std::size_t ConnectionRegistry::size() const {
  std::lock_guard lock(mutex_);
  return connections_.size();
}

}  // namespace tideline::http
