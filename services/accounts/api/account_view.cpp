#include "accounts/api/account_view.hpp"

#include <utility>

#include "accounts/api/recovery_codes.hpp"
#include "accounts/api/session_issue.hpp"
#include "accounts/domain/account.hpp"
#include "accounts/domain/rejections.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "http/messages/problem.hpp"
#include "people/avatar_path.hpp"

namespace tideline::accounts {

namespace es = eventsourcing;

core::Result<es::Loaded<Account>> load_account(const ApiPorts& ports,
                                               const core::AccountId& account) {
  const es::CommandContext context{ports.clock.now(), {}, std::nullopt, std::nullopt};
  es::CommandSession session(ports.store, context);
  try {
    return session.load<Account>(keys::account(account),
                                 eventsourcing::EventCodec<Account>(ports.profiles.cipher()));
  } catch (const es::CodecFailed& failed) {
    return failed.error();
  }
}

nlohmann::json avatar_json(const Profile& profile) {
  if (!profile.avatar) return nullptr;
  return people::avatar_path(profile.user_id, *profile.avatar);
}

OwnFacts own_facts(const ApiPorts& ports, const core::AccountId& account,
                   const Account::State& state) {
  const bool email_verified =
      state.verified &&
      state.verified->address == address_of(ports.account_ids, state.profile.email);
  return {state.registered_at, email_verified, state.second_factor.has_value(),
          count_recovery_codes(ports, account)};
}

nlohmann::json own_profile(const Profile& profile, const OwnFacts& facts) {
  return {{"user_id", profile.user_id},
          {"real_name", profile.real_name},
          {"email", profile.email},
          {"email_verified", facts.email_verified},
          {"second_factor", facts.second_factor},
          {"recovery_codes", facts.recovery_codes},
          {"sex", static_cast<unsigned>(profile.sex)},
          {"department", profile.department},
          {"bio", profile.bio},
          {"avatar", avatar_json(profile)},
          {"shows_visits", profile.shows_visits},
          {"registered_at", core::format_iso8601(facts.registered_at)}};
}

http::Response with_own_profile(const ApiPorts& ports, http::Response response,
                                const core::AccountId& account) {
  const auto loaded = core::value_of(load_account(ports, account));
  if (!loaded.state.open()) return http::to_response(kNoSuchAccount);
  response.headers.set("ETag", http::entity_tag(loaded.version));
  const Account::State& state = loaded.state;
  return with_body(std::move(response),
                   own_profile(state.profile, own_facts(ports, account, state)));
}

}  // namespace tideline::accounts
