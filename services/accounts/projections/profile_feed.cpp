#include "accounts/projections/profile_feed.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "accounts/stored_events.hpp"
#include "eventsourcing/commands/decider.hpp"

namespace tideline::accounts {
namespace {

using nlohmann::json;

[[noreturn]] void fail(core::Error error) { throw sql::TransactionFailed(std::move(error)); }

std::string to_value(const core::AccountId& account, core::StreamVersion version,
                     const std::optional<PublicProfile>& profile) {
  json value{{"account_id", account.to_string()},
             {"version", version.value()},
             {"user_id", nullptr},
             {"real_name", nullptr},
             {"department", nullptr},
             {"avatar", nullptr},
             {"closed", !profile}};
  if (profile) {
    value["user_id"] = profile->user_id;
    value["real_name"] = profile->real_name;
    value["department"] = profile->department;
    if (profile->avatar) value["avatar"] = *profile->avatar;
  }
  return value.dump();
}

}  // namespace

void ProfileFeed::load(sql::Transaction&) { latest_.clear(); }

void ProfileFeed::apply(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<read::AccountRegistered, read::ProfileChanged, AccountClosed>;
  const auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  std::visit(eventsourcing::Overloaded{
                 [&](const read::AccountRegistered& registration) {
                   remember(registration.account, registration.sealed_profile, event.version);
                 },
                 [&](const read::ProfileChanged& change) {
                   remember(change.account, change.sealed_profile, event.version);
                 },
                 [&](const AccountClosed& closing) {
                   remember(closing.account, std::nullopt, event.version);
                 },
             },
             *known);
}

void ProfileFeed::remember(const core::AccountId& account, std::optional<std::string> sealed,
                           core::StreamVersion version) {
  latest_[account] = {std::move(sealed), version};
}

void ProfileFeed::flush(sql::Transaction& transaction) {
  if (latest_.empty()) return;
  erase_closed();
  const auto opened = open_all();
  std::vector<eventsourcing::StateUpdate> updates;
  auto profile = opened.begin();
  for (const auto& [account, latest] : latest_) {
    std::optional<PublicProfile> names;
    if (latest.sealed) {
      names = *profile++;
      // Replayed from before its closing, which is still to come and says the rest; or its key
      // was lost with a database, and what the topic has of it stays.
      if (!names) continue;
    }
    updates.push_back({account.to_string(), to_value(account, latest.version, names)});
  }
  if (updates.empty()) return;
  if (auto published = publisher_.publish(transaction, updates, {}); !published) {
    // Whatever the topic says, the events are sound: the runner must try again, not park them.
    core::Error error = published.error();
    error.retryable = true;
    fail(std::move(error));
  }
}

void ProfileFeed::erase_closed() {
  for (const auto& [account, latest] : latest_) {
    if (latest.sealed) continue;
    if (auto erased = keys_.erase(account); !erased) fail(erased.error());
  }
}

std::vector<std::optional<PublicProfile>> ProfileFeed::open_all() {
  std::vector<SealedProfile> sealed;
  for (const auto& [account, latest] : latest_) {
    if (latest.sealed) sealed.push_back({account, *latest.sealed});
  }
  auto opened = keys_.open_public(sealed);
  if (!opened) fail(opened.error());
  return std::move(*opened);
}

}  // namespace tideline::accounts
