#include "http/routing/signed_links.hpp"

#include <charconv>
#include <cstdint>
#include <utility>

namespace tideline::http {
namespace {

using std::chrono::seconds;

constexpr std::string_view kSignature = "signature";

// What is sealed, and the link ahead of its signature.
std::string text_of(std::string_view path, std::string_view reader, std::string_view expires) {
  std::string text(path);
  text.append("?reader=").append(reader).append("&expires=").append(expires);
  return text;
}

// As to() writes it, so that a link has one spelling.
std::optional<core::Timestamp> parse_seconds(std::string_view text) {
  constexpr std::size_t kDigitsMax = 12;
  std::uint64_t count = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool all = error == std::errc{} && rest == text.data() + text.size();
  if (!all || text.size() > kDigitsMax) return std::nullopt;
  return core::Timestamp(seconds(count));
}

}  // namespace

std::string SignedLinks::to(std::string_view path, const core::AccountId& reader) const {
  const auto begun = std::chrono::floor<seconds>(clock_.now().time_since_epoch());
  const seconds period = kPeriod;
  const seconds ends = (begun / period + 2) * period;
  const auto text = text_of(path, reader.to_string(), std::to_string(ends.count()));
  const auto sealed = seal_.seal(text);
  return text + "&" + std::string(kSignature) + "=" + sealed.substr(text.size() + 1);
}

bool SignedLinks::is_in(const Request& request) { return request.query(kSignature).has_value(); }

std::optional<SignedLinks::Link> SignedLinks::find(const Request& request) const {
  const auto reader = request.query("reader");
  const auto expires = request.query("expires");
  const auto signature = request.query(kSignature);
  if (!reader || !expires || !signature) return std::nullopt;
  const auto account = core::AccountId::parse(*reader);
  const auto ends = parse_seconds(*expires);
  if (!account || !ends || *ends <= clock_.now()) return std::nullopt;
  const auto text = text_of(request.path, *reader, *expires);
  if (!seal_.open(text + "." + std::string(*signature))) return std::nullopt;
  return Link{*account, *ends};
}

}  // namespace tideline::http
