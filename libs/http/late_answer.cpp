#include "http/late_answer.hpp"

#include <utility>

#include "core/check.hpp"

namespace tideline::http {

void LateAnswer::give(Response response) { settle(std::move(response)); }

void LateAnswer::ask_again() { settle(std::nullopt); }

void LateAnswer::settle(Given given) {
  std::shared_ptr<Listener> listener;
  {
    const std::lock_guard lock(mutex_);
    CHECK(!given_, "a request is answered once");
    given_ = std::move(given);
    listener = listener_.lock();
  }
  if (listener) listener->on_late_answer();
}

bool LateAnswer::is_given() const {
  const std::lock_guard lock(mutex_);
  return given_.has_value();
}

LateAnswer::Given LateAnswer::take() {
  const std::lock_guard lock(mutex_);
  CHECK(given_, "only what was given can be taken");
  return std::move(*given_);
}

void LateAnswer::attach(std::weak_ptr<Listener> listener) {
  std::shared_ptr<Listener> told;
  {
    const std::lock_guard lock(mutex_);
    if (given_) {
      told = listener.lock();
    } else {
      listener_ = std::move(listener);
    }
  }
  if (told) told->on_late_answer();
}

}  // namespace tideline::http
