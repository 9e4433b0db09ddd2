#include "http/routing/position_waits.hpp"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace tideline::http {

using Steady = std::chrono::steady_clock;
using Model = eventsourcing::AppliedPositions;

struct PositionWaits::State {
  struct Wait {
    std::shared_ptr<DeferredResponse> deferred;
    Model* model;                           // nullptr: of none
    std::optional<Model::Waiting> waiting;  // nullopt: about to be set
  };
  // By deadline: each key is unique.
  using Key = std::pair<Steady::time_point, std::uint64_t>;

  explicit State(std::size_t waiting_max) : max(waiting_max) {}

  // nullopt: as many wait as may.
  std::optional<Key> add(std::shared_ptr<DeferredResponse> deferred, Model* model,
                         Steady::time_point deadline) {
    const std::lock_guard lock(mutex);
    if (waits.size() >= max) return std::nullopt;
    const Key key{deadline, next++};
    waits.emplace(key, Wait{std::move(deferred), model, std::nullopt});
    if (waits.begin()->first == key) changed.notify_one();
    return key;
  }
  std::optional<Wait> take(const Key& key) {
    const std::lock_guard lock(mutex);
    const auto found = waits.find(key);
    if (found == waits.end()) return std::nullopt;
    Wait wait = std::move(found->second);
    waits.erase(found);
    return wait;
  }
  void applied(const Key& key) {
    if (const auto wait = take(key)) wait->deferred->retry();
  }
  void look_after_deadlines(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      if (waits.empty()) {
        changed.wait(lock, stop, [&] { return !waits.empty(); });
        continue;
      }
      const Key first = waits.begin()->first;
      if (Steady::now() < first.first) {
        changed.wait_until(lock, stop, first.first,
                           [&] { return waits.empty() || waits.begin()->first < first; });
        continue;
      }
      lock.unlock();
      if (const auto wait = take(first)) {
        if (wait->waiting) wait->model->forget(*wait->waiting);
        wait->deferred->retry();
      }
      lock.lock();
    }
  }

  const std::size_t max;
  mutable std::mutex mutex;
  std::condition_variable_any changed;
  std::map<Key, Wait> waits;
  std::uint64_t next = 0;
};

PositionWaits::PositionWaits(std::size_t waiting_max, std::chrono::milliseconds wait_max)
    : state_(std::make_shared<State>(waiting_max)),
      wait_max_(wait_max),
      deadlines_(
          [state = state_](const std::stop_token& stop) { state->look_after_deadlines(stop); }) {}

PositionWaits::~PositionWaits() {
  deadlines_.request_stop();
  deadlines_.join();
  const std::lock_guard lock(state_->mutex);
  for (const auto& [key, wait] : state_->waits) {
    if (wait.waiting) wait.model->forget(*wait.waiting);
  }
  state_->waits.clear();
}

std::shared_ptr<DeferredResponse> PositionWaits::put_aside(
    const eventsourcing::PositionVector& wanted, Model& model, Steady::time_point deadline) {
  auto deferred = std::make_shared<DeferredResponse>();
  const auto key = state_->add(deferred, &model, deadline);
  if (!key) return nullptr;
  const auto waiting = model.call_when(wanted, [late = std::weak_ptr(state_), key = *key] {
    if (const auto state = late.lock()) state->applied(key);
  });
  if (!waiting) {
    state_->applied(*key);
    return deferred;
  }
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->waits.find(*key);
  if (found != state_->waits.end()) {
    found->second.waiting = waiting;
  } else {
    model.forget(*waiting);  // the deadline was first
  }
  return deferred;
}

std::shared_ptr<DeferredResponse> PositionWaits::put_aside(Steady::time_point time) {
  auto deferred = std::make_shared<DeferredResponse>();
  return state_->add(deferred, nullptr, time) ? deferred : nullptr;
}

std::size_t PositionWaits::waiting() const {
  const std::lock_guard lock(state_->mutex);
  return state_->waits.size();
}

}  // namespace tideline::http
