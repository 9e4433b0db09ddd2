#include "crypto/token.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/check.hpp"
#include "core/encoding.hpp"
#include "crypto/key_file.hpp"
#include "crypto/p256_key.hpp"
#include "crypto/token_keys.hpp"

namespace tideline::crypto {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kRolesMax = 16;
constexpr std::size_t kSessionIdMax = 64;
constexpr std::int64_t kYear10000 = 253'402'300'800;  // seconds; later times overflow a Timestamp

std::string encode(std::string_view text) { return core::to_base64url(core::as_bytes(text)); }

std::optional<Json> decode_object(std::string_view part) {
  const std::optional<core::Bytes> bytes = core::from_base64url(part);
  if (!bytes) return std::nullopt;
  Json json = Json::parse(*bytes, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  return json;
}

std::optional<std::string> string_member(const Json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end() || !member->is_string()) return std::nullopt;
  return member->get<std::string>();
}

std::optional<core::Timestamp> time_member(const Json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end() || !member->is_number_integer()) return std::nullopt;
  if (member->is_number_unsigned() &&
      member->get<std::uint64_t>() >= static_cast<std::uint64_t>(kYear10000)) {
    return std::nullopt;
  }
  const auto seconds = member->get<std::int64_t>();
  if (seconds < 0) return std::nullopt;
  return core::Timestamp(std::chrono::seconds(seconds));
}

std::optional<std::vector<std::string>> roles_member(const Json& object) {
  const auto member = object.find("roles");
  if (member == object.end() || !member->is_array() || member->size() > kRolesMax) {
    return std::nullopt;
  }
  std::vector<std::string> roles;
  for (const Json& role : *member) {
    if (!role.is_string()) return std::nullopt;
    roles.push_back(role.get<std::string>());
  }
  return roles;
}

// 0 where it is missing.
std::optional<std::uint32_t> version_member(const Json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end()) return 0;
  if (!member->is_number_unsigned()) return std::nullopt;
  const auto version = member->get<std::uint64_t>();
  if (version > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(version);
}

struct Parts {
  std::string_view header;
  std::string_view claims;
  std::string_view signature;
  std::string_view signed_text;  // header and claims with the dot between them
};

std::optional<Parts> split(std::string_view token) {
  const std::size_t first = token.find('.');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = token.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  return Parts{token.substr(0, first), token.substr(first + 1, second - first - 1),
               token.substr(second + 1), token.substr(0, second)};
}

std::optional<P256Signature> decode_signature(std::string_view part) {
  const std::optional<core::Bytes> bytes = core::from_base64url(part);
  P256Signature signature;
  if (!bytes || bytes->size() != signature.size()) return std::nullopt;
  std::copy(bytes->begin(), bytes->end(), signature.begin());
  return signature;
}

core::Result<VerifiedToken> check_claims(const Json& claims, const TokenVerifierOptions& options,
                                         core::Timestamp now) {
  if (string_member(claims, "iss") != options.claims.issuer) {
    return core::invalid_input("another issuer");
  }
  if (string_member(claims, "aud") != options.claims.audience) {
    return core::invalid_input("for another audience");
  }
  const std::optional<core::Timestamp> expires_at = time_member(claims, "exp");
  const std::optional<core::Timestamp> issued_at = time_member(claims, "iat");
  if (!expires_at || !issued_at) return core::invalid_input("without a time of issue or expiry");
  if (now >= *expires_at) return core::invalid_input("expired");
  if (*issued_at > now + options.leeway) return core::invalid_input("issued in the future");
  if (claims.contains("nbf")) {
    const std::optional<core::Timestamp> not_before = time_member(claims, "nbf");
    if (!not_before || *not_before > now + options.leeway) return core::invalid_input("not yet");
  }
  const std::optional<std::string> subject = string_member(claims, "sub");
  const std::optional<core::AccountId> account =
      subject ? core::AccountId::parse(*subject) : std::nullopt;
  if (!account) return core::invalid_input("without an account");
  std::optional<std::vector<std::string>> roles = roles_member(claims);
  if (!roles) return core::invalid_input("without roles");
  // Tokens from before these claims came have neither.
  std::optional<std::string> session_id =
      claims.contains("sid") ? string_member(claims, "sid") : std::string();
  const std::optional<std::uint32_t> version = version_member(claims, "pv");
  if (!session_id || session_id->size() > kSessionIdMax || !version) {
    return core::invalid_input("without its session");
  }
  return VerifiedToken{{*account, std::move(*roles), std::move(*session_id), *version},
                       *expires_at};
}

}  // namespace

bool VerifiedToken::has_role(std::string_view role) const {
  return std::ranges::find(subject.roles, role) != subject.roles.end();
}

struct TokenSigner::State {
  P256PrivateKey key;
  std::string kid;
  TokenSignerOptions options;
};

TokenSigner::TokenSigner(std::unique_ptr<State> state) : state_(std::move(state)) {}
TokenSigner::TokenSigner(TokenSigner&&) noexcept = default;
TokenSigner& TokenSigner::operator=(TokenSigner&&) noexcept = default;
TokenSigner::~TokenSigner() = default;

