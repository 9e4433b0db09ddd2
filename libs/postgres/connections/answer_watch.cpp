#include "postgres/connections/answer_watch.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace tideline::postgres {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLookMax{1'000};

}  // namespace

AnswerWatch::AnswerWatch(int descriptor, milliseconds limit)
    : descriptor_(limit > milliseconds(0) ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : -1) {
  if (descriptor_ < 0) return;
  thread_ = std::jthread([this, limit](const std::stop_token& stop) { watch(stop, limit); });
}

AnswerWatch::~AnswerWatch() {
  if (descriptor_ < 0) return;
  thread_.request_stop();
  thread_.join();
  close(descriptor_);
}

void AnswerWatch::watch(const std::stop_token& stop, milliseconds limit) {
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  const milliseconds look = std::min(limit / 4 + milliseconds(1), kLookMax);
  while (!ended.wait_for(lock, stop, look, [&] { return stop.stop_requested(); })) {
    const steady_clock::time_point began{steady_clock::duration(began_)};
    if (began.time_since_epoch().count() == kIdle || steady_clock::now() - began < limit) continue;
    gave_up_ = true;
    shutdown(descriptor_, SHUT_RDWR);
    return;
  }
}

}  // namespace tideline::postgres
