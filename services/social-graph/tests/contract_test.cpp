// What social-graph promises to others, checked on events made by real commands; and what it relies
// on of accounts, read as it comes.

#include <gmock/gmock.h>

#include <set>

#include "people/people_projection.hpp"
#include "social-graph/domain/contact_pair.hpp"
#include "social-graph/domain/counts.hpp"
#include "social-graph/domain/follow.hpp"
#include "social-graph/domain/group.hpp"
#include "social-graph/domain/membership.hpp"
#include "social-graph/domain/moment_setting.hpp"
#include "social-graph/domain/tag.hpp"
#include "social-graph/domain/tagging.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/tests/graph_service.hpp"
#include "social-graph/tests/people_in_memory.hpp"
#include "support/contract.hpp"
#include "support/golden.hpp"
#include "support/schema.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::RecordedEvent;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Every event that this service can make, by callers who have seen what the token says.
std::vector<RecordedEvent> every_event(const std::string& position = "") {
  PeopleInMemory people;
  GraphService service(people);
  service.position = position;
  for (const char* user_id : {"ada", "bob", "eve"}) {
    people.put({service.account(user_id), user_id, std::nullopt, std::nullopt, false});
  }
  service.post("/v1/contact-requests", "ada", {{"user_id", "bob"}});
  service.post("/v1/contact-requests/ada/decline", "bob");
  service.clock.advance(std::chrono::days(30));
  service.post("/v1/contact-requests", "ada", {{"user_id", "bob"}});
  service.remove("/v1/contact-requests/bob", "ada");
  service.befriend("ada", "bob");
  const std::string tag = service.create_tag("ada", "family");
  service.put("/v1/tags/" + tag + "/contacts/bob", "ada");
  service.remove("/v1/tags/" + tag + "/contacts/bob", "ada");
  service.remove("/v1/tags/" + tag, "ada");
  service.put("/v1/contacts/bob/remark", "ada", {{"remark", "Bobby"}});
  service.remove("/v1/contacts/bob", "ada");
  service.remove("/v1/contact-suggestions/bob", "ada");
  service.put("/v1/follows/me", "ada", {{"counts_shown_to", "contacts"}});
  service.put("/v1/follows/bob", "ada");
  service.remove("/v1/follows/bob", "ada");
  service.put("/v1/blocks/bob", "ada");
  service.remove("/v1/blocks/bob", "ada");
  service.put("/v1/moment-settings/bob", "ada",
              {{"hides_other", true}, {"hidden_from_other", false}});
  const std::string group = service.create_group("ada", "chess", true);
  service.post("/v1/groups/" + group + "/invitations", "ada", {{"user_id", "bob"}});
  service.post("/v1/groups/" + group + "/members", "bob");
  service.remove("/v1/groups/" + group + "/members/me", "bob");
  service.post("/v1/groups/" + group + "/invitations", "ada", {{"user_id", "bob"}});
  service.post("/v1/groups/" + group + "/members", "bob");
  service.put("/v1/groups/" + group + "/admins/bob", "ada");
  service.remove("/v1/groups/" + group + "/members/bob", "ada");
  service.post("/v1/groups/" + group + "/invitations", "ada", {{"user_id", "eve"}});
  service.remove("/v1/groups/" + group + "/invitations/me", "eve");
  service.put("/v1/groups/" + group + "/name", "ada", {{"name", "poker"}});
  service.put("/v1/groups/" + group + "/history", "ada", {{"history", "from_start"}});
  service.post("/v1/groups/" + group + "/invitations", "ada", {{"user_id", "bob"}});
  service.post("/v1/groups/" + group + "/members", "bob");
  service.put("/v1/groups/" + group + "/creator", "ada", {{"user_id", "bob"}});
  service.remove("/v1/groups/" + group, "bob");
  return service.events();
}

TEST(Contract, WhatConsumersRelyOnIsMade) {
  const auto contracts = test_support::contracts_with_producer(TIDELINE_SOURCE_DIR, "social-graph");
  EXPECT_THAT(test_support::broken_promises(contracts, every_event()), IsEmpty());
}

TEST(Contract, ReadsEveryEventThatWasEverStored) {
  EXPECT_THAT((test_support::unread_golden_events<EveryEvent>(TIDELINE_SOURCE_DIR, "social-graph")),
              IsEmpty());
}

