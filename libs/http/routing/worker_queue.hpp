// Workers of their own for handlers that take long, so that these hold up no others: a request of
// such a route waits in a bounded queue, and no worker of the server with it.
//
//   router.add(Method::Post, "/v1/sessions", Access::Public, hashing.around(handle_sign_in));
//
// Threads: around() before the server starts; handlers that it returns from any thread; run() on as
// many threads as requests shall be handled at once.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>

#include "http/routing/deferred_response.hpp"
#include "http/routing/router.hpp"

namespace tideline::http {

class WorkerQueue {
 public:
  explicit WorkerQueue(std::size_t waiting_max) : waiting_max_(waiting_max) {}

  // Answers 503 with Retry-After at once when so many wait already. `handler` must not answer later
  // itself. The queue must outlive what is returned.
  [[nodiscard]] Handler around(Handler handler);

  // Until stop is requested and nothing waits; from then on 503 is answered.
  void run(const std::stop_token& stop);

  [[nodiscard]] std::size_t waiting() const;

 private:
  struct Waiting {
    const Request* request;
    const Handler* handler;
    std::shared_ptr<DeferredResponse> deferred;
  };

  Response put(const Request& request, const Handler& handler);

  const std::size_t waiting_max_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool closed_ = false;
  std::deque<Waiting> queue_;
};

}  // namespace tideline::http
