#include "accounts/api/session_list.hpp"

#include "accounts/domain/session.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "eventsourcing/commands/command.hpp"
#include "eventsourcing/events/event_codec.hpp"

namespace tideline::accounts {

namespace es = eventsourcing;
using nlohmann::json;

// What has ended by its time or with a password is on the list until others take its
// place, and not shown.
json open_sessions(const ApiPorts& ports, const core::AccountId& account,
                   const Account::State& owner, const std::string& current) {
  const es::CommandContext context{ports.clock.now(), {}, std::nullopt, std::nullopt};
  es::CommandSession session(ports.store, context);
  const auto list =
      session.load_last<SessionList>(keys::session_list(account), es::EventCodec<SessionList>{});
  const es::EventCodec<Session> codec(ports.profiles.cipher());
  json items = json::array();
  for (auto id = list.state.session_ids.rbegin(); id != list.state.session_ids.rend(); ++id) {
    const auto state = session.load<Session>(keys::session(*id), codec).state;
    const SessionFacts& facts = state.facts;
    const bool goes_on = state.phase == Session::Phase::Live &&
                         facts.password_version == owner.password_version &&
                         context.now < facts.expires_at;
    if (!goes_on) continue;
    items.push_back({{"id", *id},
                     {"opened_at", core::format_iso8601(facts.opened_at)},
                     {"expires_at", core::format_iso8601(facts.expires_at)},
                     {"client", state.client},
                     {"current", *id == current}});
  }
  return items;
}

}  // namespace tideline::accounts
