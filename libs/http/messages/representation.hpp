// Inside libs/http: which form of an answer goes out, once for all routes of all services.
//
//   ETag             of a GET: the handler's version and a digest of the body (entity_tag.hpp); a
//                    handler's tag that is no version names the body by itself and stays as it is
//   If-None-Match    304 without the body when the client has this very answer
//   If-Match         412 when the resource stands at another version
//   Range, If-Range  one range of an answer that says "Accept-Ranges: bytes": 206, or 416 when it
//                    lies beyond the end; of several ranges, or another ETag, the whole answer
//   Accept-Encoding  gzip for JSON and text of at least kCompressedBytesMin
//
// They are asked in this order: If-Match, If-None-Match, If-Range, Range, Accept-Encoding.
//
// Only answers 200 to GET and HEAD are touched. What a command answers is never compressed: a token
// beside words of the client's choice could be guessed from the length (BREACH).
//
// Thread-safe; blocks for the compression.
#pragma once

#include <cstddef>

#include "http/messages/message.hpp"

namespace tideline::http {

inline constexpr std::size_t kCompressedBytesMin = 1024;

Response represent(const Request& request, Response response);

}  // namespace tideline::http
