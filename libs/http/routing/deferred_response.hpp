// A response that is given after its handler has returned, so that no worker waits for it:
//
//   auto deferred = std::make_shared<DeferredResponse>();
//   store.append_then(append, [deferred](auto outcome) { deferred->give(response_of(outcome)); });
//   return Response::defer(deferred);
//
// The request stays in flight, and its connection waits, until give() or retry() has been called;
// its taker must call one of them, once, in bounded time. Any thread may, also before
// the handler has returned.
//
// Threads: all. Nothing here waits.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "http/messages/message.hpp"

namespace tideline::http {

class DeferredResponse {
 public:
  DeferredResponse() = default;
  DeferredResponse(const DeferredResponse&) = delete;
  DeferredResponse& operator=(const DeferredResponse&) = delete;

  void give(Response response);
  // Nothing has come of it: the handler is to be called again, with the same request, which counts
  // how often (Request::attempt).
  void retry();

  // Below: for the router and the server.

  // nullopt: again.
  using Given = std::optional<Response>;
  // What becomes of what was given; may itself be a later answer.
  using Finish = std::function<Response(Given)>;

  bool is_given() const;
  // Once, when it is given.
  [[nodiscard]] Given take();
  void set_finish(Finish finish) { finish_ = std::move(finish); }
  // take() and what becomes of it.
  [[nodiscard]] Response finish() { return finish_(take()); }

  // Told once, on the thread that gives, or at once when it has been given already.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void on_deferred_response() = 0;
  };
  void attach(std::weak_ptr<Listener> listener);

 private:
  void resolve(Given given);

  Finish finish_;  // of the thread that handles the request
  mutable std::mutex mutex_;
  std::optional<Given> given_;
  std::weak_ptr<Listener> listener_;
};

}  // namespace tideline::http
