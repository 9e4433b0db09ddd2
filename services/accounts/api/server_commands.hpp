// Changes of an account that no route makes: for who may run programs on the server.
#pragma once

#include <string>

#include "accounts/events.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "eventsourcing/events/text_sealer.hpp"
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

// Another password for who cannot set one; all sessions of the account end. `user_id` becomes the
// profile's where that cannot be read any more. NotFound: nobody has registered the account, or it
// is closed.
core::Status let_in_again(eventsourcing::EventStore& store, eventsourcing::TextSealer& sealer,
                          core::Timestamp now, const core::AccountId& account,
                          const std::string& user_id, const std::string& password_hash);

// Ends all sessions, and nobody signs in until then; `reason` is what the person is told. Again for
// another time or reason. NotFound likewise.
core::Status suspend(eventsourcing::EventStore& store, eventsourcing::TextSealer& sealer,
                     core::Timestamp now, const core::AccountId& account, core::Timestamp until,
                     const std::string& reason);
// Done already counts as done. NotFound likewise.
core::Status lift_suspension(eventsourcing::EventStore& store, core::Timestamp now,
                             const core::AccountId& account);

// A code for `account` goes to `address` alone from now on (a keyed hash). Done already counts as
// done. Blocks on the store; thread-safe.
core::Status enrol(eventsourcing::EventStore& store, core::Timestamp now,
                   const core::AccountId& account, const core::AccountId& address);

}  // namespace tideline::accounts
