#include "runtime/secrets.hpp"

#include <utility>

#include "crypto/token.hpp"
#include "runtime/campus_calendar.hpp"
#include "runtime/edge_adapters.hpp"

namespace tideline::runtime {
namespace {

// Null: `config` has been told why.
std::unique_ptr<crypto::KeyWrap> load_key_wrap(const CommonSettings& settings,
                                               core::Config& config) {
  if (settings.wrapping_keys.empty()) return std::make_unique<crypto::NoKeyWrap>();
  auto wrap = crypto::FileKeyWrap::load(settings.wrapping_keys);
  if (wrap) return *std::move(wrap);
  config.add_error("TIDELINE_WRAPPING_KEYS", wrap.error().message);
  return nullptr;
}

// Null: `config` has been told why.
std::shared_ptr<crypto::KeyFolder> load_position_keys(const CommonSettings& settings,
                                                      core::Config& config) {
  if (settings.position_keys.empty()) {
    const auto secret = crypto::KeyedHash::read_secret(settings.account_secret_file);
    // AccountIds::load() has told what is wrong with that file.
    return secret ? crypto::KeyFolder::of(*secret) : nullptr;
  }
  auto keys = crypto::KeyFolder::load(settings.position_keys);
  if (keys) return *std::move(keys);
  config.add_error("TIDELINE_POSITION_KEYS", keys.error().message);
  return nullptr;
}

}  // namespace

std::optional<Secrets> Secrets::load(const CommonSettings& settings, core::Config& config) {
  auto account_ids = crypto::AccountIds::load(settings.account_secret_file);
  auto tokens = crypto::TokenVerifier::load(settings.jwt_public_keys);
  auto campus = load_campus_calendar(settings.campus_time_zone);
  if (!account_ids) {
    config.add_error("TIDELINE_ACCOUNT_SECRET_FILE", account_ids.error().message);
  }
  if (!tokens) config.add_error("TIDELINE_JWT_PUBLIC_KEYS", tokens.error().message);
  if (!campus) config.add_error("TIDELINE_CAMPUS_TIME_ZONE", campus.error().message);
  auto key_wrap = load_key_wrap(settings, config);
  auto position_keys = load_position_keys(settings, config);
  if (!account_ids || !tokens || !campus || !key_wrap || !position_keys) return std::nullopt;
  return Secrets{*std::move(account_ids),
                 std::make_shared<http::CachingTokenVerifier>(
                     std::make_shared<JwtVerifier>(*std::move(tokens))),
                 *std::move(campus), std::move(key_wrap), std::move(position_keys)};
}

}  // namespace tideline::runtime
