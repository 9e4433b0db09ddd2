// Ends the wait for a server that does not answer any more. libpq waits without limit, and a server
// that stands still keeps its connections: its kernel acknowledges whatever is sent, so that
// neither keepalives nor tcp_user_timeout notice. A thread beside the one that waits shuts the
// socket down, which ends the wait as a lost connection does.
//
// A thread for each connection: there are few, and it sleeps.
#pragma once

#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

namespace tideline::postgres {

class AnswerWatch {
 public:
  // Watches calls over the socket `descriptor` that last longer than `limit`; 0: none.
  AnswerWatch(int descriptor, std::chrono::milliseconds limit);
  ~AnswerWatch();
  AnswerWatch(const AnswerWatch&) = delete;
  AnswerWatch& operator=(const AnswerWatch&) = delete;

  // A call lasts from begin() to end(); of one thread, one at a time.
  void begin() { began_ = std::chrono::steady_clock::now().time_since_epoch().count(); }
  void end() { began_ = kIdle; }
  // It has given a call up: the connection is of no use any more.
  bool gave_up() const { return gave_up_; }

 private:
  static constexpr std::chrono::steady_clock::rep kIdle = 0;

  void watch(const std::stop_token& stop, std::chrono::milliseconds limit);

  // Of its own, since libpq may close the other one at any time and the number be used again.
  const int descriptor_;
  std::atomic<std::chrono::steady_clock::rep> began_{kIdle};
  std::atomic<bool> gave_up_{false};
  std::jthread thread_;
};

}  // namespace tideline::postgres
