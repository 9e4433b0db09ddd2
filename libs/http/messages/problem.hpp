// RFC 9457 problem details: the one shape in which the API says no.
//
// Threads: plain values. Nothing here blocks or throws.
// A `detail` is shown to clients: it names what they sent, never an internal.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/check.hpp"
#include "core/result.hpp"
#include "http/messages/message.hpp"

namespace tideline::http {

struct Problem {
  int status = 500;
  std::string type = "about:blank";  // "urn:tideline:problem:<code>"
  std::string title;
  std::string detail;
  Json extensions = Json::object();  // members beside the registered ones
  Headers headers;                   // e.g. Retry-After, WWW-Authenticate, Allow
};

// One refused field of a JSON body: an RFC 6901 pointer ("/content", "" = the whole body) and why.
struct Violation {
  std::string pointer;
  std::string detail;
};

// `code` is a stable kebab-case word that clients may switch on.
[[nodiscard]] Problem problem(int status, std::string_view code, std::string title,
                              std::string detail);

[[nodiscard]] Problem malformed(std::string detail);                                // 400
[[nodiscard]] Problem unauthenticated(std::string detail);                          // 401
[[nodiscard]] Problem forbidden(std::string detail);                                // 403
[[nodiscard]] Problem not_found(std::string detail = "there is no such resource");  // 404
[[nodiscard]] Problem no_such_person();  // 404 "no-such-person", for a user_id
[[nodiscard]] Problem conflict(std::string_view code, std::string detail);       // 409
[[nodiscard]] Problem precondition_failed(std::string detail);                   // 412
[[nodiscard]] Problem content_too_large(std::size_t bytes_max);                  // 413, of a body
[[nodiscard]] Problem unsupported_media_type(std::string detail);                // 415
[[nodiscard]] Problem unprocessable(std::string_view code, std::string detail);  // 422
[[nodiscard]] Problem invalid(const std::vector<Violation>& violations);         // 422
[[nodiscard]] Problem too_many_requests(std::chrono::seconds retry_after);       // 429
[[nodiscard]] Problem internal_error();                                          // 500
[[nodiscard]] Problem unavailable(std::string detail,
                                  std::chrono::seconds retry_after = std::chrono::seconds{1});

// A failure of the world: retryable -> 503 with Retry-After, else 500. A Conflict for good is 409
// "account-closed": a subject key that has been destroyed, asked for by a token that outlives its
// account for some minutes. The error's own text stays inside (it may name hosts or statements):
// log it where the error arose.
[[nodiscard]] Problem from_error(const core::Error& error);

// application/problem+json
[[nodiscard]] Response to_response(const Problem& problem);

// A value, or the problem to answer with. What functions return that read a request.
template <class T>
class [[nodiscard]] Parsed {
 public:
  Parsed(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT implicit
  Parsed(Problem problem) : state_(std::in_place_index<1>, std::move(problem)) {}  // NOLINT

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // The caller asked ok() before; anything else aborts the process.
  [[nodiscard]] T& value() & { return *checked(std::get_if<0>(&state_)); }
  [[nodiscard]] const T& value() const& { return *checked(std::get_if<0>(&state_)); }
  [[nodiscard]] T value() && { return std::move(*checked(std::get_if<0>(&state_))); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  [[nodiscard]] const Problem& problem() const { return *checked(std::get_if<1>(&state_)); }
  [[nodiscard]] Response response() const { return to_response(problem()); }

 private:
  template <class P>
  static P* checked(P* pointer) {
    CHECK(pointer != nullptr, "ok() must be asked before value() or problem()");
    return pointer;
  }

  std::variant<T, Problem> state_;
};

// A problem on its way to the router, which answers with it.
class Refused : public std::exception {
 public:
  explicit Refused(Problem problem) : problem_(std::move(problem)) {}
  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const char* what() const noexcept override { return problem_.detail.c_str(); }

 private:
  Problem problem_;
};

// How a handler leaves early, from wherever it is.
[[noreturn]] void refuse(Problem problem);

// An answer on its way to the router, from a handler that cannot go on now.
class AnsweredLater : public std::exception {
 public:
  explicit AnsweredLater(Response response) : response_(std::move(response)) {}
  [[nodiscard]] const Response& response() const { return response_; }
  [[nodiscard]] const char* what() const noexcept override { return "answered later"; }

 private:
  Response response_;
};

template <class T>
T value_of(Parsed<T> parsed) {
  if (!parsed) refuse(parsed.problem());
  return std::move(*parsed);
}

// What `handler` answers, be it that it leaves early: by Refused, AnsweredLater or core::Failed.
[[nodiscard]] Response answer_of(const std::function<Response()>& handler);

}  // namespace tideline::http
