// The "no" that several aggregates share. Codes are part of the HTTP contract.
#pragma once

#include "eventsourcing/commands/decider.hpp"

namespace tideline::accounts {

inline const eventsourcing::Rejection kUserIdTaken{
    eventsourcing::RejectionKind::Conflict, "user-id-taken",
    "this user_id is taken, also when its account was closed"};
// A token outlives the closing of its account by at most its lifetime.
inline const eventsourcing::Rejection kNoSuchAccount{
    eventsourcing::RejectionKind::NotFound, "no-such-account", "there is no such account any more"};
inline const eventsourcing::Rejection kWrongPassword{eventsourcing::RejectionKind::Forbidden,
                                                     "wrong-password", "the password is wrong"};
inline const eventsourcing::Rejection kCodeWanted{
    eventsourcing::RejectionKind::Forbidden, "sign-up-code-wanted",
    "who registers here needs a code: ask for one with POST /v1/sign-up-codes"};
// One answer for every code that is not good, whatever the reason.
inline const eventsourcing::Rejection kCodeRefused{
    eventsourcing::RejectionKind::Forbidden, "code-refused",
    "this code is not good, or not any more: ask for another one"};
inline const eventsourcing::Rejection kAddressTaken{
    eventsourcing::RejectionKind::Conflict, "email-taken",
    "another account has shown that this address is its own"};
// One answer for every refresh token that is not good, whatever the reason: anyone who guesses or
// replays learns nothing. The edge answers it with 401.
inline const eventsourcing::Rejection kRefreshRefused{eventsourcing::RejectionKind::Forbidden,
                                                      "refresh-token-refused",
                                                      "sign in again: this token is not good"};

}  // namespace tideline::accounts
