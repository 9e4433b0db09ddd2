#include "postgres/store/append_listener.hpp"

#include <stop_token>

#include "postgres/connections/session.hpp"
#include "postgres/store/append_statements.hpp"

namespace tideline::postgres {
namespace {

// How long the end of the store may wait for the listening thread.
constexpr std::chrono::milliseconds kListenSlice{200};
constexpr std::chrono::milliseconds kReconnectPause{500};

}  // namespace

AppendListener::~AppendListener() {
  for (std::jthread& thread : threads_) thread.request_stop();
  woken_.notify_all();
}

void AppendListener::wait(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  for (std::size_t i = threads_.size(); i < databases_.count(); ++i) {
    threads_.emplace_back(
        [this, i](const std::stop_token& stop) { run(stop, databases_.at(i).options()); });
  }
  std::uint64_t& heard = heard_[std::this_thread::get_id()];
  woken_.wait_for(lock, timeout, [&] { return appends_ != heard; });
  heard = appends_;
}

void AppendListener::wake() {
  {
    const std::lock_guard lock(mutex_);
    ++appends_;
  }
  woken_.notify_all();
}

void AppendListener::run(const std::stop_token& stop, const DatabaseOptions& database) {
  while (!stop.stop_requested()) {
    try {
      Session session(database, "listener");
      session.listen(kAppendChannel);
      wake();  // for what was appended before anybody listened
      while (!stop.stop_requested()) {
        if (session.await_notification(kListenSlice)) wake();
      }
    } catch (const sql::TransactionFailed&) {
      std::unique_lock lock(mutex_);
      woken_.wait_for(lock, stop, kReconnectPause, [] { return false; });
    }
  }
}

}  // namespace tideline::postgres
