#include "bench/load_generator.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace tideline::bench {
namespace {

constexpr std::chrono::seconds kLastAnswers{10};
constexpr std::chrono::nanoseconds kPause{1'000'000};

// Of an answer that begins here; nullopt while its head is not whole.
std::optional<std::size_t> size_of_answer(std::string_view received) {
  const std::size_t head = received.find("\r\n\r\n");
  if (head == std::string_view::npos) return std::nullopt;
  // As we and nginx write it, or as Netty does.
  constexpr std::array<std::string_view, 2> kLengths = {"\r\nContent-Length: ",
                                                        "\r\ncontent-length: "};
  std::size_t body = 0;
  for (const std::string_view length : kLengths) {
    const std::size_t field = received.substr(0, head).find(length);
    if (field == std::string_view::npos) continue;
    std::from_chars(received.data() + field + length.size(), received.data() + head, body);
  }
  return head + 4 + body;
}

}  // namespace

LoadGenerator::LoadGenerator(const Load& load, NextRequest next, std::size_t kinds)
    : load_(load),
      next_(std::move(next)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      clients_(load.connections),
      latencies_ms_(kinds) {}

LoadGenerator::~LoadGenerator() {
  for (const Client& client : clients_) close(client.socket);
  close(epoll_);
}

LoadGenerator::SteadyTime LoadGenerator::due_at(std::uint64_t request) const {
  return start_ + std::chrono::duration_cast<SteadyClock::duration>(
                      std::chrono::duration<double>(static_cast<double>(request) / load_.rate));
}

bool LoadGenerator::connect_all() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(load_.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (Client& client : clients_) {
    client.socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(client.socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      return false;
    }
    const int on = 1;
    setsockopt(client.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &client;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, client.socket, &event) != 0) return false;
    idle_.push_back(&client);
  }
  return true;
}

bool LoadGenerator::send_next(Client& client, SteadyTime due) {
  request_.clear();
  client.kind = next_(request_);
  client.due = due;
  ++sent_;
  return send(client.socket, request_.data(), request_.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(request_.size());
}

bool LoadGenerator::send_due(SteadyTime now) {
  while (!idle_.empty() && (load_.rate == 0 || due_at(sent_) <= now)) {
    Client& client = *idle_.back();
    idle_.pop_back();
    if (!send_next(client, load_.rate == 0 ? SteadyClock::now() : due_at(sent_))) return false;
  }
  return true;
}

bool LoadGenerator::receive(Client& client) {
  std::array<char, 65536> buffer;
  const auto count = recv(client.socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  client.received.append(buffer.data(), static_cast<std::size_t>(count));
  const auto size = size_of_answer(client.received);
  if (!size || client.received.size() < *size) return true;
  const std::chrono::duration<double, std::milli> took = SteadyClock::now() - client.due;
  const bool good = client.received.starts_with("HTTP/1.1 2");
  const bool refused = load_.may_be_refused && client.received.starts_with("HTTP/1.1 503");
  if (good) latencies_ms_[client.kind].push_back(took.count());
  if (refused) ++refused_;
  if (!good && !refused) wrong_ = client.received.substr(0, 600);
  client.received.clear();
  idle_.push_back(&client);
  return good || refused;
}

std::string LoadGenerator::run() {
  if (!connect_all()) return "no connection to the server";
  start_ = SteadyClock::now();
  const auto end = start_ + std::chrono::duration_cast<SteadyClock::duration>(
                                std::chrono::duration<double>(load_.seconds));
  std::array<epoll_event, 64> events{};
  for (;;) {
    const auto now = SteadyClock::now();
    if (now < end && !send_due(now)) return "a request could not be sent";
    if (now >= end && idle_.size() == clients_.size()) break;
    if (now >= end + kLastAnswers) return "requests were not answered";
    std::chrono::nanoseconds wait = kPause;
    // In nanoseconds: requests are due sooner after each other than a millisecond.
    if (load_.rate > 0 && now < end && !idle_.empty()) {
      wait = std::clamp(std::chrono::nanoseconds(due_at(sent_) - now), std::chrono::nanoseconds(0),
                        kPause);
    }
    const timespec pause{0, wait.count()};
    const int ready =
        epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()), &pause, nullptr);
    for (int i = 0; i < ready; ++i) {
      auto& client = *static_cast<Client*>(events[static_cast<std::size_t>(i)].data.ptr);
      if (!receive(client)) return "an answer was not the one that was asked for: " + wrong_;
    }
  }
  seconds_ = std::chrono::duration<double>(SteadyClock::now() - start_).count();
  return "";
}

}  // namespace tideline::bench
