#include "http/messages/problem.hpp"

namespace tideline::http {
namespace {

constexpr std::string_view kTypePrefix = "urn:tideline:problem:";

}  // namespace

Problem problem(int status, std::string_view code, std::string title, std::string detail) {
  Problem made;
  made.status = status;
  made.type = std::string(kTypePrefix).append(code);
  made.title = std::move(title);
  made.detail = std::move(detail);
  return made;
}

Problem malformed(std::string detail) {
  return problem(400, "malformed", "The request is malformed", std::move(detail));
}

Problem unauthenticated(std::string detail) {
  Problem made = problem(401, "unauthenticated", "A valid token is needed", std::move(detail));
  made.headers.set("WWW-Authenticate", "Bearer realm=\"tideline\"");
  return made;
}

Problem forbidden(std::string detail) {
  return problem(403, "forbidden", "The caller may not do this", std::move(detail));
}

Problem not_found(std::string detail) {
  return problem(404, "not-found", "Not found", std::move(detail));
}

Problem no_such_person() {
  return problem(404, "no-such-person", "Not found", "nobody has registered this user_id");
}

Problem conflict(std::string_view code, std::string detail) {
  return problem(409, code, "The present state does not allow this", std::move(detail));
}

Problem precondition_failed(std::string detail) {
  return problem(412, "precondition-failed", "The resource has changed", std::move(detail));
}

Problem content_too_large(std::size_t bytes_max) {
  return problem(413, "content-too-large", "The body is too large",
                 "a body has at most " + std::to_string(bytes_max) + " bytes");
}

Problem unsupported_media_type(std::string detail) {
  return problem(415, "unsupported-media-type", "The body has the wrong media type",
                 std::move(detail));
}

Problem unprocessable(std::string_view code, std::string detail) {
  return problem(422, code, "The request cannot be fulfilled", std::move(detail));
}

Problem invalid(const std::vector<Violation>& violations) {
  Problem made = problem(422, "invalid", "Some fields are invalid",
                         std::to_string(violations.size()) + " fields were refused");
  if (violations.size() == 1) made.detail = "one field was refused";
  Json errors = Json::array();
  for (const Violation& violation : violations) {
    errors.push_back({{"pointer", violation.pointer}, {"detail", violation.detail}});
  }
  made.extensions["errors"] = std::move(errors);
  return made;
}

Problem too_many_requests(std::chrono::seconds retry_after) {
  Problem made = problem(429, "too-many-requests", "Too many requests", "slow down");
  const std::string seconds = std::to_string(retry_after.count());
  made.headers.set("Retry-After", seconds);
  // draft-ietf-httpapi-ratelimit-headers: nothing remains (r) for so many seconds (t).
  made.headers.set("RateLimit", "\"requests\";r=0;t=" + seconds);
  return made;
}

Problem internal_error() {
  return problem(500, "internal", "The server failed", "the failure has been recorded");
}

Problem unavailable(std::string detail, std::chrono::seconds retry_after) {
  Problem made = problem(503, "unavailable", "Not available now", std::move(detail));
  made.headers.set("Retry-After", std::to_string(retry_after.count()));
  return made;
}

Problem from_error(const core::Error& error) {
  if (error.retryable) return unavailable("the service cannot answer now, try again");
  if (error.code == core::ErrorCode::Conflict) {
    return conflict("account-closed", "this needs a key that went with a closed account");
  }
  return internal_error();
}

Response to_response(const Problem& problem) {
  Json body = problem.extensions.is_object() ? problem.extensions : Json::object();
  body["type"] = problem.type;
  body["title"] = problem.title;
  body["status"] = problem.status;
  body["detail"] = problem.detail;
  Response response = Response::json(problem.status, body);
  response.headers.set("Content-Type", "application/problem+json");
  for (const auto& [name, value] : problem.headers) response.headers.add(name, value);
  return response;
}

void refuse(Problem problem) { throw Refused(std::move(problem)); }

Response answer_of(const std::function<Response()>& handler) {
  try {
    return handler();
  } catch (const Refused& refused) {
    return to_response(refused.problem());
  } catch (const AnsweredLater& later) {
    return later.response();
  } catch (const core::Failed& failed) {
    return to_response(from_error(failed.error()));
  }
}

}  // namespace tideline::http
