#include "accounts/api/address_claim.hpp"

#include "accounts/domain/address.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"

namespace tideline::accounts {

namespace es = eventsourcing;

void move_claim(es::CommandSession& session, const core::AccountId& account,
                const std::optional<VerifyEmail>& before,
                const std::optional<core::AccountId>& next) {
  const es::EventCodec<Address> codec;
  if (next)
    es::change_last<Address>(session, keys::address(*next), codec, ClaimAddress{*next, account});
  if (before && before->address != next) {
    es::change_last<Address>(session, keys::address(before->address), codec,
                             ReleaseAddress{before->address, account});
  }
}

}  // namespace tideline::accounts
