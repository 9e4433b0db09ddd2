#include "http/routing/event_stream.hpp"

#include <utility>

#include "core/check.hpp"

namespace tideline::http {
namespace {

bool is_one_line(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

void put(std::string& out, std::string_view field, std::string_view value) {
  out.append(field).append(": ").append(value).append("\n");
}

}  // namespace

std::string to_wire(const Event& event) {
  CHECK(is_one_line(event.id) && is_one_line(event.type), "an event's id and type are one line");
  std::string out;
  out.reserve(event.id.size() + event.type.size() + event.data.size() + 32);
  if (!event.id.empty()) put(out, "id", event.id);
  if (!event.type.empty()) put(out, "event", event.type);
  // A carriage return ends a line as well, alone or before a line feed.
  std::string_view rest = event.data;
  for (;;) {
    const std::size_t end = rest.find_first_of("\r\n");
    put(out, "data", rest.substr(0, end));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(rest.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
  }
  out.append("\n");
  return out;
}

EventStream::EventStream(std::size_t bytes_max) : bytes_max_(bytes_max) {}

bool EventStream::send(const Event& event) {
  const std::string bytes = to_wire(event);
  std::shared_ptr<Listener> listener;
  bool taken = false;
  {
    std::lock_guard lock(mutex_);
    if (state_ != State::Open) return false;
    const bool was_empty = waiting_.empty();
    taken = waiting_.size() + bytes.size() <= bytes_max_;
    if (taken) {
      waiting_.append(bytes);
    } else {
      state_ = State::Overrun;
      waiting_ = std::string();
    }
    if (was_empty || !taken) listener = listener_.lock();
  }
  if (listener) listener->on_stream();
  return taken;
}

void EventStream::close() {
  std::shared_ptr<Listener> listener;
  {
    std::lock_guard lock(mutex_);
    if (state_ != State::Open) return;
    state_ = State::Closed;
    listener = listener_.lock();
  }
  if (listener) listener->on_stream();
}

void EventStream::end_when(std::function<bool()> token_ended) {
  std::lock_guard lock(mutex_);
  token_ended_ = std::move(token_ended);
}

bool EventStream::token_ended() const {
  std::lock_guard lock(mutex_);
  return token_ended_ && token_ended_();
}

EventStream::State EventStream::state() const {
  std::lock_guard lock(mutex_);
  return state_;
}

void EventStream::attach(std::weak_ptr<Listener> listener) {
  std::lock_guard lock(mutex_);
  listener_ = std::move(listener);
}

EventStream::Portion EventStream::take() {
  std::lock_guard lock(mutex_);
  return {std::exchange(waiting_, {}), state_};
}

void EventStream::abandon() {
  std::lock_guard lock(mutex_);
  state_ = State::Closed;
  waiting_ = std::string();
  listener_.reset();
}

}  // namespace tideline::http
