#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "accounts/api/account_view.hpp"
#include "accounts/api/profile_numbers.hpp"
#include "accounts/api/routes.hpp"
#include "accounts/api/session_list.hpp"
#include "accounts/domain/account.hpp"
#include "accounts/domain/rejections.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "http/routing/data_export.hpp"

namespace tideline::accounts {
namespace {

namespace es = eventsourcing;
using http::ExportSlice;
using nlohmann::json;

Account::State open_account(const ApiPorts& ports, const core::AccountId& owner) {
  auto loaded = core::value_of(load_account(ports, owner));
  if (!loaded.state.open()) throw es::Rejected(kNoSuchAccount);
  return std::move(loaded.state);
}

ExportSlice export_account(const ApiPorts& ports, const core::AccountId& owner) {
  const Account::State state = open_account(ports, owner);
  json account = own_profile(state.profile, own_facts(ports, owner, state));
  account["avatar_link"] = nullptr;
  if (const json path = avatar_json(state.profile); !path.is_null()) {
    account["avatar_link"] = ports.links.to(path.get_ref<const std::string&>(), owner);
  }
  return {{std::move(account)}};
}

std::uint64_t version_of(const std::string& place) {
  std::uint64_t version = 0;
  std::from_chars(place.data(), place.data() + place.size(), version);
  return version;
}

const Profile* profile_in(const Account::Event& event) {
  if (const auto* registered = std::get_if<AccountRegistered>(&event)) return &registered->profile;
  if (const auto* changed = std::get_if<ProfileChanged>(&event)) return &changed->profile;
  return nullptr;
}

// Every profile that the account has had, oldest first. The place is a version of the stream.
ExportSlice export_profiles(const ApiPorts& ports, const core::AccountId& owner,
                            const std::string& place, int limit) {
  const es::EventCodec<Account> codec(ports.profiles.cipher());
  const auto events = core::value_of(ports.store.read_stream(keys::account(owner),
                                                             core::StreamVersion(version_of(place)),
                                                             static_cast<std::size_t>(limit)));
  ExportSlice slice;
  for (const auto& recorded : events) {
    const auto event = codec.decode(recorded);
    const Profile* profile = event ? profile_in(*event) : nullptr;
    if (profile == nullptr) continue;
    json item = json::parse(profile_to_json(*profile));
    item["changed_at"] = core::format_iso8601(recorded.time);
    slice.items.push_back(std::move(item));
  }
  if (events.size() == static_cast<std::size_t>(limit)) {
    slice.next = std::to_string(events.back().version.value());
  }
  return slice;
}

ExportSlice export_sessions(const ApiPorts& ports, const core::AccountId& owner) {
  ExportSlice slice;
  for (json& session : open_sessions(ports, owner, open_account(ports, owner), "")) {
    session.erase("current");
    slice.items.push_back(std::move(session));
  }
  return slice;
}

ExportSlice export_visits(const ApiPorts& ports, const core::AccountId& owner) {
  const core::Day today = ports.campus.day_of(ports.clock.now());
  const auto visits = core::value_of(ports.database.read(
      [&](sql::Transaction& transaction) { return find_visits(transaction, owner, today); }));
  return {{visits_json(visits)}};
}

}  // namespace

void add_export_routes(http::Router& router, const ApiPorts& ports) {
  using Owner = core::AccountId;
  using Text = std::string;
  const auto exported = std::make_shared<http::DataExport>(
      ports.clock,
      std::vector<http::ExportSection>{
          {"account",
           [ports](const Owner& owner, const Text&, int) { return export_account(ports, owner); }},
          {"profiles", [ports](const Owner& owner, const Text& place,
                               int limit) { return export_profiles(ports, owner, place, limit); }},
          {"sessions",
           [ports](const Owner& owner, const Text&, int) { return export_sessions(ports, owner); }},
          {"visits",
           [ports](const Owner& owner, const Text&, int) { return export_visits(ports, owner); }}});
  router.add(http::Method::Get, "/v1/accounts-export", http::Access::SignedIn,
             [ports, exported](const http::Request& request) {
               return http::answer_query(request, {ports.visits_applied}, http::WhenBehind::Stale,
                                         [&] { return exported->page(request); });
             });
}

}  // namespace tideline::accounts
