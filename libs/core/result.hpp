// Result<T>: a value, or the Error that kept a port from giving one. Errors are of the second tier:
// the world failed (a server is away, a file is unreadable). A business "no" is a Rejection, which
// is an ordinary value; a bug is a CHECK.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "core/check.hpp"

namespace tideline::core {

enum class ErrorCode {
  Unavailable,   // the other side is away or overloaded
  Timeout,       // it did not answer in time; whether it acted is unknown
  Conflict,      // it refused because somebody else was first
  InvalidInput,  // what came from outside cannot be read
  NotFound,      // it has no such thing
  Internal,      // it answered something that cannot be
};

struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;     // for logs, never shown to clients
  bool retryable = false;  // the same call may succeed later
};

inline Error unavailable(std::string message) {
  return {ErrorCode::Unavailable, std::move(message), true};
}
inline Error timed_out(std::string message) {
  return {ErrorCode::Timeout, std::move(message), true};
}
inline Error invalid_input(std::string message) {
  return {ErrorCode::InvalidInput, std::move(message), false};
}
inline Error internal_error(std::string message) {
  return {ErrorCode::Internal, std::move(message), false};
}

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    CHECK(ok(), std::get<1>(state_).message.c_str());
    return std::get<0>(state_);
  }
  const T& value() const& {
    CHECK(ok(), std::get<1>(state_).message.c_str());
    return std::get<0>(state_);
  }
  T value() && {
    CHECK(ok(), std::get<1>(state_).message.c_str());
    return std::move(std::get<0>(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    CHECK(!ok(), "a result that holds a value has no error");
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

struct Unit {
  friend bool operator==(const Unit&, const Unit&) = default;
};

// What a call returns that can fail but has nothing to say.
using Status = Result<Unit>;

inline Status success() { return Unit{}; }

// An Error on its way to whoever answers: thrown by value_of(), and a Result again where a command
// or a transaction ends, or a problem where a request does.
class Failed : public std::runtime_error {
 public:
  explicit Failed(Error error) : std::runtime_error(error.message), error_(std::move(error)) {}
  const Error& error() const { return error_; }

 private:
  Error error_;
};

// The value; throws Failed where there is none. For code that has nothing to do about an Error but
// to leave: handlers of requests, bodies of commands.
template <class T>
T value_of(Result<T> result) {
  if (!result) throw Failed(result.error());
  return std::move(*result);
}
inline void value_of(const Status& status) {
  if (!status) throw Failed(status.error());
}

}  // namespace tideline::core
