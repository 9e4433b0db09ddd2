// What each aggregate does with each command: given, when, then.

#include <gtest/gtest.h>

#include "accounts/domain/account.hpp"
#include "accounts/domain/address.hpp"
#include "accounts/domain/recovery_codes.hpp"
#include "accounts/domain/second_factor.hpp"
#include "accounts/domain/session.hpp"
#include "accounts/stored_events.hpp"
#include "eventsourcing/commands/once.hpp"
#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"

namespace tideline::accounts {
namespace {

using eventsourcing::Once;
using eventsourcing::testing::expect_compaction_keeps_decisions;
using eventsourcing::testing::given;

constexpr core::AccountId kAda(core::AccountId::Bytes{1});
constexpr core::AccountId kBob(core::AccountId::Bytes{2});
const core::Timestamp kNow = *core::parse_iso8601("2026-05-01T12:00:00Z");
const core::Day kToday = *core::parse_day("2026-05-01");
const Profile kProfile{"001", "Ada", "ada@campus.example", Sex::Female, "Mathematics", ""};
const AccountRegistered kRegistered{kAda, kProfile, kNow};
const PasswordSet kPassword{"hash-1", 1};
const AccountClosed kClosed{kAda, kNow};

TEST(AccountSpecification, RegistersOnceAndForEver) {
  const RegisterAccount wanted{kAda, kProfile, "hash-1", kNow};
  given<Account>().when(wanted).then(kRegistered, kPassword);
  given<Account>(kRegistered, kPassword).when(wanted).then_rejected("user-id-taken");
  given<Account>(kRegistered, kPassword, kClosed).when(wanted).then_rejected("user-id-taken");
}

TEST(AccountSpecification, ChangesWhatIsNamedAndNothingElse) {
  Profile moved = kProfile;
  moved.department = "Physics";
  ChangeProfile change;
  change.department = "Physics";
  given<Account>(kRegistered, kPassword).when(change).then(ProfileChanged{kAda, moved});
  given<Account>(kRegistered, kPassword, ProfileChanged{kAda, moved}).when(change).then_nothing();
  given<Account>(kRegistered, kPassword).when(ChangeProfile{}).then_nothing();
  given<Account>().when(change).then_rejected("no-such-account");
  given<Account>(kRegistered, kPassword, kClosed).when(change).then_rejected("no-such-account");
}

TEST(AccountSpecification, ChangesTheAvatarAndNothingElse) {
  Profile shown = kProfile;
  shown.avatar = "hash";
  given<Account>(kRegistered, kPassword)
      .when(ChangeAvatar{"hash"})
      .then(ProfileChanged{kAda, shown});
  const ProfileChanged changed{kAda, shown};
  given<Account>(kRegistered, kPassword, changed).when(ChangeAvatar{"hash"}).then_nothing();
  given<Account>(kRegistered, kPassword, changed)
      .when(ChangeAvatar{})
      .then(ProfileChanged{kAda, kProfile});
  given<Account>(kRegistered, kPassword, kClosed)
      .when(ChangeAvatar{"hash"})
      .then_rejected("no-such-account");
}

TEST(RecoveryCodesSpecification, EachIsGoodOnceUntilOthersAreDrawn) {
  const auto good = [](std::vector<std::string> hashes) {
    return RecoveryCodesChanged{kAda, std::move(hashes)};
  };
  given<RecoveryCodes>().when(UseRecoveryCode{kAda, "a"}).then_rejected("recovery-code-refused");
  given<RecoveryCodes>().when(DrawRecoveryCodes{kAda, {"a", "b"}}).then(good({"a", "b"}));
  given<RecoveryCodes>(good({"a", "b"})).when(UseRecoveryCode{kAda, "a"}).then(good({"b"}));
  given<RecoveryCodes>(good({"a", "b"}), good({"b"}))
      .when(UseRecoveryCode{kAda, "a"})
      .then_rejected("recovery-code-refused");
  given<RecoveryCodes>(good({"a", "b"})).when(DrawRecoveryCodes{kAda, {"c"}}).then(good({"c"}));
  given<RecoveryCodes>(good({"a"}), good({"c"}))
      .when(UseRecoveryCode{kAda, "a"})
      .then_rejected("recovery-code-refused");
  expect_compaction_keeps_decisions<RecoveryCodes>({DrawRecoveryCodes{kAda, {"a", "b"}},
                                                    UseRecoveryCode{kAda, "a"},
                                                    DrawRecoveryCodes{kAda, {"c"}}});
}

TEST(AccountSpecification, ChangesThePasswordForWhoKnowsIt) {
  given<Account>(kRegistered, kPassword)
      .when(ChangePassword{true, "hash-2"})
      .then(PasswordSet{"hash-2", 2}, PasswordChanged{kAda, 2});
  given<Account>(kRegistered, kPassword)
      .when(ChangePassword{false, "hash-2"})
      .then_rejected("wrong-password");
  given<Account>(kRegistered, kPassword, kClosed)
      .when(ChangePassword{true, "hash-2"})
      .then_rejected("no-such-account");
}

TEST(AccountSpecification, ClosesForWhoKnowsThePassword) {
  given<Account>(kRegistered, kPassword).when(CloseAccount{true, kNow}).then(kClosed);
  given<Account>(kRegistered, kPassword)
      .when(CloseAccount{false, kNow})
      .then_rejected("wrong-password");
  given<Account>(kRegistered, kPassword, kClosed)
      .when(CloseAccount{true, kNow})
      .then_rejected("no-such-account");
}

TEST(AccountSpecification, GivesRolesAndEndsSessionsWithThem) {
  const RolesChanged given_one{kAda, {AccountRole::Operator}};
  const ChangeRoles give{{AccountRole::Operator}};
  given<Account>(kRegistered, kPassword).when(give).then(given_one);
  given<Account>(kRegistered, kPassword, given_one).when(give).then_nothing();
  given<Account>(kRegistered, kPassword, given_one)
      .when(ChangeRoles{})
      .then(PasswordSet{"hash-1", 2}, PasswordChanged{kAda, 2}, RolesChanged{kAda, {}});
  given<Account>(kRegistered, kPassword).when(ChangeRoles{}).then_nothing();
  given<Account>().when(give).then_rejected("no-such-account");
  given<Account>(kRegistered, kPassword, kClosed).when(give).then_rejected("no-such-account");
}

TEST(AccountSpecification, SuspendsAndEndsSessions) {
  const SuspendAccount wanted{kNow + std::chrono::hours(24), "spam"};
  const AccountSuspended suspended{kAda, wanted.until, wanted.reason};
  given<Account>(kRegistered, kPassword)
      .when(wanted)
      .then(PasswordSet{"hash-1", 2}, PasswordChanged{kAda, 2}, suspended);
  given<Account>(kRegistered, kPassword, suspended)
      .when(wanted)
      .then(PasswordSet{"hash-1", 2}, PasswordChanged{kAda, 2}, suspended);
  given<Account>(kRegistered, kPassword, suspended)
      .when(LiftSuspension{})
      .then(SuspensionLifted{kAda});
  given<Account>(kRegistered, kPassword).when(LiftSuspension{}).then_nothing();
  given<Account>(kRegistered, kPassword, suspended, SuspensionLifted{kAda})
      .when(LiftSuspension{})
      .then_nothing();
  given<Account>().when(wanted).then_rejected("no-such-account");
  given<Account>(kRegistered, kPassword, kClosed).when(wanted).then_rejected("no-such-account");
  given<Account>(kRegistered, kPassword, suspended, kClosed)
      .when(LiftSuspension{})
      .then_rejected("no-such-account");
}

TEST(AccountSpecification, VerifiesAnAddressAtATime) {
  const VerifyEmail shown{kBob, "ada@campus.example"};
  const EmailVerified verified{kAda, kBob, "ada@campus.example"};
  given<Account>(kRegistered, kPassword).when(shown).then(verified);
  given<Account>(kRegistered, kPassword, verified).when(shown).then_nothing();
  given<Account>(kRegistered, kPassword, verified)
      .when(VerifyEmail{kAda, "a@campus.example"})
      .then(EmailVerified{kAda, kAda, "a@campus.example"});
  given<Account>()
      .when(RegisterAccount{kAda, kProfile, "hash-1", kNow, shown})
      .then(kRegistered, kPassword, verified);
  given<Account>().when(shown).then_rejected("no-such-account");
  given<Account>(kRegistered, kPassword, kClosed).when(shown).then_rejected("no-such-account");
}

TEST(AccountSpecification, ResetsThePasswordAndEndsSessions) {
  given<Account>(kRegistered, kPassword)
      .when(ResetPassword{"hash-2"})
      .then(PasswordSet{"hash-2", 2}, PasswordChanged{kAda, 2});
  given<Account>(kRegistered, kPassword, kClosed)
      .when(ResetPassword{"hash-2"})
      .then_rejected("no-such-account");
}

TEST(AccountSpecification, IsLetInAgainByWhoRunsTheServer) {
  given<Account>(kRegistered, kPassword)
      .when(LetInAgain{"ada", "hash-2"})
      .then(PasswordSet{"hash-2", 2}, PasswordChanged{kAda, 2});
  given<Account>(kRegistered, kPassword, kClosed)
      .when(LetInAgain{"ada", "hash-2"})
      .then_rejected("no-such-account");
  given<Account>().when(LetInAgain{"ada", "hash-2"}).then_rejected("no-such-account");
}

// The password was lost with the database, and the key that the profile was sealed under.
TEST(AccountSpecification, IsLetInAgainWithoutWhatWasLost) {
  AccountRegistered unreadable = kRegistered;
  unreadable.profile = {};
  ProfileChanged named{kAda, {}};
  named.profile.user_id = "ada";
  given<Account>(unreadable)
      .when(LetInAgain{"ada", "hash-2"})
      .then(PasswordSet{"hash-2", 2}, PasswordChanged{kAda, 2}, named);
  given<Account>(unreadable, PasswordChanged{kAda, 5})
      .when(LetInAgain{"ada", "hash-6"})
      .then(PasswordSet{"hash-6", 6}, PasswordChanged{kAda, 6}, named);
}

TEST(AccountSpecification, APasswordIsNoLongerGoodWhenItsSuccessorWasLost) {
  Account::State state;
  for (const Account::Event& event : {Account::Event(kRegistered), Account::Event(kPassword),
                                      Account::Event(PasswordChanged{kAda, 2})}) {
    state = Account::evolve(std::move(state), event);
  }
  EXPECT_EQ(state.password_hash, "");
  EXPECT_EQ(state.password_version, 2U);
  state.password_hash = "hash-1";
  state.verified = VerifyEmail{kAda, "ada@campus.example"};
  state.second_factor = "secret";
  for (const char* type : {"PasswordSet", "EmailVerified", "SecondFactorSet"}) {
    Account::lost(state, type);
  }
  EXPECT_EQ(state.password_hash, "");
  EXPECT_FALSE(state.verified);
  EXPECT_FALSE(state.second_factor);
}

TEST(AccountSpecification, TakesASecondFactorAndGivesItBack) {
  const SetSecondFactor wanted{true, true, "secret"};
  const SecondFactorSet set{kAda, "secret"};
  given<Account>(kRegistered, kPassword)
      .when(wanted)
      .then(PasswordSet{"hash-1", 2}, PasswordChanged{kAda, 2}, set);
  given<Account>(kRegistered, kPassword)
      .when(SetSecondFactor{false, true, "secret"})
      .then_rejected("wrong-password");
  given<Account>(kRegistered, kPassword)
      .when(SetSecondFactor{true, false, "secret"})
      .then_rejected("second-factor-refused");
  given<Account>(kRegistered, kPassword, set).when(wanted).then_rejected("second-factor-set");
  given<Account>(kRegistered, kPassword, set)
      .when(RemoveSecondFactor{true})
      .then(PasswordSet{"hash-1", 2}, PasswordChanged{kAda, 2}, SecondFactorRemoved{kAda});
  given<Account>(kRegistered, kPassword, set)
      .when(RemoveSecondFactor{false})
      .then_rejected("wrong-password");
  given<Account>(kRegistered, kPassword, set)
      .when(ForgetSecondFactor{})
      .then(PasswordSet{"hash-1", 2}, PasswordChanged{kAda, 2}, SecondFactorRemoved{kAda});
  given<Account>(kRegistered, kPassword, set, RolesChanged{kAda, {AccountRole::Operator}})
      .when(ForgetSecondFactor{})
      .then(PasswordSet{"hash-1", 2}, PasswordChanged{kAda, 2}, SecondFactorRemoved{kAda},
            RolesChanged{kAda, {}});
  given<Account>(kRegistered, kPassword)
      .when(ForgetSecondFactor{})
      .then_rejected("no-second-factor");
  given<Account>(kRegistered, kPassword, set, kClosed)
      .when(wanted)
      .then_rejected("no-such-account");
}

TEST(UsedCodesSpecification, GoOnlyForward) {
  given<UsedCodes>().when(UseCode{kAda, 7}).then(SecondFactorUsed{kAda, 7});
  const SecondFactorUsed used{kAda, 7};
  given<UsedCodes>(used).when(UseCode{kAda, 7}).then_rejected("second-factor-refused");
  given<UsedCodes>(used).when(UseCode{kAda, 6}).then_rejected("second-factor-refused");
  given<UsedCodes>(used).when(UseCode{kAda, 8}).then(SecondFactorUsed{kAda, 8});
}

TEST(AddressSpecification, IsOfOneAccountAtATime) {
  const AddressClaimed claimed{kBob, kAda};
  const AddressReleased released{kBob, kAda};
  const core::AccountId other(core::AccountId::Bytes{3});
  given<Address>().when(ClaimAddress{kBob, kAda}).then(claimed);
  given<Address>(claimed).when(ClaimAddress{kBob, kAda}).then_nothing();
  given<Address>(claimed).when(ClaimAddress{kBob, other}).then_rejected("email-taken");
  given<Address>(claimed).when(ReleaseAddress{kBob, other}).then_nothing();
  given<Address>(claimed).when(ReleaseAddress{kBob, kAda}).then(released);
  given<Address>(claimed, released)
      .when(ClaimAddress{kBob, other})
      .then(AddressClaimed{kBob, other});
  given<Address>().when(ReleaseAddress{kBob, kAda}).then_nothing();
}

TEST(EnrolmentSpecification, KnowsTheLastAddress) {
  given<Enrolment>().when(Enrol{kAda, kBob}).then(Enrolled{kAda, kBob});
  given<Enrolment>(Enrolled{kAda, kBob}).when(Enrol{kAda, kBob}).then_nothing();
  given<Enrolment>(Enrolled{kAda, kBob}).when(Enrol{kAda, kAda}).then(Enrolled{kAda, kAda});
}

TEST(AccountSpecification, CountsItsPasswords) {
  Account::State state;
  for (const Account::Event& event : {Account::Event(kRegistered), Account::Event(kPassword),
                                      Account::Event(PasswordSet{"2", 2})}) {
    state = Account::evolve(std::move(state), event);
  }
  EXPECT_EQ(state.password_version, 2u);
  EXPECT_EQ(state.password_hash, "2");
}

SessionFacts facts(const std::string& token_hash) {
  return {kAda, "family", token_hash, 1, kNow, kNow + std::chrono::days(30)};
}
RefreshSession refresh_with(const std::string& token_hash) {
  return {{"family", token_hash}, "next", kNow + std::chrono::hours(1), true, 1};
}

TEST(SessionSpecification, RotatesItsToken) {
  given<Session>(SessionOpened{facts("first"), ""})
      .when(refresh_with("first"))
      .then(SessionRefreshed{facts("next")});
  given<Session>(SessionOpened{facts("first"), ""}, SessionRefreshed{facts("second")})
      .when(refresh_with("second"))
      .then(SessionRefreshed{facts("next")});
}

TEST(SessionSpecification, EndsWithTheReuseOfAToken) {
  const SessionRevoked revoked{kAda, "family", RevocationReason::TokenReused};
  given<Session>(SessionOpened{facts("first"), ""}, SessionRefreshed{facts("second")})
      .when(refresh_with("first"))
      .then(revoked);
  given<Session>(SessionOpened{facts("first"), ""}, revoked)
      .when(refresh_with("first"))
      .then_rejected("refresh-token-refused");
}

TEST(SessionSpecification, DoesNotEndWithAGuess) {
  RefreshSession guess = refresh_with("first");
  guess.shown.family_hash = "another";
  given<Session>(SessionOpened{facts("first"), ""})
      .when(guess)
      .then_rejected("refresh-token-refused");
  given<Session>().when(guess).then_rejected("refresh-token-refused");
}

TEST(SessionSpecification, EndsWithTimePasswordAndAccount) {
  const auto refused = [](RefreshSession wanted) {
    given<Session>(SessionOpened{facts("first"), ""})
        .when(wanted)
        .then_rejected("refresh-token-refused");
  };
  RefreshSession wanted = refresh_with("first");
  wanted.at = kNow + std::chrono::days(30);
  refused(wanted);
  wanted = refresh_with("first");
  wanted.password_version = 2;
  refused(wanted);
  wanted = refresh_with("first");
  wanted.account_open = false;
  refused(wanted);
}

TEST(SessionSpecification, SignsOutItsOwnerOnce) {
  const SessionRevoked out{kAda, "family", RevocationReason::SignedOut};
  const SessionOpened opened{facts("first"), ""};
  given<Session>(opened).when(SignOut{kAda, {"family", "first"}}).then(out);
  given<Session>(opened, out).when(SignOut{kAda, {"family", "first"}}).then_nothing();
  given<Session>(opened)
      .when(SignOut{kBob, {"family", "first"}})
      .then_rejected("refresh-token-refused");
  given<Session>(opened)
      .when(SignOut{kAda, {"another", "first"}})
      .then_rejected("refresh-token-refused");
  given<Session>().when(SignOut{kAda, {"family", "first"}}).then_rejected("refresh-token-refused");
  given<Session>(opened, out).when(refresh_with("first")).then_rejected("refresh-token-refused");
}

TEST(SessionSpecification, EndsByItsOwnersHand) {
  const SessionOpened opened{facts("first"), ""};
  const SessionRevoked ended{kAda, "family", RevocationReason::Ended};
  given<Session>(opened).when(EndSession{kAda}).then(ended);
  given<Session>(opened, ended).when(EndSession{kAda}).then_nothing();
  given<Session>(opened).when(EndSession{kBob}).then_rejected("no-such-session");
  given<Session>().when(EndSession{kAda}).then_rejected("no-such-session");
}

// Lost with the database: it was refreshed, so that the token that is known is an old one, or
// ended.
TEST(SessionSpecification, IsOverWhenItsLastEventWasLost) {
  Session::State state = Session::evolve({}, SessionOpened{facts("first"), ""});
  Session::lost(state, "SessionRefreshed");
  EXPECT_TRUE(Session::decide(state, refresh_with("first")).rejected());
  EXPECT_TRUE(Session::decide(state, EndSession{kAda}).events().empty());
  Session::State unknown;
  Session::lost(unknown, "SessionOpened");
  EXPECT_TRUE(Session::decide(unknown, EndSession{kAda}).events().empty());
}

TEST(SessionListSpecification, HasThoseThatGoOn) {
  using Ids = std::vector<std::string>;
  const SessionListChanged one{kAda, {"a"}};
  const SessionListChanged two{kAda, {"a", "b"}};
  given<SessionList>().when(ListSession{kAda, "a"}).then(one);
  given<SessionList>(one).when(ListSession{kAda, "b"}).then(two);
  given<SessionList>(two).when(UnlistSession{kAda, "a"}).then(SessionListChanged{kAda, {"b"}});
  given<SessionList>(two).when(UnlistSession{kAda, "c"}).then_nothing();
  given<SessionList>(two).when(ListAlone{kAda, "c"}).then(SessionListChanged{kAda, {"c"}});

  Ids full;
  for (std::size_t i = 0; i < SessionList::kSessionsMax; ++i) full.push_back(std::to_string(i));
  Ids next(full.begin() + 1, full.end());
  next.emplace_back("new");
  given<SessionList>(SessionListChanged{kAda, full})
      .when(ListSession{kAda, "new"})
      .then(SessionListChanged{kAda, next});
}

TEST(SignInSpecification, CountsOnceADay) {
  given<Once<SignedIn>>().when(SignedIn{kAda, kToday}).then(SignedIn{kAda, kToday});
  given<Once<SignedIn>>(SignedIn{kAda, kToday}).when(SignedIn{kAda, kToday}).then_nothing();
}

TEST(ProfileViewSpecification, CountsOnceADay) {
  given<Once<ProfileViewed>>()
      .when(ProfileViewed{kAda, kBob, kToday})
      .then(ProfileViewed{kAda, kBob, kToday});
  given<Once<ProfileViewed>>(ProfileViewed{kAda, kBob, kToday})
      .when(ProfileViewed{kAda, kBob, kToday})
      .then_nothing();
}

TEST(AccountSpecification, CompactionKeepsDecisions) {
  ChangeProfile to_physics;
  to_physics.department = "Physics";
  ChangeProfile to_history;
  to_history.department = "History";
  expect_compaction_keeps_decisions<Account>(
      {to_physics, to_history, ChangeAvatar{"hash"}, ChangePassword{true, "2"},
       ChangePassword{true, "3"}, ChangeRoles{{AccountRole::Operator}}, ChangeRoles{},
       VerifyEmail{kBob, "ada@campus.example"}, VerifyEmail{kAda, "a@campus.example"},
       ResetPassword{"4"}, LetInAgain{"ada", "5"}, SetSecondFactor{true, true, "a"},
       RemoveSecondFactor{true}, ForgetSecondFactor{}, SuspendAccount{kNow, "spam"},
       SuspendAccount{kNow + std::chrono::hours(24), "more spam"}, LiftSuspension{}},
      {kRegistered, kPassword});
  expect_compaction_keeps_decisions<Account>(
      {RegisterAccount{kAda, kProfile, "1", kNow}, to_physics, CloseAccount{true, kNow}});
}

// Sessions stay good or bad as they were when passwords had no numbers.
TEST(AccountSpecification, PasswordsWithoutNumbersAreCounted) {
  eventsourcing::RecordedEvent old_one;
  old_one.type = "PasswordSet";
  eventsourcing::RecordedEvent numbered = old_one;
  numbered.schema_version = core::SchemaVersion(2);
  EXPECT_FALSE(Account::supersedes(old_one, old_one));
  EXPECT_TRUE(Account::supersedes(numbered, old_one));
  EXPECT_TRUE(Account::supersedes(numbered, numbered));
  given<Account>(kRegistered, PasswordSet{"1"}, PasswordSet{"2"})
      .when(ChangePassword{true, "3"})
      .then(PasswordSet{"3", 3}, PasswordChanged{kAda, 3});
}

}  // namespace
}  // namespace tideline::accounts
