// Inside libs/http: a request and what has become of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "http/messages/message.hpp"
#include "http/routing/deferred_response.hpp"
#include "http/server/body_budget.hpp"
#include "http/server/server.hpp"

namespace tideline::http {

struct Exchange {
  Request request;
  BodyBudget::Permit body_permit;  // of a large body
  bool malformed = false;
  bool http_1_0 = false;
  bool keep_alive = false;  // as the client wants it; whether we grant it is decided at the answer
  std::chrono::steady_clock::time_point began;
  int status = 0;
  std::size_t request_bytes = 0;  // of the body, which is gone once there is an answer
  std::size_t response_bytes = 0;
  std::size_t outbox_end = 0;  // of its answer
  std::string failure;
  std::string parent_span_id;
  std::shared_ptr<DeferredResponse> deferred;
  bool reported = false;

  // There is an answer: nobody reads the body any more, and the connection may stay open for long.
  void drop_body();
  // Refers to this.
  [[nodiscard]] RequestRecord record(bool delivered) const;
};

}  // namespace tideline::http
