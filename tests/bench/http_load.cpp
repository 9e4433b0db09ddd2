#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include "bench/http_servers.hpp"
#include "bench/report.hpp"

namespace tideline::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;
using SteadyTime = SteadyClock::time_point;

constexpr std::string_view kRequest = "GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr std::chrono::seconds kLastAnswers{10};
constexpr std::chrono::nanoseconds kPause{1'000'000};

struct Client {
  int socket = -1;
  SteadyTime due;
  std::string received;
};

class Generator {
 public:
  explicit Generator(const Load& load) : load_(load), clients_(load.connections) {}
  ~Generator() {
    for (const Client& client : clients_) close(client.socket);
    close(epoll_);
  }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  // What went wrong; empty when every request was answered.
  std::string run();
  std::vector<double>& latencies_ms() { return latencies_ms_; }

 private:
  bool connect_all();
  bool send_due(SteadyTime now);
  bool receive(Client& client);
  SteadyTime due_at(std::uint64_t request) const {
    return start_ + std::chrono::duration_cast<SteadyClock::duration>(
                        std::chrono::duration<double>(static_cast<double>(request) / load_.rate));
  }

  const Load& load_;
  int epoll_ = epoll_create1(EPOLL_CLOEXEC);
  std::vector<Client> clients_;
  std::vector<Client*> idle_;
  std::uint64_t sent_ = 0;
  SteadyTime start_;
  std::vector<double> latencies_ms_;
};

bool Generator::connect_all() {
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

// A request that is due while every connection is busy goes out late, and its latency shows it.
bool Generator::send_due(SteadyTime now) {
  while (!idle_.empty() && due_at(sent_) <= now) {
    Client& client = *idle_.back();
    idle_.pop_back();
    client.due = due_at(sent_++);
    if (send(client.socket, kRequest.data(), kRequest.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(kRequest.size())) {
      return false;
    }
  }
  return true;
}

bool Generator::receive(Client& client) {
  std::array<char, 4096> buffer;
  const auto count = recv(client.socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  client.received.append(buffer.data(), static_cast<std::size_t>(count));
  const std::size_t head = client.received.find("\r\n\r\n");
  if (head == std::string::npos || client.received.size() < head + 4 + kSmallJson.size()) {
    return true;
  }
  const std::chrono::duration<double, std::milli> took = SteadyClock::now() - client.due;
  latencies_ms_.push_back(took.count());
  const bool good = client.received.starts_with("HTTP/1.1 200 ");
  client.received.clear();
  idle_.push_back(&client);
  return good;
}

std::string Generator::run() {
  if (!connect_all()) return "no connection to the server";
  start_ = SteadyClock::now();
  const auto end = start_ + std::chrono::duration_cast<SteadyClock::duration>(
                                std::chrono::duration<double>(load_.seconds));
  std::array<epoll_event, 64> events{};
  for (;;) {
    const auto now = SteadyClock::now();
    if (now < end && !send_due(now)) return "a request could not be sent";
    if (now >= end && idle_.size() == clients_.size()) return "";
    if (now >= end + kLastAnswers) return "requests were not answered";
    // In nanoseconds: requests are due sooner after each other than a millisecond.
    const std::chrono::nanoseconds left = due_at(sent_) - now;
    const bool sends = now < end && !idle_.empty();
    const timespec wait{0, sends ? std::clamp(left.count(), 0L, kPause.count()) : kPause.count()};
    const int ready =
        epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()), &wait, nullptr);
    for (int i = 0; i < ready; ++i) {
      auto& client = *static_cast<Client*>(events[static_cast<std::size_t>(i)].data.ptr);
      if (!receive(client)) return "an answer was not the one that was asked for";
    }
  }
}

}  // namespace

int generate(const Load& load) {
  Generator generator(load);
  const std::string problem = generator.run();
  if (!problem.empty()) return failed(problem);
  auto& latencies = generator.latencies_ms();
  const auto answers = static_cast<double>(latencies.size());
  std::printf("{\"requests_per_s\":%.1f,\"p50_ms\":%.3f,\"p99_ms\":%.3f}\n", answers / load.seconds,
              percentile(latencies, 0.50), percentile(latencies, 0.99));
  return 0;
}

}  // namespace tideline::bench
