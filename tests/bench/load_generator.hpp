// Sends HTTP requests over connections that are kept, and takes the time of each.
//
// With a rate each request is due at its own time whatever became of the others, and its latency
// counts from when it was due: one that is due while every connection is busy goes out late, and
// shows it. Without a rate every connection sends the next when it has its answer. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tideline::bench {

struct Load {
  std::uint16_t port = 0;
  unsigned connections = 64;
  double rate = 0;  // requests a second; 0 = as fast as they are answered
  double seconds = 5;
  // Answers 503 are counted apart and asked for no more; else the run fails with the first.
  bool may_be_refused = false;
};

class LoadGenerator {
 public:
  // Writes the next request into an empty text and says of which kind (from 0) it is.
  using NextRequest = std::function<std::size_t(std::string& request)>;

  LoadGenerator(const Load& load, NextRequest next, std::size_t kinds = 1);
  ~LoadGenerator();
  LoadGenerator(const LoadGenerator&) = delete;
  LoadGenerator& operator=(const LoadGenerator&) = delete;

  // What went wrong; empty when every request was answered with 2xx, or refused where it may be.
  std::string run();
  std::uint64_t refused() const { return refused_; }
  // By kind, of those that were not refused.
  std::vector<std::vector<double>>& latencies_ms() { return latencies_ms_; }
  // From the first request to the last answer.
  double seconds() const { return seconds_; }

 private:
  using SteadyClock = std::chrono::steady_clock;
  using SteadyTime = SteadyClock::time_point;

  struct Client {
    int socket = -1;
    std::size_t kind = 0;
    SteadyTime due;
    std::string received;
  };

  bool connect_all();
  bool send_due(SteadyTime now);
  bool send_next(Client& client, SteadyTime due);
  bool receive(Client& client);
  SteadyTime due_at(std::uint64_t request) const;

  const Load load_;
  const NextRequest next_;
  int epoll_;
  std::vector<Client> clients_;
  std::vector<Client*> idle_;
  std::uint64_t sent_ = 0;
  SteadyTime start_;
  std::string request_;
  std::vector<std::vector<double>> latencies_ms_;
  std::uint64_t refused_ = 0;
  std::string wrong_;
  double seconds_ = 0;
};

}  // namespace tideline::bench
