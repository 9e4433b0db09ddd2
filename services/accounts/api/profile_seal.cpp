#include "accounts/api/profile_seal.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace tideline::accounts {
namespace {

using nlohmann::json;

std::optional<Profile> from_text(const std::string& text) {
  const json data = json::parse(text, nullptr, false);
  if (!data.is_object()) return std::nullopt;
  const auto string = [&](const char* name) { return data.value(name, json()); };
  for (const char* name : {"user_id", "real_name", "email", "department"}) {
    if (!string(name).is_string()) return std::nullopt;
  }
  const json sex = data.value("sex", json(0));
  if (!sex.is_number_unsigned() || sex.get<std::uint64_t>() > 3) return std::nullopt;
  return Profile{string("user_id"), string("real_name"), string("email"),
                 static_cast<Sex>(sex.get<std::uint8_t>()), string("department")};
}

core::Error unreadable() { return core::internal_error("a sealed text that holds no profile"); }

}  // namespace

core::Result<std::string> ProfileSeal::seal(const core::AccountId& account,
                                            const Profile& profile) {
  const json data{{"user_id", profile.user_id},
                  {"real_name", profile.real_name},
                  {"email", profile.email},
                  {"sex", static_cast<unsigned>(profile.sex)},
                  {"department", profile.department}};
  return cipher_.seal(account, data.dump(), kContext);
}

core::Result<std::optional<Profile>> ProfileSeal::open(const core::AccountId& account,
                                                       std::string_view sealed) {
  auto opened = cipher_.open(account, sealed, kContext);
  if (!opened) return opened.error();
  if (!*opened) return std::optional<Profile>();
  auto profile = from_text(**opened);
  if (!profile) return unreadable();
  return profile;
}

core::Result<std::vector<std::optional<PublicProfile>>> ProfileSeal::open_public(
    std::span<const SealedProfile> profiles) {
  std::vector<crypto::SealedText> texts;
  texts.reserve(profiles.size());
  for (const SealedProfile& profile : profiles) {
    texts.push_back({profile.account, profile.sealed, kContext});
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
    auto profile = from_text(*text);
    if (!profile) return unreadable();
    names.push_back(PublicProfile{std::move(profile->user_id), std::move(profile->real_name),
                                  std::move(profile->department)});
  }
  return names;
}

core::Status ProfileSeal::erase(const core::AccountId& account) { return cipher_.destroy(account); }

}  // namespace tideline::accounts
