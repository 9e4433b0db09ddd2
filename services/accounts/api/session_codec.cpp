#include "accounts/api/session_codec.hpp"

#include <limits>

#include "accounts/api/own_event.hpp"
#include "core/clock.hpp"
#include "eventsourcing/event_data.hpp"

namespace tideline::accounts {
namespace {

using eventsourcing::EventData;
using eventsourcing::NewEvent;
using eventsourcing::Overloaded;
using eventsourcing::RecordedEvent;
using eventsourcing::Visibility;

constexpr const char* kSignedOut = "signed-out";
constexpr const char* kTokenReused = "token-reused";

nlohmann::json to_json(const SessionFacts& facts) {
  return {{"account_id", facts.account.to_string()},
          {"family_hash", facts.family_hash},
          {"token_hash", facts.token_hash},
          {"password_version", facts.password_version},
          {"opened_at", core::format_iso8601(facts.opened_at)},
          {"expires_at", core::format_iso8601(facts.expires_at)}};
}

std::uint32_t password_version(const EventData& data) {
  const std::int64_t version = data.integer("password_version");
  if (version < 1 || version > std::numeric_limits<std::uint32_t>::max()) {
    throw eventsourcing::PoisonEvent("a session of no good password_version");
  }
  return static_cast<std::uint32_t>(version);
}

SessionFacts to_facts(const EventData& data) {
  return {data.account("account_id"), data.text("family_hash"), data.text("token_hash"),
          password_version(data),     data.time("opened_at"),   data.time("expires_at")};
}

}  // namespace

NewEvent SessionCodec::encode(const Session::Event& event) const {
  return std::visit(
      Overloaded{
          [](const SessionOpened& fact) {
            return own_event("SessionOpened", to_json(fact.facts), Visibility::Private);
          },
          [](const SessionRefreshed& fact) {
            return own_event("SessionRefreshed", to_json(fact.facts), Visibility::Private);
          },
          [](const SessionRevoked& fact) {
            const bool reused = fact.reason == RevocationReason::TokenReused;
            return own_event("SessionRevoked",
                             {{"account_id", fact.account.to_string()},
                              {"family_hash", fact.family_hash},
                              {"reason", reused ? kTokenReused : kSignedOut}},
                             Visibility::Private);
          },
      },
      event);
}

std::optional<Session::Event> SessionCodec::decode(const RecordedEvent& recorded) const {
  return read_own([&]() -> std::optional<Session::Event> {
    if (recorded.type == "SessionOpened") return SessionOpened{to_facts(EventData(recorded))};
    if (recorded.type == "SessionRefreshed") return SessionRefreshed{to_facts(EventData(recorded))};
    if (recorded.type == "SessionRevoked") {
      const EventData data(recorded);
      const bool reused = data.text("reason") == kTokenReused;
      return SessionRevoked{data.account("account_id"), data.text("family_hash"),
                            reused ? RevocationReason::TokenReused : RevocationReason::SignedOut};
    }
    return std::nullopt;
  });
}

}  // namespace tideline::accounts
