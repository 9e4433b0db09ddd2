// Every event comes back from its stored form as it went in; private ones are marked as such; data
// that breaks its schema is told apart from an event that nobody knows.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "accounts/api/refresh_token.hpp"
#include "accounts/domain/account.hpp"
#include "accounts/domain/address.hpp"
#include "accounts/domain/recovery_codes.hpp"
#include "accounts/domain/second_factor.hpp"
#include "accounts/domain/session.hpp"
#include "accounts/stored_events.hpp"
#include "accounts_app.hpp"
#include "eventsourcing/commands/once.hpp"
#include "eventsourcing/events/event_codec.hpp"

namespace tideline::accounts::testing {
namespace {

using eventsourcing::CodecFailed;
using eventsourcing::NewEvent;
using eventsourcing::RecordedEvent;
using eventsourcing::Visibility;

constexpr core::AccountId kAda(core::AccountId::Bytes{1});
constexpr core::AccountId kBob(core::AccountId::Bytes{2});
const core::Day kToday = *core::parse_day("2026-05-01");
const Profile kProfile{"001", "Ada \"Countess\" Ω", "ada@campus.example", Sex::Other, "", ""};
const SessionFacts kFacts{kAda, "f", "t", 3, kNoon, kNoon + std::chrono::days(30)};

RecordedEvent recorded(const NewEvent& event) {
  RecordedEvent stored;
  stored.type = event.type;
  stored.schema_version = event.schema_version;
  stored.data = event.data;
  stored.visibility = event.visibility;
  return stored;
}

class Codecs : public ::testing::Test {
 protected:
  AccountsApp app;
  eventsourcing::EventCodec<Account> accounts{app.cipher};
};

TEST_F(Codecs, OfAccountsKeepEverything) {
  const std::vector<std::pair<Account::Event, Visibility>> all{
      {AccountRegistered{kAda, kProfile, kNoon}, Visibility::Public},
      {PasswordSet{"$argon2id$", 1}, Visibility::Private},
      {PasswordChanged{kAda, 2}, Visibility::Public},
      {ProfileChanged{kAda, kProfile}, Visibility::Public},
      {EmailVerified{kAda, kBob, "Countess@campus.example"}, Visibility::Private},
      {RolesChanged{kAda, {AccountRole::Operator}}, Visibility::Public},
      {SecondFactorSet{kAda, "Countess"}, Visibility::Private},
      {SecondFactorRemoved{kAda}, Visibility::Private},
      {AccountSuspended{kAda, kNoon, "Countess"}, Visibility::Public},
      {SuspensionLifted{kAda}, Visibility::Public},
      {AccountClosed{kAda, kNoon}, Visibility::Public}};
  for (const auto& [event, visibility] : all) {
    const NewEvent stored = accounts.encode(event);
    EXPECT_EQ(stored.visibility, visibility) << stored.type;
    EXPECT_EQ(stored.data.find("Countess"), std::string::npos);
    EXPECT_EQ(accounts.decode(recorded(stored)), event) << stored.type;
  }
}

TEST_F(Codecs, OfSessionsAreAllPrivate) {
  const eventsourcing::EventCodec<Session> codec(app.cipher);
  for (const Session::Event& event :
       {Session::Event(SessionOpened{kFacts, "an app"}), Session::Event(SessionRefreshed{kFacts}),
        Session::Event(SessionRevoked{kAda, "f", RevocationReason::TokenReused}),
        Session::Event(SessionRevoked{kAda, "f", RevocationReason::SignedOut})}) {
    const NewEvent stored = codec.encode(event);
    EXPECT_EQ(stored.visibility, Visibility::Private) << stored.type;
    EXPECT_EQ(codec.decode(recorded(stored)), event) << stored.type;
  }
}

TEST_F(Codecs, OfDailyEventsKeepTheDay) {
  const eventsourcing::Once<SignedIn>::Event signed_in = SignedIn{kAda, kToday};
  EXPECT_EQ(eventsourcing::EventCodec<eventsourcing::Once<SignedIn>>{}.decode(recorded(
                eventsourcing::EventCodec<eventsourcing::Once<SignedIn>>{}.encode(signed_in))),
            signed_in);
  const eventsourcing::Once<ProfileViewed>::Event viewed = ProfileViewed{kAda, kBob, kToday};
  EXPECT_EQ(eventsourcing::EventCodec<eventsourcing::Once<ProfileViewed>>{}.decode(recorded(
                eventsourcing::EventCodec<eventsourcing::Once<ProfileViewed>>{}.encode(viewed))),
            viewed);
}

TEST_F(Codecs, ReadAnErasedProfileAsEmpty) {
  const auto stored = recorded(accounts.encode(AccountRegistered{kAda, kProfile, kNoon}));
  ASSERT_TRUE(app.profiles.erase(kAda).ok());
  EXPECT_EQ(accounts.decode(stored), Account::Event(AccountRegistered{kAda, {}, kNoon}));
}

TEST_F(Codecs, TellUnknownFromDamaged) {
  RecordedEvent event;
  event.type = "SomethingElse";
  EXPECT_FALSE(accounts.decode(event));
  EXPECT_FALSE(eventsourcing::EventCodec<Session>{}.decode(event));
  EXPECT_FALSE(eventsourcing::EventCodec<eventsourcing::Once<SignedIn>>{}.decode(event));
  for (const char* data : {"", "[]", "{}", R"({"account_id":"x"})", R"({"account_id":5})"}) {
    event.data = data;
    event.type = "AccountClosed";
    EXPECT_THROW(accounts.decode(event), CodecFailed) << data;
    event.type = "SessionOpened";
    EXPECT_THROW(eventsourcing::EventCodec<Session>{}.decode(event), CodecFailed) << data;
    event.type = "SignedIn";
    EXPECT_THROW(eventsourcing::EventCodec<eventsourcing::Once<SignedIn>>{}.decode(event),
                 CodecFailed)
        << data;
    event.type = "ProfileViewed";
    EXPECT_THROW(eventsourcing::EventCodec<eventsourcing::Once<ProfileViewed>>{}.decode(event),
                 CodecFailed)
        << data;
  }
}

TEST_F(Codecs, ParseRefreshTokensThatWereDrawnAndNoOthers) {
  const RefreshToken drawn = RefreshToken::draw(kNoon, app.random);
  const auto parsed = RefreshToken::parse(drawn.text());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->text(), drawn.text());
  const RefreshToken next = parsed->next(app.random);
  EXPECT_EQ(next.session_id(), drawn.session_id());
  EXPECT_EQ(next.hashes().family_hash, drawn.hashes().family_hash);
  EXPECT_NE(next.hashes().token_hash, drawn.hashes().token_hash);
  for (std::size_t i = 0; i < drawn.text().size(); ++i) {
    std::string broken = drawn.text();
    broken[i] = '!';
    EXPECT_FALSE(RefreshToken::parse(broken)) << i;
    EXPECT_FALSE(RefreshToken::parse(drawn.text().substr(0, i))) << i;
  }
}

// schemas/events/accounts.yaml describes each event as it is stored.
TEST_F(Codecs, WriteWhatTheSchemasSay) {
  std::vector<NewEvent> all;
  for (const Account::Event& event :
       {Account::Event(AccountRegistered{kAda, kProfile, kNoon}),
        Account::Event(PasswordSet{"h", 1}), Account::Event(PasswordChanged{kAda, 2}),
        Account::Event(ProfileChanged{kAda, kProfile}),
        Account::Event(EmailVerified{kAda, kBob, "ada@campus.example"}),
        Account::Event(RolesChanged{kAda, {AccountRole::Operator, AccountRole::Moderator}}),
        Account::Event(SecondFactorSet{kAda, "secret"}), Account::Event(SecondFactorRemoved{kAda}),
        Account::Event(AccountSuspended{kAda, kNoon, "why"}),
        Account::Event(SuspensionLifted{kAda}), Account::Event(AccountClosed{kAda, kNoon})}) {
    all.push_back(accounts.encode(event));
  }
  for (const Session::Event& event :
       {Session::Event(SessionOpened{kFacts, "an app"}), Session::Event(SessionRefreshed{kFacts}),
        Session::Event(SessionRevoked{kAda, "f", {}})}) {
    all.push_back(eventsourcing::EventCodec<Session>(app.cipher).encode(event));
  }
  all.push_back(eventsourcing::EventCodec<Address>{}.encode(AddressClaimed{kBob, kAda}));
  all.push_back(eventsourcing::EventCodec<Address>{}.encode(AddressReleased{kBob, kAda}));
  all.push_back(eventsourcing::EventCodec<SessionList>{}.encode(
      SessionListChanged{kAda, {"06a0q3kgeg0kxrg4z7m5h2b3c8"}}));
  all.push_back(eventsourcing::EventCodec<UsedCodes>{}.encode(SecondFactorUsed{kAda, 7}));
  all.push_back(
      eventsourcing::EventCodec<RecoveryCodes>{}.encode(RecoveryCodesChanged{kAda, {"h"}}));
  all.push_back(eventsourcing::EventCodec<Enrolment>{}.encode(Enrolled{kAda, kBob}));
  all.push_back(eventsourcing::EventCodec<eventsourcing::Once<SessionEnded>>{}.encode(
      SessionEnded{kAda, "06a0q3kgeg0kxrg4z7m5h2b3c8"}));
  all.push_back(
      eventsourcing::EventCodec<eventsourcing::Once<SignedIn>>{}.encode(SignedIn{kAda, kToday}));
  all.push_back(eventsourcing::EventCodec<eventsourcing::Once<ProfileViewed>>{}.encode(
      ProfileViewed{kAda, kBob, kToday}));

  const auto folder = std::filesystem::path(TIDELINE_EVENT_SCHEMAS) / "accounts";
  std::set<std::string> described;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    described.insert(entry.path().filename());
  }
  for (const NewEvent& event : all) {
    const auto described_as = [&](std::uint32_t version) {
      return event.type + ".v" + std::to_string(version) + ".json";
    };
    const std::string file = described_as(event.schema_version.value());
    for (std::uint32_t older = 1; older < event.schema_version.value(); ++older) {
      EXPECT_EQ(described.erase(described_as(older)), 1u) << file;
    }
    ASSERT_EQ(described.erase(file), 1u) << file;
    std::ifstream stream(folder / file);
    const json schema = json::parse(stream);
    std::set<std::string> written;
    const json data = json::parse(event.data);
    for (const auto& [name, value] : data.items()) {
      written.insert(name);
      const auto& property = schema.at("properties").at(name);
      const char* type = value.is_array() ? "array" : value.is_string() ? "string" : "integer";
      EXPECT_EQ(property.at("type"), type) << file << name;
    }
    EXPECT_EQ(schema.at("required").get<std::set<std::string>>(), written) << file;
  }
  EXPECT_TRUE(described.empty()) << *described.begin() << " describes no event";
}

}  // namespace
}  // namespace tideline::accounts::testing
