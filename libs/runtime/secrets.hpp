// Keys and the like, from files.
#pragma once

#include <memory>
#include <optional>

#include "core/clock.hpp"
#include "core/config.hpp"
#include "crypto/account_ids.hpp"
#include "crypto/key_folder.hpp"
#include "crypto/key_wrap.hpp"
#include "http/routing/authentication.hpp"
#include "runtime/settings.hpp"

namespace tideline::runtime {

// What is read from files before anything starts; a mistake in one is a mistake in the settings.
struct Secrets {
  crypto::AccountIds account_ids;
  std::shared_ptr<http::TokenVerifier> tokens;
  std::unique_ptr<core::CampusCalendar> campus;
  std::unique_ptr<crypto::KeyWrap> key_wrap;
  std::shared_ptr<crypto::KeyFolder> position_keys;

  // nullopt: `config` has been told why.
  static std::optional<Secrets> load(const CommonSettings& settings, core::Config& config);
};

}  // namespace tideline::runtime
