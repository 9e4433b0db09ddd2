// The directory's two writers, held to what must come out whatever the order of events.

#include <gtest/gtest.h>

#include "eventsourcing/projections/projection.hpp"
#include "people/people_projection.hpp"
#include "people/profile_view.hpp"

namespace tideline::people {
namespace {

using sql::Params;
using sql::Rows;

// Keeps the statements that it is given.
class RecordingTransaction final : public sql::Transaction {
 public:
  Rows execute(std::string_view sql, const Params& params) override {
    if (sql.starts_with("INSERT INTO subject_key")) {
      destroyed = *params[0].text();
      return {};
    }
    if (sql.starts_with("DELETE FROM ")) {
      deleted = std::string(sql.substr(12, sql.find(' ', 12) - 12)) + " " + *params[0].text();
      return {};
    }
    statements.push_back(std::string(sql));
    last_params = params;
    return {};
  }
  void copy_in(std::string_view, std::span<const std::string>, std::span<const Params>) override {
    FAIL() << "nothing is copied here";
  }

  std::vector<std::string> statements;
  Params last_params;
  std::string destroyed;  // the subjects whose keys go, as an array
  std::string deleted;    // a table and the owners whose rows go
};

const core::AccountId kAda = *core::AccountId::parse("aaaaaaaaaaaaaaaaaaaaaaaaae");

eventsourcing::RecordedEvent event(const std::string& type, const std::string& data) {
  eventsourcing::RecordedEvent recorded;
  recorded.source = "accounts";
  recorded.type = type;
  recorded.data = data;
  return recorded;
}

std::string of_ada() { return R"({"account_id":")" + kAda.to_string() + R"("})"; }

TEST(PeopleProjection, ARegistrationIsWrittenOnceAndForgottenAfterTheFlush) {
  PeopleProjection projection;
  RecordingTransaction transaction;
  projection.apply(event("AccountRegistered", of_ada()));
  projection.flush(transaction);
  ASSERT_EQ(transaction.statements.size(), 1U);
  EXPECT_EQ(transaction.last_params[0].text(), "{\"" + kAda.to_uuid() + "\"}");
  EXPECT_EQ(transaction.last_params[1].text(), "{\"false\"}");
  projection.flushed();
  projection.flush(transaction);
  EXPECT_EQ(transaction.statements.size(), 1U);
}

TEST(PeopleProjection, AClosedAccountStaysClosed) {
  PeopleProjection projection;
  RecordingTransaction transaction;
  projection.apply(event("AccountClosed", of_ada()));
  projection.apply(event("AccountRegistered", of_ada()));
  projection.flush(transaction);
  EXPECT_EQ(transaction.last_params[1].text(), "{\"true\"}");
}

TEST(PeopleProjection, OnlyAClosedAccountLosesItsKey) {
  const core::AccountId bob = *core::AccountId::parse("ceirceirceirceirceirceirce");
  PeopleProjection projection;
  RecordingTransaction transaction;
  projection.apply(event("AccountRegistered", of_ada()));
  projection.apply(event("AccountRegistered", R"({"account_id":")" + bob.to_string() + R"("})"));
  projection.flush(transaction);
  EXPECT_EQ(transaction.destroyed, "");
  projection.apply(event("AccountClosed", of_ada()));
  projection.flush(transaction);
  EXPECT_EQ(transaction.destroyed, "{\"" + kAda.to_uuid() + "\"}");
}

TEST(PeopleProjection, WhatAClosedAccountOwnsGoesWithItsKey) {
  PeopleProjection projection({"upload"});
  RecordingTransaction transaction;
  projection.apply(event("AccountRegistered", of_ada()));
  projection.flush(transaction);
  EXPECT_EQ(transaction.deleted, "");
  projection.apply(event("AccountClosed", of_ada()));
  projection.flush(transaction);
  EXPECT_EQ(transaction.deleted, "upload {\"" + kAda.to_uuid() + "\"}");
}

TEST(PeopleProjection, EventsOfOtherKindsAreNothing) {
  PeopleProjection projection;
  RecordingTransaction transaction;
  projection.apply(event("SignedIn", "not even JSON"));
  projection.flush(transaction);
  EXPECT_TRUE(transaction.statements.empty());
}

TEST(PeopleProjection, BrokenDataIsPoison) {
  PeopleProjection projection;
  for (const char* data : {"", "[]", "{}", R"({"account_id":7})", R"({"account_id":"short"})"}) {
    EXPECT_THROW(projection.apply(event("AccountRegistered", data)), eventsourcing::PoisonEvent)
        << data;
  }
}

TEST(ProfileView, TheNewestVersionWinsInEveryOrder) {
  const std::string older = R"({"version":1,"user_id":"007","real_name":"Ada"})";
  const std::string newer = R"({"version":2,"user_id":"007","real_name":"Ada L."})";
  for (const bool newer_first : {false, true}) {
    ProfileView view;
    RecordingTransaction transaction;
    view.apply(kAda.to_string(), newer_first ? newer : older);
    view.apply(kAda.to_string(), newer_first ? older : newer);
    view.flush(transaction);
    EXPECT_EQ(transaction.last_params[1].text(), "{\"2\"}");
    EXPECT_EQ(transaction.last_params[3].text(), "{\"Ada L.\"}");
  }
}

TEST(ProfileView, ATombstoneErasesTheNamesAndNoProfileComesAfterIt) {
  ProfileView view;
  RecordingTransaction transaction;
  view.apply(kAda.to_string(), std::nullopt);
  view.apply(kAda.to_string(), R"({"version":9,"user_id":"007","real_name":"Ada"})");
  view.flush(transaction);
  EXPECT_EQ(transaction.last_params[3].text(), "{NULL}");
}

TEST(ProfileView, TellsDepartmentsOnceTheyAreCommitted) {
  ProfileView view;
  std::vector<std::string> seen;
  view.tell_departments([&](const core::AccountId& account, std::string_view department) {
    EXPECT_EQ(account, kAda);
    seen.emplace_back(department);
  });
  RecordingTransaction transaction;
  const auto say = [&](std::optional<std::string> profile) {
    view.apply(kAda.to_string(), profile);
    view.flush(transaction);
  };
  say(R"({"version":1,"department":"Law"})");
  EXPECT_TRUE(seen.empty());
  view.flushed();
  view.flushed();
  say(R"({"version":2,"department":""})");
  view.flushed();
  say(R"({"version":3,"department":"Law","closed":true})");
  view.flushed();
  say(std::nullopt);
  view.flushed();
  EXPECT_EQ(seen, (std::vector<std::string>{"Law", "", "", ""}));
}

TEST(ProfileView, TellsWhoseProfilesHaveChangedOnceTheyAreCommitted) {
  ProfileView view;
  std::vector<std::size_t> told;
  view.tell_changes([&](std::span<const core::AccountId> accounts) {
    told.push_back(accounts.size());
    for (const auto& account : accounts) EXPECT_EQ(account, kAda);
  });
  RecordingTransaction transaction;
  view.load(transaction);
  EXPECT_EQ(told, (std::vector<std::size_t>{0})) << "perhaps anybody's";
  view.apply(kAda.to_string(), R"({"version":1,"real_name":"Ada"})");
  view.flush(transaction);
  EXPECT_EQ(told.size(), 1U);
  view.flushed();
  view.flushed();
  EXPECT_EQ(told, (std::vector<std::size_t>{0, 1}));
}

TEST(ProfileView, AValueThatCannotBeReadIsPoison) {
  ProfileView view;
  EXPECT_THROW(view.apply("no-account", "{}"), eventsourcing::PoisonEvent);
  EXPECT_THROW(view.apply(kAda.to_string(), "{}"), eventsourcing::PoisonEvent);
  EXPECT_THROW(view.apply(kAda.to_string(), "["), eventsourcing::PoisonEvent);
}

}  // namespace
}  // namespace tideline::people
