#include "mail/mail_queue.hpp"

#include <algorithm>
#include <utility>

namespace tideline::mail {

bool MailQueue::offer(Mail mail, Importance importance) {
  const std::size_t places =
      importance == Importance::Low ? options_.waiting_max / 2 : options_.waiting_max;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= places) {
      ++status_.refused;
      return false;
    }
    waiting_.push_back({std::move(mail), {}, 0});
  }
  changed_.notify_one();
  return true;
}

void MailQueue::run(const std::stop_token& stop) {
  for (Waiting taken; next(stop, taken);) attempt(std::move(taken));
}

MailQueueStatus MailQueue::status() const {
  const std::lock_guard lock(mutex_);
  MailQueueStatus status = status_;
  status.waiting = waiting_.size();
  return status;
}

// Waits for the one that is due first; false once it is to stop.
bool MailQueue::next(const std::stop_token& stop, Waiting& taken) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto first = std::ranges::min_element(waiting_, {}, &Waiting::due);
    if (first != waiting_.end() && first->due <= Steady::now()) {
      taken = std::move(*first);
      waiting_.erase(first);
      return true;
    }
    if (first == waiting_.end()) {
      changed_.wait(lock, stop, [this] { return !waiting_.empty(); });
    } else {
      changed_.wait_until(lock, stop, Steady::time_point(first->due), [this] {
        return std::ranges::any_of(waiting_,
                                   [](const Waiting& one) { return one.due <= Steady::now(); });
      });
    }
  }
  return false;
}

void MailQueue::attempt(Waiting taken) {
  const core::Status sent = mailer_.send(taken.mail);
  ++taken.attempts;
  const bool again = !sent && sent.error().retryable && taken.attempts < options_.attempts_max;
  {
    const std::lock_guard lock(mutex_);
    if (sent) {
      ++status_.sent;
    } else if (again) {
      taken.due = Steady::now() + options_.first_pause * (1 << (taken.attempts - 1));
      waiting_.push_back(std::move(taken));
    } else {
      ++status_.given_up;
    }
  }
  if (!sent && told_) told_(sent.error().message);
}

}  // namespace tideline::mail
