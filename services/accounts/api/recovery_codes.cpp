#include "accounts/api/recovery_codes.hpp"

#include <array>
#include <cstdint>
#include <optional>

#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "core/encoding.hpp"
#include "crypto/digest.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"

namespace tideline::accounts {
namespace {

namespace es = eventsourcing;

constexpr std::size_t kBytes = 10;
constexpr std::size_t kGroup = 4;  // characters

// nullopt: no code reads so.
std::optional<std::string> letters_of(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (c == '-') continue;
    letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  std::array<std::uint8_t, kBytes> bytes{};
  if (!core::read_base32(letters, bytes)) return std::nullopt;
  return letters;
}

std::string hash_of(const core::AccountId& account, std::string_view code) {
  return crypto::blake2b_256_hex(account.to_string() + ":" + letters_of(code).value_or(""));
}

}  // namespace

std::vector<std::string> new_recovery_codes(core::Random& random) {
  std::vector<std::string> codes;
  for (std::size_t i = 0; i < RecoveryCodes::kCodes; ++i) {
    std::array<std::uint8_t, kBytes> bytes{};
    random.fill(bytes);
    const std::string letters = core::to_base32(bytes);
    std::string code;
    for (std::size_t at = 0; at < letters.size(); at += kGroup) {
      if (at > 0) code += '-';
      code += letters.substr(at, kGroup);
    }
    codes.push_back(std::move(code));
  }
  return codes;
}

bool looks_like_recovery_code(std::string_view text) { return letters_of(text).has_value(); }

void stage_recovery_codes(es::CommandSession& session, const core::AccountId& account,
                          const std::vector<std::string>& codes) {
  std::vector<std::string> hashes;
  for (const std::string& code : codes) hashes.push_back(hash_of(account, code));
  es::change_last<RecoveryCodes>(session, keys::recovery(account), es::EventCodec<RecoveryCodes>{},
                                 DrawRecoveryCodes{account, std::move(hashes)});
}

void use_recovery_code(es::CommandSession& session, const core::AccountId& account,
                       std::string_view code) {
  es::change_last<RecoveryCodes>(session, keys::recovery(account), es::EventCodec<RecoveryCodes>{},
                                 UseRecoveryCode{account, hash_of(account, code)});
}

std::size_t count_recovery_codes(const ApiPorts& ports, const core::AccountId& account) {
  const es::CommandContext context{ports.clock.now(), {}, std::nullopt, std::nullopt};
  es::CommandSession session(ports.store, context);
  return session.load_last<RecoveryCodes>(keys::recovery(account), es::EventCodec<RecoveryCodes>{})
      .state.code_hashes.size();
}

}  // namespace tideline::accounts
