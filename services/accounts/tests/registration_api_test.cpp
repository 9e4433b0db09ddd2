#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "accounts/api/account_fields.hpp"
#include "accounts/domain/account.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "accounts_app.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"

namespace tideline::accounts::testing {
namespace {

TEST(Registration, AnswersTheAccountWithASession) {
  AccountsApp app;
  const auto response = app.post("/v1/accounts", app.registration("0042"));
  ASSERT_EQ(response.status, 201) << response.body;
  const json body = json::parse(response.body);
  EXPECT_EQ(body.at("user_id"), "0042");
  EXPECT_EQ(body.at("real_name"), "Ada 0042");
  EXPECT_EQ(body.at("email"), "0042@campus.example");
  EXPECT_EQ(body.at("sex"), 0);
  EXPECT_EQ(body.at("department"), "Mathematics");
  EXPECT_EQ(body.at("registered_at"), "2026-05-01T12:00:00.250000Z");
  EXPECT_EQ(body.at("session").at("expires_at"), "2026-05-01T12:15:00.000000Z");
  EXPECT_EQ(response.headers.find("Location"), "/v1/profiles/0042");
  EXPECT_EQ(response.headers.find("ETag"), "\"2\"");
  EXPECT_TRUE(response.headers.find("Tideline-Position"));
  // Registering is no sign-in that earns anything.
  EXPECT_EQ(app.count("SignedIn"), 0u);

  const auto tokens = AccountsApp::tokens_of(body.at("session"));
  const auto me = app.get("/v1/me", tokens.access);
  ASSERT_EQ(me.status, 200);
  EXPECT_EQ(json::parse(me.body).at("user_id"), "0042");
  EXPECT_EQ(app.refresh(tokens.refresh).status, 200);
}

TEST(Registration, GivesAUserIdToOneOfTwo) {
  AccountsApp app;
  std::latch together(2);
  int statuses[2] = {0, 0};
  std::string codes[2];
  const auto enter = [&](int who) {
    together.arrive_and_wait();
    const auto response = app.post("/v1/accounts", app.registration("7"));
    statuses[who] = response.status;
    codes[who] = problem_code(response);
  };
  std::thread other([&] { enter(1); });
  enter(0);
  other.join();
  EXPECT_EQ(statuses[0] + statuses[1], 201 + 409);
  EXPECT_EQ(codes[0] + codes[1], "user-id-taken");
  EXPECT_EQ(app.count("AccountRegistered"), 1u);
  EXPECT_EQ(app.count("SessionOpened"), 1u);
}

TEST(Registration, TellsLeadingZerosApart) {
  AccountsApp app;
  app.enrol("7");
  app.enrol("007");
  EXPECT_EQ(app.count("AccountRegistered"), 2u);
}

TEST(Registration, NamesAllThatIsWrong) {
  AccountsApp app;
  const auto response = app.post("/v1/accounts", {{"user_id", "a b"},
                                                  {"password", "short"},
                                                  {"email", "nobody"},
                                                  {"sex", 4},
                                                  {"department", std::string(101, 'x')},
                                                  {"admin", true}});
  EXPECT_EQ(response.status, 422);
  std::set<std::string> pointers;
  const json body = json::parse(response.body);
  for (const auto& error : body.at("errors")) {
    pointers.insert(error.at("pointer").get<std::string>());
  }
  EXPECT_EQ(pointers, (std::set<std::string>{"/user_id", "/password", "/real_name", "/email",
                                             "/sex", "/department", "/admin"}));
  EXPECT_EQ(app.post("/v1/accounts", "{").status, 400);
  EXPECT_EQ(app.post("/v1/accounts", "[]").status, 422);
  EXPECT_TRUE(app.events().empty());
}

TEST(Registration, TakesNoPasswordThatIsEasilyGuessed) {
  AccountsApp app;
  const auto enrol = [&](const char* password) {
    return app.post("/v1/accounts", {{"user_id", "071140"},
                                     {"password", password},
                                     {"real_name", "Ada Lovelace"},
                                     {"email", "countess@sea.example"}});
  };
  for (const char* guessed : {"password1", "countess", "Lovelace-Ada", "071140071140"}) {
    const auto refused = enrol(guessed);
    EXPECT_EQ(refused.status, 422) << guessed;
    EXPECT_EQ(json::parse(refused.body).at("errors").at(0).at("pointer"), "/password");
  }
  EXPECT_EQ(enrol("a long secret").status, 201);
}

TEST(Registration, LooksAtEmailAddressesModestly) {
  for (const char* good : {"a@b", "a.b+c@d.example", "ä@ö.example"}) {
    EXPECT_TRUE(looks_like_email(good)) << good;
  }
  for (const char* bad :
       {"a", "@b", "a@", "a@b@c", "a b@c", "a@.b", "a@b.", "a@b..c", "a@b,c@d", "a\n@b", "<a@b>"}) {
    EXPECT_FALSE(looks_like_email(bad)) << bad;
  }
}

TEST(Registration, IsRepeatedByItsKeyWithAnotherSession) {
  AccountsApp app;
  const Extra key{.idempotency_key = "once"};
  const auto first = app.post("/v1/accounts", app.registration("7"), key);
  ASSERT_EQ(first.status, 201);
  const auto again = app.post("/v1/accounts", app.registration("7"), key);
  ASSERT_EQ(again.status, 201) << again.body;
  json one = json::parse(first.body);
  json two = json::parse(again.body);
  const auto tokens_one = AccountsApp::tokens_of(one.at("session"));
  const auto tokens_two = AccountsApp::tokens_of(two.at("session"));
  one.erase("session");
  two.erase("session");
  EXPECT_EQ(one, two);
  EXPECT_EQ(again.headers.find("Location"), "/v1/profiles/7");
  EXPECT_NE(tokens_one.refresh, tokens_two.refresh);
  EXPECT_EQ(app.count("AccountRegistered"), 1u);
  EXPECT_EQ(app.count("SignedIn"), 0u);
  EXPECT_EQ(app.refresh(tokens_one.refresh).status, 200);
  EXPECT_EQ(app.refresh(tokens_two.refresh).status, 200);
}

TEST(Registration, IsRepeatedForNobodyElse) {
  AccountsApp app;
  const Extra key{.idempotency_key = "once"};
  ASSERT_EQ(app.post("/v1/accounts", app.registration("7"), key).status, 201);
  json wrong_password = app.registration("7");
  wrong_password["password"] = "wrong horse battery";
  EXPECT_EQ(app.post("/v1/accounts", wrong_password, key).status, 401);
  json another = app.registration("7");
  another["real_name"] = "Bob";
  EXPECT_EQ(app.post("/v1/accounts", another, key).status, 422);
  // The key of another person is another key.
  EXPECT_EQ(app.post("/v1/accounts", app.registration("8"), key).status, 201);
}

TEST(Registration, IsLimitedPerSource) {
  AccountsApp app({.limits = {.registrations = {3, 3}}});
  EXPECT_EQ(app.post("/v1/accounts", app.registration("1")).status, 201);
  EXPECT_EQ(app.post("/v1/accounts", app.registration("2")).status, 201);
  EXPECT_EQ(app.post("/v1/accounts", app.registration("2")).status, 409);
  const auto limited = app.post("/v1/accounts", app.registration("3"));
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(limited.headers.find("Retry-After"), "20");
  EXPECT_EQ(app.post("/v1/accounts", app.registration("3"), {.source = "198.51.100.1"}).status,
            201);
  app.clock.advance(std::chrono::seconds(20));
  EXPECT_EQ(app.post("/v1/accounts", app.registration("4")).status, 201);
  EXPECT_EQ(app.post("/v1/accounts", app.registration("5")).status, 429);
}

TEST(Registration, IsNotLimitedForWhoRepeatsOrMistypes) {
  AccountsApp app({.limits = {.registrations = {2, 1}}});
  const Extra key{.idempotency_key = "once"};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(app.post("/v1/accounts", app.registration("1"), key).status, 201);
    EXPECT_EQ(app.post("/v1/accounts", {{"user_id", "a b"}}).status, 422);
  }
  EXPECT_EQ(app.post("/v1/accounts", app.registration("2")).status, 201);
  EXPECT_EQ(app.post("/v1/accounts", app.registration("3")).status, 429);
}

// Where no password can be hashed, a new name fails and a taken one is still told to be taken.
TEST(Registration, TellsThatANameIsTakenWithoutHashing) {
  AccountsApp app({.hashing = {.memory_bytes = std::size_t{1} << 62}});
  const core::AccountId account = app.account_ids.of("taken");
  Profile taken;
  taken.user_id = "taken";
  const auto seeded = eventsourcing::run_command(
      app.store, {app.clock.now(), {}, std::nullopt, std::nullopt},
      [&](eventsourcing::CommandSession& session) -> eventsourcing::CommandResult {
        eventsourcing::change<Account>(session, keys::account(account),
                                       eventsourcing::EventCodec<Account>(app.cipher),
                                       RegisterAccount{account, taken, "a hash", app.clock.now()});
        return eventsourcing::Answer{201, "", "", {}};
      });
  ASSERT_TRUE(seeded);
  EXPECT_EQ(app.post("/v1/accounts", app.registration("taken")).status, 409);
  EXPECT_EQ(app.post("/v1/accounts", app.registration("new")).status, 503);
}

TEST(Registration, WaitsNoLongerThanItMayForItsHash) {
  AccountsApp app({.hashing = {.memory_bytes = std::size_t{64} << 20,
                               .passes = 4,
                               .concurrent_max = 1,
                               .wait_max = std::chrono::milliseconds(0)}});
  // Of many at once, one hashes and the others are told to come back.
  constexpr int kCrowd = 4;
  constexpr int kRoundsMax = 50;
  std::atomic<int> registered{0};
  std::atomic<int> told_to_come_back{0};
  int rounds = 0;
  for (; rounds < kRoundsMax && told_to_come_back == 0; ++rounds) {
    std::latch together(kCrowd);
    std::vector<std::jthread> crowd;
    for (int i = 0; i < kCrowd; ++i) {
      crowd.emplace_back([&, user_id = std::to_string(rounds * kCrowd + i)] {
        together.arrive_and_wait();
        const auto response = app.post("/v1/accounts", app.registration(user_id));
        if (response.status == 201) ++registered;
        if (response.status == 503 && response.headers.find("Retry-After")) ++told_to_come_back;
      });
    }
  }
  EXPECT_GE(registered, 1);
  EXPECT_GE(told_to_come_back, 1);
  EXPECT_EQ(registered + told_to_come_back, rounds * kCrowd);
}

}  // namespace
}  // namespace tideline::accounts::testing
