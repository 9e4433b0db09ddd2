// Gives a role to an account, or takes it. No route does: it is for who may run programs on the
// server.
#pragma once

#include "accounts/events.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "eventsourcing/store/event_store.hpp"

namespace tideline::accounts {

enum class RoleChange { Give, Take };

// Done already counts as done. NotFound: nobody has registered the account, or it is closed;
// InvalidInput: a role that needs a second factor is to be given to an account without one, whose
// password alone would be worth it. Blocks on the store.
core::Status change_role(eventsourcing::EventStore& store, core::Timestamp now,
                         const core::AccountId& account, AccountRole role, RoleChange change,
                         bool needs_second_factor);

// For who has lost the authenticator app. NotFound likewise, and where there is no second factor.
core::Status forget_second_factor(eventsourcing::EventStore& store, core::Timestamp now,
                                  const core::AccountId& account);

// A code for `account` goes to `address` alone from now on (a keyed hash). Done already counts as
// done. Blocks on the store; thread-safe.
core::Status enrol(eventsourcing::EventStore& store, core::Timestamp now,
                   const core::AccountId& account, const core::AccountId& address);

}  // namespace tideline::accounts
