// Inside libs/http: the request target of RFC 9112 section 3.2.
// Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/messages/message.hpp"

namespace tideline::http {

struct RequestTarget {
  std::string path;  // "*" for the asterisk form
  Parameters query;
};

// Origin form, absolute form (http and https; its authority is checked and dropped), and "*" for
// OPTIONS. Nothing for anything else: characters outside RFC 3986, a fragment, malformed escapes,
// what decodes to invalid UTF-8 or a control byte, an encoded slash, "." and ".." segments.
std::optional<RequestTarget> parse_target(std::string_view target, Method method);

// host[:port] of RFC 3986, not empty, no userinfo.
bool is_authority(std::string_view text);

}  // namespace tideline::http
