#include "http/caretaker.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "core/check.hpp"

namespace tideline::http {
namespace {

constexpr std::uint64_t kWakeId = 0;  // connections count from 1
constexpr int kEventsMax = 64;

}  // namespace

Caretaker::~Caretaker() { stop(); }

core::Status Caretaker::start(std::chrono::milliseconds tick, std::function<void()> on_tick) {
  CHECK(epoll_ < 0, "the caretaker runs already");
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kWakeId;
  if (epoll_ < 0 || wake_ < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event) != 0) {
    return core::internal_error("no epoll descriptor");
  }
  thread_ = std::thread([this, tick, on_tick = std::move(on_tick)] { run(tick, on_tick); });
  return core::success();
}

void Caretaker::run(std::chrono::milliseconds tick, const std::function<void()>& on_tick) {
  auto next_tick = std::chrono::steady_clock::now() + tick;
  for (;;) {
    std::array<epoll_event, kEventsMax> events{};
    const int count = epoll_wait(epoll_, events.data(), kEventsMax, static_cast<int>(tick.count()));
    if (count < 0 && errno != EINTR) return;
    for (int i = 0; i < count; ++i) {
      const std::uint64_t id = events[static_cast<std::size_t>(i)].data.u64;
      if (id == kWakeId) return;
      if (const auto connection = find(id)) connection->on_writable();
    }
    const auto now = std::chrono::steady_clock::now();
    if (now < next_tick) continue;
    next_tick = now + tick;
    on_tick();
    for (const auto& connection : all()) connection->on_tick(now);
  }
}

void Caretaker::stop() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    CHECK(write(wake_, &one, sizeof one) == sizeof one, "an event descriptor takes one");
    thread_.join();
  }
  if (epoll_ >= 0) close(std::exchange(epoll_, -1));
  if (wake_ >= 0) close(std::exchange(wake_, -1));
}

void Caretaker::add(std::uint64_t id, std::shared_ptr<Connection> connection) {
  std::lock_guard lock(mutex_);
  connections_.emplace(id, std::move(connection));
}

std::shared_ptr<Connection> Caretaker::remove(std::uint64_t id) {
  std::lock_guard lock(mutex_);
  auto node = connections_.extract(id);
  return node.empty() ? nullptr : std::move(node.mapped());
}

void Caretaker::watch_writable(std::uint64_t id, int descriptor, bool watched) {
  epoll_event event{};
  event.events = EPOLLOUT | EPOLLONESHOT;
  event.data.u64 = id;
  // On failure the write's deadline drops the connection.
  epoll_ctl(epoll_, watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event);
}

std::shared_ptr<Connection> Caretaker::find(std::uint64_t id) const {
  std::lock_guard lock(mutex_);
  const auto found = connections_.find(id);
  return found == connections_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Connection>> Caretaker::all() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Connection>> connections;
  connections.reserve(connections_.size());
  for (const auto& [id, connection] : connections_) connections.push_back(connection);
  return connections;
}

std::size_t Caretaker::size() const {
  std::lock_guard lock(mutex_);
  return connections_.size();
}

}  // namespace tideline::http
