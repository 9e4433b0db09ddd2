#include "accounts/api/refresh_token.hpp"

#include "core/encoding.hpp"
#include "core/time_ordered_id.hpp"
#include "crypto/digest.hpp"

namespace tideline::accounts {

RefreshToken RefreshToken::draw(core::Timestamp now, core::Random& random) {
  return {core::make_time_ordered_id(now, random), crypto::random_token(random),
          crypto::random_token(random)};
}

RefreshToken RefreshToken::next(core::Random& random) const {
  return {session_id_, family_secret_, crypto::random_token(random)};
}

std::optional<RefreshToken> RefreshToken::parse(std::string_view text) {
  if (text.size() != kTextLength || text[26] != '.') return std::nullopt;
  const auto session_id = text.substr(0, 26);
  const auto family = text.substr(27, kSecretLength);
  const auto token = text.substr(27 + kSecretLength);
  const bool well_formed = core::is_time_ordered_id(session_id) && core::from_base64url(family) &&
                           core::from_base64url(token);
  if (!well_formed) return std::nullopt;
  return RefreshToken(std::string(session_id), std::string(family), std::string(token));
}

ShownToken RefreshToken::hashes() const {
  return {crypto::blake2b_256_hex(family_secret_), crypto::blake2b_256_hex(token_secret_)};
}

}  // namespace tideline::accounts
