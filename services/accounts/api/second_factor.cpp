#include "accounts/api/second_factor.hpp"

#include "accounts/api/recovery_codes.hpp"
#include "accounts/domain/second_factor.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "crypto/totp.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "http/messages/problem.hpp"

namespace tideline::accounts {

namespace es = eventsourcing;

void check_second_factor(const ApiPorts& ports, es::CommandSession& session,
                         const core::AccountId& account, const Account::State& state,
                         std::string_view code) {
  if (!state.second_factor) return;
  if (code.empty()) throw es::Rejected(kSecondFactorWanted);
  const std::string key = account.to_string();
  if (const auto wait = ports.attempts.begin_code(key, ports.clock.now()))
    http::refuse(http::too_many_requests(*wait));
  if (looks_like_recovery_code(code)) {
    use_recovery_code(session, account, code);
    ports.attempts.forgive_code(key);
    return;
  }
  // The one that loaded the account may have had no cipher.
  const auto opened = session.load<Account>(keys::account(account),
                                            es::EventCodec<Account>(ports.profiles.cipher()));
  const auto step =
      crypto::totp_step(opened.state.second_factor.value_or(""), code, ports.clock.now());
  if (!step) throw es::Rejected(kSecondFactorRefused);
  es::change_last<UsedCodes>(session, keys::second_factor(account), es::EventCodec<UsedCodes>{},
                             UseCode{account, *step});
  ports.attempts.forgive_code(key);
}

}  // namespace tideline::accounts