core::Result<TokenSigner> TokenSigner::load(const std::filesystem::path& path,
                                            TokenSignerOptions options) {
  const std::string kid = path.stem().string();
  if (path.extension() != ".pem" || !is_key_id(kid)) {
    return core::invalid_input("a signing key is a file <kid>.pem, not " + path.string());
  }
  const core::Result<std::string> pem = read_key_file(path);
  if (!pem) return pem.error();
  core::Result<P256PrivateKey> key = P256PrivateKey::from_pem(*pem);
  if (!key) return core::invalid_input(path.string() + ": " + key.error().message);
  return TokenSigner(std::make_unique<State>(State{*std::move(key), kid, std::move(options)}));
}

core::Result<SignedToken> TokenSigner::sign(const TokenSubject& subject,
                                            core::Timestamp now) const {
  CHECK(subject.roles.size() <= kRolesMax, "more roles than a verifier accepts");
  const auto issued_at = std::chrono::floor<std::chrono::seconds>(now);
  const auto expires_at = issued_at + state_->options.lifetime;
  const OrderedJson header = {{"alg", "ES256"}, {"kid", state_->kid}, {"typ", "JWT"}};
  const OrderedJson claims = {{"iss", state_->options.claims.issuer},
                              {"aud", state_->options.claims.audience},
                              {"sub", subject.account.to_string()},
                              {"roles", subject.roles},
                              {"sid", subject.session_id},
                              {"pv", subject.password_version},
                              {"iat", issued_at.time_since_epoch().count()},
                              {"exp", expires_at.time_since_epoch().count()}};
  std::string token = encode(header.dump()) + "." + encode(claims.dump());
  const core::Result<P256Signature> signature = state_->key.sign(token);
  if (!signature) return signature.error();
  token += "." + core::to_base64url(*signature);
  return SignedToken{std::move(token), expires_at};
}

const std::string& TokenSigner::key_id() const { return state_->kid; }

struct TokenVerifier::State {
  std::unique_ptr<TokenKeys> keys;
  TokenVerifierOptions options;
};

TokenVerifier::TokenVerifier(std::unique_ptr<State> state) : state_(std::move(state)) {}
TokenVerifier::TokenVerifier(TokenVerifier&&) noexcept = default;
TokenVerifier& TokenVerifier::operator=(TokenVerifier&&) noexcept = default;
TokenVerifier::~TokenVerifier() = default;

core::Result<TokenVerifier> TokenVerifier::load(const std::filesystem::path& folder,
                                                TokenVerifierOptions options) {
  core::Result<std::unique_ptr<TokenKeys>> keys =
      TokenKeys::load(folder, options.reread_interval, options.refresh_interval);
  if (!keys) return keys.error();
  return TokenVerifier(std::make_unique<State>(State{*std::move(keys), std::move(options)}));
}

core::Result<VerifiedToken> TokenVerifier::verify(std::string_view token,
                                                  core::Timestamp now) const {
  if (token.size() > kTokenBytesMax) return core::invalid_input("too long for a token");
  const std::optional<Parts> parts = split(token);
  if (!parts) return core::invalid_input("not a token");

  // The algorithm is fixed: what the header says of it is compared, never followed.
  const std::optional<Json> header = decode_object(parts->header);
  if (!header) return core::invalid_input("unreadable header");
  if (string_member(*header, "alg") != "ES256") return core::invalid_input("another algorithm");
  if (header->contains("crit")) return core::invalid_input("unknown critical header");
  if (header->contains("typ") && string_member(*header, "typ") != "JWT") {
    return core::invalid_input("another type of token");
  }
  const std::optional<std::string> kid = string_member(*header, "kid");
  if (!kid || !is_key_id(*kid)) return core::invalid_input("without a key id");
  const std::optional<P256Signature> signature = decode_signature(parts->signature);
  if (!signature) return core::invalid_input("unreadable signature");

  const std::optional<P256PublicKey> key = state_->keys->find(*kid, now);
  if (!key) return core::invalid_input("unknown key id");
  if (!key->verify(parts->signed_text, *signature)) return core::invalid_input("wrong signature");

  const std::optional<Json> claims = decode_object(parts->claims);
  if (!claims) return core::invalid_input("unreadable claims");
  return check_claims(*claims, state_->options, now);
}

std::string TokenVerifier::jwks(core::Timestamp now) const {
  OrderedJson keys = OrderedJson::array();
  const std::shared_ptr<const PublicKeys> loaded = state_->keys->all(now);
  for (const auto& [kid, key] : *loaded) {
    const P256Point point = key.point();
    keys.push_back({{"kty", "EC"},
                    {"crv", "P-256"},
                    {"alg", "ES256"},
                    {"use", "sig"},
                    {"kid", kid},
                    {"x", core::to_base64url(point.x)},
                    {"y", core::to_base64url(point.y)}});
  }
  return OrderedJson{{"keys", std::move(keys)}}.dump();
}

}  // namespace tideline::crypto
