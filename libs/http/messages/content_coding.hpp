// Content codings (RFC 9110, 12.5.3): whether a client takes gzip, and making it.
//
// Threads: callable from any; gzip() keeps its working memory (some 260 KB) with the thread.
#pragma once

#include <string>
#include <string_view>

namespace tideline::http {

// Whether an Accept-Encoding prefers gzip to the plain form: gzip (or "*") has a weight above 0
// that is not below that of identity. Elements that are malformed are passed over.
bool prefers_gzip(std::string_view accept_encoding);

// The bytes in gzip's format, at zlib's fastest level: a third to a tenth of JSON, at some 100
// MB/s. Blocks for the computation.
std::string gzip(std::string_view bytes);

}  // namespace tideline::http
