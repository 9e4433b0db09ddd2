#include "http/routing/worker_queue.hpp"

#include <exception>
#include <utility>

#include "core/check.hpp"
#include "http/messages/problem.hpp"

namespace tideline::http {
namespace {

// Nothing may leave a thread that is not the server's.
Response handle(const Handler& handler, const Request& request) {
  try {
    Response response = answer_of([&] { return handler(request); });
    CHECK(!response.deferred, "what waits for a worker is answered by it");
    return response;
  } catch (const std::exception& failure) {
    return to_response(from_error(core::internal_error(failure.what())));
  }
}

}  // namespace

Handler WorkerQueue::around(Handler handler) {
  return [this, handler = std::make_shared<const Handler>(std::move(handler))](
             const Request& request) { return put(request, *handler); };
}

Response WorkerQueue::put(const Request& request, const Handler& handler) {
  auto deferred = std::make_shared<DeferredResponse>();
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || queue_.size() >= waiting_max_) {
      return to_response(unavailable("too many such requests wait already, try again"));
    }
    queue_.push_back({&request, &handler, deferred});
  }
  changed_.notify_one();
  return Response::defer(std::move(deferred));
}

void WorkerQueue::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, stop, [&] { return !queue_.empty(); });
    if (queue_.empty()) break;
    const Waiting next = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    next.deferred->give(handle(*next.handler, *next.request));
    lock.lock();
  }
  closed_ = true;
}

std::size_t WorkerQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

}  // namespace tideline::http
