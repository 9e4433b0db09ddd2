#include "accounts/api/daily_codecs.hpp"

#include "accounts/api/own_event.hpp"
#include "core/clock.hpp"
#include "eventsourcing/event_data.hpp"

namespace tideline::accounts {

using eventsourcing::EventData;
using eventsourcing::NewEvent;
using eventsourcing::Overloaded;
using eventsourcing::RecordedEvent;

NewEvent SignInCodec::encode(const SignIn::Event& event) const {
  return std::visit(Overloaded{[](const SignedIn& fact) {
                      return own_event("SignedIn", {{"account_id", fact.account.to_string()},
                                                    {"day", core::format_day(fact.day)}});
                    }},
                    event);
}

std::optional<SignIn::Event> SignInCodec::decode(const RecordedEvent& recorded) const {
  if (recorded.type != "SignedIn") return std::nullopt;
  return read_own([&]() -> std::optional<SignIn::Event> {
    const EventData data(recorded);
    return SignedIn{data.account("account_id"), data.day("day")};
  });
}

NewEvent ProfileViewCodec::encode(const ProfileView::Event& event) const {
  return std::visit(Overloaded{[](const ProfileViewed& fact) {
                      return own_event("ProfileViewed", {{"viewer", fact.viewer.to_string()},
                                                         {"owner", fact.owner.to_string()},
                                                         {"day", core::format_day(fact.day)}});
                    }},
                    event);
}

std::optional<ProfileView::Event> ProfileViewCodec::decode(const RecordedEvent& recorded) const {
  if (recorded.type != "ProfileViewed") return std::nullopt;
  return read_own([&]() -> std::optional<ProfileView::Event> {
    const EventData data(recorded);
    return ProfileViewed{data.account("viewer"), data.account("owner"), data.day("day")};
  });
}

}  // namespace tideline::accounts
