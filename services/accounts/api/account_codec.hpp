// Account events <-> stored JSON; profiles are sealed. The profile of an erased account opens as an
// empty one. Thread-safe; blocks for subject keys; throws CodecFailed.
#pragma once

#include <optional>

#include "accounts/api/profile_seal.hpp"
#include "accounts/domain/account.hpp"
#include "eventsourcing/codec.hpp"

namespace tideline::accounts {

enum class ProfileReading {
  Open,
  // Folded profiles stay empty. For commands that need the password alone: no key is looked up, so
  // that a sign-in takes as long for an account that is there as for one that is not.
  LeaveSealed,
};

class AccountCodec {
 public:
  // `profiles` must outlive it.
  explicit AccountCodec(ProfileSeal& profiles, ProfileReading reading = ProfileReading::Open)
      : profiles_(profiles), reading_(reading) {}

  eventsourcing::NewEvent encode(const Account::Event& event) const;
  std::optional<Account::Event> decode(const eventsourcing::RecordedEvent& recorded) const;

 private:
  std::string seal(const core::AccountId& account, const Profile& profile) const;
  Profile open(const core::AccountId& account, const std::string& sealed) const;

  ProfileSeal& profiles_;
  ProfileReading reading_;
};

}  // namespace tideline::accounts
