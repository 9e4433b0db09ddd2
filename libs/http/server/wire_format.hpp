// Inside libs/http: a response as bytes (RFC 9112). Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "http/messages/message.hpp"

namespace tideline::http {

// In an answer of a server that is about to stop: whoever has others of its kind asks them from now
// on. Outside of the suite nobody sees it.
inline constexpr std::string_view kStoppingHeader = "X-Tideline-Stopping";

struct WireContext {
  bool keep_alive = false;
  bool http_1_0 = false;   // the client's version: keep-alive must then be said
  bool stopping = false;   // says so (kStoppingHeader)
  bool head_only = false;  // the answer to HEAD: Content-Length of the body, without the body
  std::string_view request_id;
  std::string_view correlation_id;
  core::Timestamp now;
};

// Status line, header fields and body. Fields that only the server may set (Connection,
// Content-Length, Date, Transfer-Encoding and the ids) are dropped from the response's own.
// Answers are not to be stored by caches unless the response says otherwise.
// Of a body that is read piece by piece `body` holds the first piece, which the source is past.
// An answer that is a stream has its head only; its body follows, to HTTP/1.1 in chunks.
std::string to_wire(const Response& response, const WireContext& context);

// One chunk of a body in chunks; nothing for no bytes, which would end it.
std::string to_chunk(std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string format_http_date(core::Timestamp time);

}  // namespace tideline::http