TEST(Contract, EveryEventHasASchemaAndKeepsIt) {
  EXPECT_THAT(test_support::broken_schemas(TIDELINE_EVENT_SCHEMAS, "social-graph", every_event()),
              IsEmpty());
}

// Anyone who reads several logs side by side must not use it before what was before it.
TEST(Contract, WhatMayShowSomebodyMoreSaysWhatItsWriterHadSeen) {
  eventsourcing::PositionVector seen;
  seen.raise("feed", core::LogIndex(0), core::LogPosition(9));
  for (const std::string& token : {std::string(), seen.to_token()}) {
    std::set<std::string> types;
    for (const auto& event : every_event(token)) {
      EXPECT_EQ(event.metadata.seen, token) << event.type;
      if (event.schema_version == core::SchemaVersion(2)) types.insert(event.type);
    }
    EXPECT_THAT(
        types, ElementsAre("ContactAccepted", "ContactDeclined", "ContactTagged", "ContactUntagged",
                           "Followed", "GroupCreated", "GroupDissolved", "GroupJoined", "GroupLeft",
                           "MomentSettingChanged", "TagDeleted"));
  }
}

TEST(Contract, ARenamedFieldNamesItsConsumers) {
  const test_support::PromisedEvent promised{
      "Followed", 1, {{"follower", "account_id"}, {"followed", "account_id"}}, {}};
  const std::vector<test_support::Contract> contracts{{"feed", "social-graph", {promised}},
                                                      {"scoring", "social-graph", {promised}}};
  EXPECT_THAT(test_support::broken_promises(contracts, every_event()),
              ElementsAre("Followed has no field 'followed' as account_id, which is relied on by: "
                          "feed, scoring"));
}

TEST(Contract, AnotherKindOrSchemaVersionIsBroken) {
  const test_support::PromisedEvent kind{"Followed", 1, {{"first", "string"}}, {}};
  const test_support::PromisedEvent version{"Followed", 3, {{"first", "boolean"}}, {}};
  const std::vector<test_support::Contract> contracts{{"feed", "social-graph", {kind, version}}};
  EXPECT_THAT(test_support::broken_promises(contracts, every_event()),
              ElementsAre(HasSubstr("'first' as string"), HasSubstr("version 3 is never made")));
}

TEST(Contract, AnEventThatBreaksItsSchemaIsFound) {
  auto events = every_event();
  for (auto& event : events) {
    if (event.type == "Followed") event.data = R"({"follower":"ada"})";
  }
  events.push_back(events.front());
  events.back().type = "Unheard";
  const auto findings =
      test_support::broken_schemas(TIDELINE_EVENT_SCHEMAS, "social-graph", events);
  EXPECT_THAT(findings, ::testing::Contains(HasSubstr("Followed breaks its schema")));
  EXPECT_THAT(findings, ::testing::Contains(HasSubstr("Unheard, which has no schema")));
}

// Takes what the directory of people writes.
class WrittenPeople final : public sql::Transaction {
 public:
  sql::Rows execute(std::string_view sql, const sql::Params& params) override {
    if (sql.starts_with("INSERT INTO subject_key")) return {};
    accounts = sql::Row({params.at(0).text()}).text_array(0);
    closed = sql::Row({params.at(1).text()}).text_array(0);
    return {};
  }
  void copy_in(std::string_view, std::span<const std::string>,
               std::span<const sql::Params>) override {
    FAIL() << "nothing is copied here";
  }
  std::vector<std::string> accounts;
  std::vector<std::string> closed;
};

TEST(Contract, ExamplesOfAccountsAreRead) {
  const auto contract =
      test_support::read_contract(TIDELINE_SOURCE_DIR, "social-graph", "accounts");
  EXPECT_THAT(test_support::broken_examples(contract), IsEmpty());
  ASSERT_EQ(contract.events.size(), 2U);
  for (const auto& promised : contract.events) {
    people::PeopleProjection directory;
    ASSERT_THAT(directory.sources(), ElementsAre("accounts"));
    directory.apply(promised.recorded("accounts"));
    WrittenPeople written;
    directory.flush(written);
    const auto account =
        core::AccountId::parse(promised.example.at("account_id").get<std::string>());
    EXPECT_THAT(written.accounts, ElementsAre(account->to_uuid()));
    EXPECT_THAT(written.closed, ElementsAre(promised.type == "AccountClosed" ? "true" : "false"));
  }
}

}  // namespace
}  // namespace tideline::social_graph
