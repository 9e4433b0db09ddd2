// Puts a user_id on the list of those who may register. No route does: it is for who may run
// programs on the server.
#pragma once

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "eventsourcing/store/event_store.hpp"

namespace tideline::accounts {

// A code for `account` goes to `address` alone from now on (a keyed hash). Done already counts as
// done. Blocks on the store; thread-safe.
core::Status enrol(eventsourcing::EventStore& store, core::Timestamp now,
                   const core::AccountId& account, const core::AccountId& address);

}  // namespace tideline::accounts
