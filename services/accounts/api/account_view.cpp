#include "accounts/api/account_view.hpp"

#include <utility>

#include "accounts/api/session_issue.hpp"
#include "accounts/domain/account.hpp"
#include "accounts/domain/rejections.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "http/messages/problem.hpp"

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

nlohmann::json own_profile(const Profile& profile, core::Timestamp registered_at,
                           bool email_verified, bool second_factor) {
  return {
      {"user_id", profile.user_id},       {"real_name", profile.real_name},
      {"email", profile.email},           {"email_verified", email_verified},
      {"second_factor", second_factor},   {"sex", static_cast<unsigned>(profile.sex)},
      {"department", profile.department}, {"registered_at", core::format_iso8601(registered_at)}};
}

http::Response with_own_profile(const ApiPorts& ports, http::Response response,
                                const core::AccountId& account) {
  const auto loaded = core::value_of(load_account(ports, account));
  if (!loaded.state.open()) return http::to_response(kNoSuchAccount);
  response.headers.set("ETag", http::entity_tag(loaded.version));
  const Account::State& state = loaded.state;
  const bool email_verified =
      state.verified &&
      state.verified->address == address_of(ports.account_ids, state.profile.email);
  return with_body(std::move(response),
                   own_profile(state.profile, state.registered_at, email_verified,
                               state.second_factor.has_value()));
}

}  // namespace tideline::accounts
