#include "http/messages/representation.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/check.hpp"
#include "core/encoding.hpp"
#include "http/messages/content_coding.hpp"
#include "http/messages/entity_tag.hpp"
#include "http/messages/problem.hpp"

namespace tideline::http {
namespace {

constexpr std::size_t kDigestBytes = 12;
constexpr std::string_view kCompressedSuffix = ".gz";

std::string digest_of(std::string_view body) {
  std::array<std::uint8_t, 32> digest{};
  unsigned size = 0;
  CHECK(EVP_Digest(body.data(), body.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1,
        "SHA-256");
  return core::to_base64url(std::span(digest).first(kDigestBytes));
}

bool is_compressible(const Response& response) {
  if (response.body.size() < kCompressedBytesMin) return false;
  if (response.headers.find("Content-Encoding")) return false;
  const auto type = response.headers.find("Content-Type");
  return type && (type->starts_with("application/json") || type->starts_with("text/"));
}

// The answer's tags are `opaque` and the same with kCompressedSuffix.
bool is_either(const EntityTag& tag, std::string_view opaque) {
  return tag.opaque == opaque ||
         (tag.opaque.starts_with(opaque) && tag.opaque.substr(opaque.size()) == kCompressedSuffix);
}

// The tag of If-None-Match that is the answer's own, compared weakly; nothing if there is none.
std::optional<std::string> known_tag(const Request& request, const std::string& opaque) {
  for (const auto& [name, value] : request.headers) {
    if (!equal_ignoring_case(name, "If-None-Match")) continue;
    if (value == "*") return opaque;
    const auto tags = parse_entity_tags(value);
    if (!tags) continue;
    for (const EntityTag& tag : *tags) {
      if (is_either(tag, opaque)) return std::string(tag.opaque);
    }
  }
  return std::nullopt;
}

// Whether If-Match names another version only.
bool is_another_version(const Request& request, std::optional<core::StreamVersion> version) {
  const auto header = request.header("If-Match");
  if (!header || *header == "*") return false;
  const auto tags = parse_entity_tags(*header);
  return !version || !tags || std::none_of(tags->begin(), tags->end(), [&](const EntityTag& tag) {
    return version_of(tag) == version;
  });
}

Response not_modified(Response response, const std::string& opaque) {
  response.status = 304;
  response.body.clear();
  response.headers.remove("Content-Type");
  response.headers.set("ETag", "\"" + opaque + "\"");
  return response;
}

}  // namespace

Response represent(const Request& request, Response response) {
  const bool reads = request.method == Method::Get || request.method == Method::Head;
  // Of a stream there is nothing yet to digest or to compress.
  if (!reads || response.status != 200 || response.events) return response;
  const bool compressible = is_compressible(response);
  if (compressible) response.headers.add("Vary", "Accept-Encoding");

  const auto etag = response.headers.find("ETag");
  const auto tags = etag ? parse_entity_tags(*etag) : std::nullopt;
  const auto version = tags ? version_of(tags->front()) : std::nullopt;
  if (is_another_version(request, version)) {
    return to_response(precondition_failed("the resource is not at the version of If-Match"));
  }
  std::string opaque;
  if (version) {
    opaque = std::to_string(version->value()) + "." + digest_of(response.body);
  } else if (tags && !tags->front().weak) {
    opaque = tags->front().opaque;
  }
  if (!opaque.empty()) {
    if (const auto known = known_tag(request, opaque)) {
      return not_modified(std::move(response), *known);
    }
  }
  if (compressible && prefers_gzip(request.header("Accept-Encoding").value_or(""))) {
    std::string packed = gzip(response.body);
    if (packed.size() < response.body.size()) {
      response.body = std::move(packed);
      response.headers.set("Content-Encoding", "gzip");
      opaque += kCompressedSuffix;
    }
  }
  if (!opaque.empty()) response.headers.set("ETag", "\"" + opaque + "\"");
  return response;
}

}  // namespace tideline::http
