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
inline const eventsourcing::Rejection kSecondFactorWanted{
    eventsourcing::RejectionKind::Forbidden, "second-factor-wanted",
    "the password is right; this account takes a code of its authenticator app as well"};
inline const eventsourcing::Rejection kSecondFactorRefused{
    eventsourcing::RejectionKind::Forbidden, "second-factor-refused",
    "this code is not good, or was used before: take the next one"};
inline const eventsourcing::Rejection kSecondFactorThere{
    eventsourcing::RejectionKind::Conflict, "second-factor-set",
    "there is a second factor already: remove it first"};
inline const eventsourcing::Rejection kSecondFactorNeeded{
    eventsourcing::RejectionKind::Conflict, "second-factor-needed",
    "a role needs a second factor first: PUT /v1/me/second-factor"};
inline const eventsourcing::Rejection kNoSecondFactor{eventsourcing::RejectionKind::NotFound,
                                                      "no-second-factor",
                                                      "this account has no second factor"};
inline const eventsourcing::Rejection kNoEmailAddress{
    eventsourcing::RejectionKind::NotFound, "no-email",
    "this account has no e-mail address: set one first"};
// One answer for every code that is not good, whatever the reason.
inline const eventsourcing::Rejection kCodeRefused{
    eventsourcing::RejectionKind::Forbidden, "code-refused",
    "this code is not good, or not any more: ask for another one"};
// One answer for a code that was never drawn, was used, or was replaced.
inline const eventsourcing::Rejection kRecoveryCodeRefused{
    eventsourcing::RejectionKind::Forbidden, "recovery-code-refused",
    "this recovery code is not good, or was used before: take another one"};
inline const eventsourcing::Rejection kAddressTaken{
    eventsourcing::RejectionKind::Conflict, "email-taken",
    "another account has shown that this address is its own"};
inline const eventsourcing::Rejection kNoSuchSession{eventsourcing::RejectionKind::NotFound,
                                                     "no-such-session", "you have no such session"};
// One answer for every refresh token that is not good, whatever the reason: anyone who guesses or
// replays learns nothing. The edge answers it with 401.
inline const eventsourcing::Rejection kRefreshRefused{eventsourcing::RejectionKind::Forbidden,
                                                      "refresh-token-refused",
                                                      "sign in again: this token is not good"};

}  // namespace tideline::accounts
