#include "http/messages/representation.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/check.hpp"
#include "core/encoding.hpp"
#include "http/messages/body_source.hpp"
#include "http/messages/byte_range.hpp"
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
  if (response.source || response.body.size() < kCompressedBytesMin) return false;
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
  response.source.reset();
  response.headers.remove("Content-Type");
  response.headers.set("ETag", "\"" + opaque + "\"");
  return response;
}

// The bytes of the answer, as it would be without compression.
std::uint64_t size_of(const Response& response) {
  return response.source ? response.source->end : response.body.size();
}

// What the client asks for of the answer; nullopt: all of it. Only GET has ranges.
std::optional<ByteRange> range_of(const Request& request, const Response& response,
                                  const std::string& opaque) {
  if (request.method != Method::Get || response.headers.find("Accept-Ranges") != "bytes") {
    return std::nullopt;
  }
  if (request.headers.count("Range") != 1) return std::nullopt;
  // Compared strongly. A date matches nothing: answers have no Last-Modified.
  const auto condition = request.header("If-Range");
  if (condition && (opaque.empty() || *condition != "\"" + opaque + "\"")) return std::nullopt;
  return parse_byte_range(*request.header("Range"), size_of(response));
}

Response part_of(Response response, const ByteRange& range) {
  const std::string size = std::to_string(size_of(response));
  if (range.empty()) {
    return to_response(problem(416, "range-not-satisfiable", "There is no such range",
                               "there are " + size + " bytes"))
        .header("Content-Range", "bytes */" + size)
        .header("Accept-Ranges", "bytes");
  }
  response.status = 206;
  response.headers.set("Content-Range", "bytes " + std::to_string(range.begin) + "-" +
                                            std::to_string(range.end - 1) + "/" + size);
  if (response.source) {
    response.source->begin = range.begin;
    response.source->end = range.end;
  } else {
    response.body = response.body.substr(range.begin, range.end - range.begin);
  }
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
  if (const auto range = range_of(request, response, opaque)) {
    if (!opaque.empty()) response.headers.set("ETag", "\"" + opaque + "\"");
    return part_of(std::move(response), *range);
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
