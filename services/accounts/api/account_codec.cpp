#include "accounts/api/account_codec.hpp"

#include <utility>

#include "accounts/api/own_event.hpp"
#include "core/clock.hpp"
#include "eventsourcing/event_data.hpp"

namespace tideline::accounts {

using eventsourcing::CodecFailed;
using eventsourcing::EventData;
using eventsourcing::NewEvent;
using eventsourcing::Overloaded;
using eventsourcing::RecordedEvent;
using eventsourcing::Visibility;

NewEvent AccountCodec::encode(const Account::Event& event) const {
  return std::visit(
      Overloaded{
          [&](const AccountRegistered& fact) {
            return own_event("AccountRegistered",
                             {{"account_id", fact.account.to_string()},
                              {"profile", seal(fact.account, fact.profile)},
                              {"registered_at", core::format_iso8601(fact.registered_at)}});
          },
          [](const PasswordSet& fact) {
            return own_event("PasswordSet", {{"hash", fact.hash}}, Visibility::Private);
          },
          [&](const ProfileChanged& fact) {
            return own_event("ProfileChanged", {{"account_id", fact.account.to_string()},
                                                {"profile", seal(fact.account, fact.profile)}});
          },
          [](const AccountClosed& fact) {
            return own_event("AccountClosed",
                             {{"account_id", fact.account.to_string()},
                              {"closed_at", core::format_iso8601(fact.closed_at)}});
          },
      },
      event);
}

std::optional<Account::Event> AccountCodec::decode(const RecordedEvent& recorded) const {
  const std::string& type = recorded.type;
  return read_own([&]() -> std::optional<Account::Event> {
    if (type == "AccountRegistered") {
      const EventData data(recorded);
      const auto account = data.account("account_id");
      return AccountRegistered{account, open(account, data.text("profile")),
                               data.time("registered_at")};
    }
    if (type == "PasswordSet") return PasswordSet{EventData(recorded).text("hash")};
    if (type == "ProfileChanged") {
      const EventData data(recorded);
      const auto account = data.account("account_id");
      return ProfileChanged{account, open(account, data.text("profile"))};
    }
    if (type == "AccountClosed") {
      const EventData data(recorded);
      return AccountClosed{data.account("account_id"), data.time("closed_at")};
    }
    return std::nullopt;
  });
}

std::string AccountCodec::seal(const core::AccountId& account, const Profile& profile) const {
  auto sealed = profiles_.seal(account, profile);
  if (!sealed) throw CodecFailed(sealed.error());
  return std::move(*sealed);
}

Profile AccountCodec::open(const core::AccountId& account, const std::string& sealed) const {
  if (reading_ == ProfileReading::LeaveSealed) return {};
  auto opened = profiles_.open(account, sealed);
  if (!opened) throw CodecFailed(opened.error());
  return std::move(*opened).value_or(Profile{});
}

}  // namespace tideline::accounts
