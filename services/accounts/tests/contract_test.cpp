// What other services rely on of this one's events, and what this one relies on of others'.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <variant>

#include "accounts/domain/account.hpp"
#include "accounts/domain/session.hpp"
#include "accounts/stored_events.hpp"
#include "accounts_app.hpp"
#include "eventsourcing/commands/once.hpp"
#include "support/contract.hpp"
#include "support/golden.hpp"

namespace tideline::accounts::testing {
namespace {

using test_support::broken_examples;
using test_support::broken_promises;
using test_support::contracts_with_producer;
using test_support::read_contract;
using ::testing::IsEmpty;

constexpr const char* kNextPassword = "another horse battery";

// Every event of this service, each made by a request.
std::vector<eventsourcing::RecordedEvent> live(AccountsApp& app) {
  const Tokens ada = app.enrol("7");
  EXPECT_EQ(app.sign_in("7").status, 201);
  EXPECT_EQ(app.call(http::Method::Patch, "/v1/me", {{"sex", 1}}, {.token = ada.access}).status,
            200);
  EXPECT_EQ(app.refresh(ada.refresh).status, 200);
  EXPECT_EQ(app.refresh(ada.refresh).status, 401);
  EXPECT_EQ(app.post("/v1/me/password", {{"current", app.kPassword}, {"new", kNextPassword}},
                     {.token = ada.access})
                .status,
            200);
  const core::Timestamp now = app.clock.now();
  app.views.offer(
      {{app.account_ids.of("8"), app.account_ids.of("7"), app.campus.day_of(now)}, now, {}});
  {
    std::jthread recorder([&](const std::stop_token& stop) { app.views.run(stop); });
    EXPECT_TRUE(app.views.wait_until_idle(std::chrono::seconds(10)));
  }
  EXPECT_EQ(
      app.call(http::Method::Delete, "/v1/me", {{"password", kNextPassword}}, {.token = ada.access})
          .status,
      204);
  return app.events();
}

TEST(Contract, HoldsWhatConsumersRelyOn) {
  AccountsApp app;
  const auto events = live(app);
  std::set<std::string> types;
  for (const auto& event : events) types.insert(event.type);
  EXPECT_EQ(types.size(), 12u);
  EXPECT_THAT(broken_promises(contracts_with_producer(TIDELINE_SOURCE_DIR, "accounts"), events),
              IsEmpty());
}

// That the check can fail, and whom it names.
TEST(Contract, NamesTheConsumersOfARenamedField) {
  AccountsApp app;
  auto events = live(app);
  for (auto& event : events) {
    json data = json::parse(event.data);
    if (event.type != "AccountClosed") continue;
    data["account"] = data["account_id"];
    data.erase("account_id");
    event.data = data.dump();
  }
  const test_support::Contract relying{
      "feed", "accounts", {{"AccountClosed", 1, {{"account_id", "account_id"}}, {}}}};
  const auto findings = broken_promises({relying}, events);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].find("feed"), std::string::npos) << findings[0];
}

TEST(Contract, TowardProjectsIsRead) {
  const auto contract = read_contract(TIDELINE_SOURCE_DIR, "accounts", "projects");
  EXPECT_THAT(broken_examples(contract), IsEmpty());
  using Known = std::variant<read::ProjectCreated, read::ProjectWithdrawn, read::ProjectRestored>;
  EXPECT_EQ(contract.events.size(), std::variant_size_v<Known>);
  for (const auto& event : contract.events) {
    const auto read = eventsourcing::read_any<Known>(event.recorded("projects"));
    ASSERT_TRUE(read);
    std::visit(
        [&](const auto& fact) {
          EXPECT_EQ(fact.project_id, event.example.at("project_id"));
          EXPECT_EQ(fact.author.to_string(), event.example.at("author"));
        },
        *read);
  }
}

TEST(Contract, PassesOverWhatNobodyAskedFor) {
  using eventsourcing::read_as;
  eventsourcing::RecordedEvent event;
  event.source = "projects";
  event.type = "ProjectEdited";
  event.data = "not even JSON";
  EXPECT_FALSE(read_as<read::ProjectCreated>(event));
  EXPECT_FALSE(read_as<read::AccountRegistered>(event));
  event.type = "ProjectCreated";
  EXPECT_THROW(read_as<read::ProjectCreated>(event), eventsourcing::PoisonEvent);
  event.data = R"({"project_id":"../x","author":"ceirceirceirceirceirceirce"})";
  EXPECT_THROW(read_as<read::ProjectCreated>(event), eventsourcing::PoisonEvent);
}

TEST(Contract, ReadsEveryEventThatWasEverStored) {
  EXPECT_THAT((test_support::unread_golden_events<EveryEvent>(TIDELINE_SOURCE_DIR, "accounts")),
              IsEmpty());
}

TEST(Contract, ReadsEveryProfileThatWasEverSealed) {
  const auto profiles = test_support::golden_objects(TIDELINE_SOURCE_DIR, "accounts", "Profile");
  for (const std::string& profile : profiles) EXPECT_TRUE(profile_from_json(profile)) << profile;
  EXPECT_EQ(profile_to_json(profile_from_json(profiles.back()).value()), profiles.back());
}

}  // namespace
}  // namespace tideline::accounts::testing
