// Mails that wait to be sent, so that no request waits for a mail server.
//
// In memory: what a crash loses its recipient asks for again. Bounded; one more is refused.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "mail/mailer.hpp"

namespace tideline::mail {

struct MailQueueOptions {
  std::size_t waiting_max = 1'000;
  // A mail that a server refuses for now is tried again so often, with growing pauses.
  int attempts_max = 6;
  std::chrono::milliseconds first_pause{1'000};  // doubled with each attempt
};

// Low: what strangers can ask for.
enum class Importance { Normal, Low };

struct MailQueueStatus {
  std::size_t waiting = 0;
  std::size_t sent = 0;
  std::size_t given_up = 0;  // refused for good, or too often
  std::size_t refused = 0;   // too many waited
};

// offer() and status() are for any thread, run() for threads of the owner's.
class MailQueue {
 public:
  // What went wrong, without the recipient.
  using Told = std::function<void(std::string_view)>;

  // `mailer` must outlive it.
  MailQueue(Mailer& mailer, MailQueueOptions options, Told told)
      : mailer_(mailer), options_(options), told_(std::move(told)) {}

  // False: too many wait. Those of low importance may take half of the places.
  bool offer(Mail mail, Importance importance = Importance::Normal);
  // Sends until `stop` says so; what waits then is lost.
  void run(const std::stop_token& stop);
  MailQueueStatus status() const;

 private:
  using Steady = std::chrono::steady_clock;
  struct Waiting {
    Mail mail;
    Steady::time_point due{};
    int attempts = 0;
  };

  bool next(const std::stop_token& stop, Waiting& taken);
  void attempt(Waiting taken);

  Mailer& mailer_;
  const MailQueueOptions options_;
  const Told told_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Waiting> waiting_;
  MailQueueStatus status_;
};

}  // namespace tideline::mail
