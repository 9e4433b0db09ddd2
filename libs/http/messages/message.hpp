// HTTP requests and responses as handlers see them, independent of the server underneath.
//
// Threads: plain values. The server builds a Request, one worker thread handles it, nobody else
// sees it. Views that a Request hands out live as long as the Request.
// Nothing here blocks. Sizes are bytes.
#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "http/messages/principal.hpp"

namespace tideline::http {

using Json = nlohmann::json;

// As bodies have it, without spaces. Invalid UTF-8 that an adapter let through is replaced, never
// thrown over.
std::string text_of(const Json& json);

struct BodySource;
class EventStream;
class DeferredResponse;
class PositionWaits;

// The methods that this server implements; any other is answered 501 before routing.
enum class Method { Get, Head, Post, Put, Patch, Delete, Options };

[[nodiscard]] std::string_view name_of(Method method);
[[nodiscard]] std::optional<Method> method_named(std::string_view name);  // case-sensitive

// Whether it may be a method or the name of a header field (RFC 9110, 5.6.2).
[[nodiscard]] bool is_token(std::string_view text);

// Without the blanks and tabs around it.
[[nodiscard]] std::string_view trim_blanks(std::string_view text);

// ASCII case is ignored, as header names want it.
[[nodiscard]] bool equal_ignoring_case(std::string_view left, std::string_view right);

// Header fields in the order they were added; names compare without case. Lookup is linear: a
// request carries at most ServerOptions::header_count_max of them.
class Headers {
 public:
  using Field = std::pair<std::string, std::string>;

  // CHECKs that the name is a token and that the value has no control byte: a value taken from
  // outside must be cleaned before, or it could split the response.
  void add(std::string_view name, std::string_view value);
  // Replaces all fields of that name.
  void set(std::string_view name, std::string_view value);
  void remove(std::string_view name);

  // The first field of that name.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  [[nodiscard]] std::size_t count(std::string_view name) const;
  // Of all fields of that name, in their order, with commas between; "" for none.
  [[nodiscard]] std::string joined(std::string_view name) const;

  [[nodiscard]] std::size_t size() const { return fields_.size(); }
  [[nodiscard]] auto begin() const { return fields_.begin(); }
  [[nodiscard]] auto end() const { return fields_.end(); }

 private:
  std::vector<Field> fields_;
};

// Carries position tokens, in requests and answers (see command_endpoint.hpp).
inline constexpr std::string_view kPositionHeader = "Tideline-Position";

using Parameters = std::vector<std::pair<std::string, std::string>>;

struct Request {
  Method method = Method::Get;
  // Percent-decoded exactly once; begins with '/'; valid UTF-8; holds no "." or ".." segment and
  // no control byte. A "%2F" was refused, so a segment never hides a slash.
  std::string path;
  Parameters query_parameters;  // decoded, in order
  Parameters path_parameters;   // set by the router
  Headers headers;
  std::string body;

  // X-Request-Id when it is 1..128 visible ASCII characters, else drawn by the server.
  std::string request_id;
  // X-Correlation-Id under the same rule, else the request id.
  std::string correlation_id;
  // W3C Trace Context: the span that this request is, a child of the one that it came with, or the
  // first of a new trace. What it causes carries this on.
  std::string traceparent;
  // Tideline-Position as it came: the router opens what the headers hold.
  std::string sealed_position;
  // How often the handler has asked to be called again (deferred_response.hpp), for another reason
  // than that it waits.
  int attempt = 0;
  // Where a request waits for what its position token says without holding a worker; null: nowhere,
  // its worker waits. Set by the server.
  PositionWaits* position_waits = nullptr;
  // The time until which it waits, once it has begun to, and whether it is to be called again for
  // that. Set by command_endpoint.hpp, which is given a request that is const to all others.
  struct PositionWait {
    std::optional<std::chrono::steady_clock::time_point> until;
    bool under_way = false;
  };
  mutable PositionWait position_wait;
  // Set by the router where the route asks for a signed-in caller; never for Access::Public.
  std::optional<Principal> principal;
  // Until when the link is good that the request came by; set by the router, nullopt: by none.
  std::optional<core::Timestamp> link_ends{};
  // The template that matched ("/v1/moments/{id}"), a bounded label for metrics; empty until then.
  std::string route_template;

  // The value of "{name}" in the matched template. CHECKs that the template has it.
  [[nodiscard]] std::string_view param(std::string_view name) const;
  // The first query parameter of that name; present but empty for "?name" and "?name=".
  [[nodiscard]] std::optional<std::string_view> query(std::string_view name) const;
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
  // The caller's account. CHECKs that there is a principal: ask only on routes that need one.
  [[nodiscard]] const core::AccountId& account() const;
};

struct Response {
  int status = 200;
  Headers headers;
  // The server adds Content-Length, Connection, Date and the request ids; a handler sets none of
  // them. With 204 and 304 the body is dropped.
  std::string body;
  // By core::time_since_boot(); later than this 503 goes out in its place: for what may be true no
  // longer when a process that was stopped goes on. Asked right before the call that sends it: who
  // is stopped in between is no other for its client than a slow network.
  std::optional<std::chrono::nanoseconds> good_until{};
  // In place of a body: one that is read piece by piece (body_source.hpp).
  std::shared_ptr<BodySource> source{};
  // In place of a body: what follows as it comes, until the stream is closed (event_stream.hpp).
  std::shared_ptr<EventStream> events;
  // In place of everything: the answer comes later (deferred_response.hpp).
  std::shared_ptr<DeferredResponse> deferred;

  [[nodiscard]] static Response json(int status, const Json& body);
  // `media_type` as in Content-Type, e.g. "text/plain; version=0.0.4".
  [[nodiscard]] static Response text(int status, std::string_view media_type, std::string body);
  [[nodiscard]] static Response no_content();
  [[nodiscard]] static Response event_stream(std::shared_ptr<EventStream> events);
  [[nodiscard]] static Response defer(std::shared_ptr<DeferredResponse> deferred);

  // Sets (does not add) a header; chains.
  Response& header(std::string_view name, std::string_view value) &;
  Response&& header(std::string_view name, std::string_view value) &&;
};

// The registered reason phrase of a status, "Unknown" for others.
[[nodiscard]] std::string_view reason_phrase(int status);

// Undoes percent-encoding once; nothing on a malformed escape. With `plus_is_space` as in queries.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);

}  // namespace tideline::http
