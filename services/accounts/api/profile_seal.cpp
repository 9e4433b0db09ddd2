#include "accounts/api/profile_seal.hpp"

#include <utility>

#include "accounts/stored_events.hpp"

namespace tideline::accounts {
namespace {

core::Error unreadable() { return core::internal_error("a sealed text that holds no profile"); }

}  // namespace

core::Result<std::optional<Profile>> ProfileSeal::open(const core::AccountId& account,
                                                       std::string_view sealed) {
  auto opened =
      cipher_.open(account, sealed, eventsourcing::Stored<AccountRegistered>::kProfileContext);
  if (!opened) return opened.error();
  if (!*opened) return std::optional<Profile>();
  auto profile = profile_from_json(**opened);
  if (!profile) return unreadable();
  return profile;
}

core::Result<std::vector<std::optional<PublicProfile>>> ProfileSeal::open_public(
    std::span<const SealedProfile> profiles) {
  std::vector<crypto::SealedText> texts;
  texts.reserve(profiles.size());
  for (const SealedProfile& profile : profiles) {
    texts.push_back({profile.account, profile.sealed,
                     eventsourcing::Stored<AccountRegistered>::kProfileContext});
  }
  const auto opened = cipher_.open_many(texts);
  if (!opened) return opened.error();
  std::vector<std::optional<PublicProfile>> names;
  names.reserve(opened->size());
  for (const auto& text : *opened) {
    if (!text) {
      names.emplace_back();
      continue;
    }
    auto profile = profile_from_json(*text);
    if (!profile) return unreadable();
    names.push_back(PublicProfile{std::move(profile->user_id), std::move(profile->real_name),
                                  std::move(profile->department), std::move(profile->avatar)});
  }
  return names;
}

core::Status ProfileSeal::erase(const core::AccountId& account) { return cipher_.destroy(account); }

}  // namespace tideline::accounts
