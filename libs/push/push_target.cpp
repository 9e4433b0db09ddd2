#include "push/push_target.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/encoding.hpp"
#include "crypto/p256_key.hpp"

namespace tideline::push {
namespace {

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, FreeUrl>;

// Empty: it has none.
std::string part_of(const Url& url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, flags) != CURLUE_OK) return "";
  std::string copy(text);
  curl_free(text);
  return copy;
}

template <std::size_t size>
bool read_bytes(std::string_view text, std::array<std::uint8_t, size>& into) {
  while (text.ends_with('=')) text.remove_suffix(1);
  const auto bytes = core::from_base64url(text);
  if (!bytes || bytes->size() != size) return false;
  std::copy(bytes->begin(), bytes->end(), into.begin());
  return true;
}

}  // namespace

std::string PushTarget::to_text() const {
  return nlohmann::json{{"endpoint", endpoint},
                        {"p256dh", core::to_base64url(key)},
                        {"auth", core::to_base64url(secret)}}
      .dump();
}

core::Result<PushTarget> PushTarget::of_text(std::string_view text) {
  const auto stored = nlohmann::json::parse(text, nullptr, false);
  const auto member = [&](const char* name) {
    const auto found = stored.find(name);
    return found != stored.end() && found->is_string() ? found->get<std::string>() : "";
  };
  if (!stored.is_object()) return core::invalid_input("no stored target");
  // It was let in when it was stored; whom it may reach is asked again when it is sent to.
  return read_target(member("endpoint"), member("p256dh"), member("auth"), Reach::Anybody);
}

core::Result<PushTarget> read_target(std::string_view endpoint, std::string_view p256dh,
                                     std::string_view auth, Reach reach) {
  PushTarget target{std::string(endpoint), {}, {}};
  const auto origin = origin_of(target.endpoint, reach);
  if (!origin) return origin.error();
  if (!read_bytes(p256dh, target.key) || !crypto::P256PublicKey::from_uncompressed(target.key)) {
    return core::invalid_input("p256dh is no key of P-256 in base64url");
  }
  if (!read_bytes(auth, target.secret)) {
    return core::invalid_input("auth is not 16 bytes in base64url");
  }
  return target;
}

core::Result<std::string> origin_of(const std::string& endpoint, Reach reach) {
  if (endpoint.size() > kEndpointLengthMax) return core::invalid_input("the endpoint is too long");
  const bool is_plain = std::ranges::all_of(endpoint, [](char c) { return c > ' ' && c < 127; });
  const Url url(curl_url());
  if (!is_plain || !url ||
      curl_url_set(url.get(), CURLUPART_URL, endpoint.c_str(), 0) != CURLUE_OK) {
    return core::invalid_input("the endpoint is no URL");
  }
  const std::string scheme = part_of(url, CURLUPART_SCHEME);
  const std::string port = part_of(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  const bool is_https = scheme == "https";
  if (!is_https && !(reach == Reach::Anybody && scheme == "http")) {
    return core::invalid_input("the endpoint does not begin with https://");
  }
  if (reach == Reach::Public && port != "443") {
    return core::invalid_input("the endpoint is not at port 443");
  }
  if (!part_of(url, CURLUPART_USER).empty() || !part_of(url, CURLUPART_PASSWORD).empty() ||
      !part_of(url, CURLUPART_FRAGMENT).empty()) {
    return core::invalid_input("the endpoint has a user or a fragment");
  }
  const bool is_default = port == (is_https ? "443" : "80");
  return scheme + "://" + part_of(url, CURLUPART_HOST) + (is_default ? "" : ":" + port);
}

}  // namespace tideline::push
