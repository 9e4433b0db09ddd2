#include "http/routing/deferred_response.hpp"

#include <utility>

#include "core/check.hpp"

namespace tideline::http {

void DeferredResponse::give(Response response) { resolve(std::move(response)); }

void DeferredResponse::retry() { resolve(std::nullopt); }

void DeferredResponse::resolve(Given given) {
  std::shared_ptr<Listener> listener;
  {
    const std::lock_guard lock(mutex_);
    CHECK(!given_, "a request is answered once");
    given_ = std::move(given);
    listener = listener_.lock();
  }
  if (listener) listener->on_deferred_response();
}

bool DeferredResponse::is_given() const {
  const std::lock_guard lock(mutex_);
  return given_.has_value();
}

DeferredResponse::Given DeferredResponse::take() {
  const std::lock_guard lock(mutex_);
  CHECK(given_, "only what was given can be taken");
  return std::move(*given_);
}

void DeferredResponse::attach(std::weak_ptr<Listener> listener) {
  std::shared_ptr<Listener> told;
  {
    const std::lock_guard lock(mutex_);
    if (given_) {
      told = listener.lock();
    } else {
      listener_ = std::move(listener);
    }
  }
  if (told) told->on_deferred_response();
}

}  // namespace tideline::http
