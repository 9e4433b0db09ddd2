// Commands of contacts and follows over HTTP: statuses, problem codes, repeats.

#include <gmock/gmock.h>

#include "http/messages/cursor.hpp"
#include "social-graph/tests/graph_service.hpp"
#include "social-graph/tests/people_in_memory.hpp"

namespace tideline::social_graph {
namespace {

using http::Method;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class ContactApi : public ::testing::Test {
 protected:
  ContactApi() {
    for (const char* user_id : {"ada", "bob", "eve", "007", "7"}) know(user_id, false);
    know("gone", true);
  }

  void know(const std::string& user_id, bool closed) {
    people.put({service.account(user_id), user_id, "Name of " + user_id, std::nullopt, closed});
  }
  Reply ask(const char* from, const char* to) {
    return service.post("/v1/contact-requests", from, {{"user_id", to}});
  }
  std::vector<std::string> event_types() {
    std::vector<std::string> types;
    for (const auto& event : service.events()) types.push_back(event.type);
    return types;
  }

  PeopleInMemory people;
  GraphService service{people};
};

TEST_F(ContactApi, ARequestIsMadeAndAccepted) {
  const Reply asked = ask("ada", "bob");
  EXPECT_EQ(asked.status, 201);
  EXPECT_EQ(asked.body, json({{"user_id", "bob"},
                              {"real_name", "Name of bob"},
                              {"avatar", nullptr},
                              {"relation", "outgoing"}}));
  EXPECT_EQ(asked.header("ETag"), "\"1\"");
  EXPECT_NE(asked.header("Tideline-Position"), "");

  const Reply accepted = service.post("/v1/contact-requests/ada/accept", "bob");
  EXPECT_EQ(accepted.status, 200);
  EXPECT_EQ(accepted.body.at("relation"), "contact");
  EXPECT_THAT(event_types(), UnorderedElementsAre("ContactRequested", "ContactAccepted",
                                                  "ContactCountChanged", "ContactCountChanged"));
}

TEST_F(ContactApi, AContactIsCalledByANameOfOnesOwnUntilTheContactEnds) {
  const json bobby{{"remark", "Bobby"}};
  EXPECT_EQ(service.put("/v1/contacts/bob/remark", "ada", bobby).problem(), "no-such-contact");
  service.befriend("ada", "bob");
  EXPECT_EQ(service.put("/v1/contacts/bob/remark", "ada", bobby).status, 204);
  EXPECT_EQ(service.put("/v1/contacts/ada/remark", "bob", {{"remark", "A"}}).status, 204);
  const auto events = service.events().size();
  EXPECT_EQ(service.put("/v1/contacts/bob/remark", "ada", bobby).status, 204);
  EXPECT_EQ(service.events().size(), events);
  EXPECT_EQ(service.put("/v1/contacts/bob/remark", "ada", {{"remark", ""}}).status, 422);
  EXPECT_EQ(service.put("/v1/contacts/nobody/remark", "ada", bobby).problem(), "no-such-contact");
  EXPECT_EQ(service.put("/v1/contacts/ada/remark", "ada", bobby).problem(), "oneself");

  service.remove("/v1/contacts/ada", "bob");
  const auto types = event_types();
  EXPECT_EQ(std::count(types.begin(), types.end(), "ContactRemarkRemoved"), 2)
      << "each calls the other nothing any more";
  EXPECT_EQ(service.put("/v1/contacts/bob/remark", "ada", bobby).status, 404);
  EXPECT_EQ(service.remove("/v1/contacts/bob/remark", "ada").status, 204);
}

TEST_F(ContactApi, ABlockTakesRemarksWithTheContact) {
  service.befriend("ada", "bob");
  service.put("/v1/contacts/bob/remark", "ada", {{"remark", "Bobby"}});
  service.put("/v1/blocks/ada", "bob");
  const auto types = event_types();
  EXPECT_EQ(std::count(types.begin(), types.end(), "ContactRemarkRemoved"), 1);
}

TEST_F(ContactApi, ASuggestionIsDismissedOnce) {
  EXPECT_EQ(service.remove("/v1/contact-suggestions/bob", "ada").status, 204);
  EXPECT_EQ(service.remove("/v1/contact-suggestions/bob", "ada").status, 204);
  EXPECT_THAT(event_types(), ElementsAre("ContactSuggestionDismissed"));
  EXPECT_EQ(service.remove("/v1/contact-suggestions/nobody", "ada").problem(), "no-such-person");
}

TEST_F(ContactApi, WhoSeesTheCountsOfFollowsIsSaid) {
  for (const char* shown_to : {"contacts", "contacts", "everybody", "nobody"}) {
    const json body{{"counts_shown_to", shown_to}};
    EXPECT_EQ(service.put("/v1/follows/me", "ada", body).status, 204) << shown_to;
  }
  EXPECT_EQ(service.events().size(), 3U);
  EXPECT_EQ(service.put("/v1/follows/me", "ada", {{"counts_shown_to", "friends"}}).status, 422);
}

TEST_F(ContactApi, CrossingRequestsMakeContacts) {
  ask("ada", "bob");
  const Reply crossing = ask("bob", "ada");
  EXPECT_EQ(crossing.status, 201);
  EXPECT_EQ(crossing.body.at("relation"), "contact");
}

TEST_F(ContactApi, ARepeatAnswersAsBeforeAndWritesNothing) {
  service.befriend("ada", "bob");
  const auto events = service.events().size();
  EXPECT_EQ(ask("ada", "bob").status, 201);
  EXPECT_EQ(service.post("/v1/contact-requests/ada/accept", "bob").status, 200);
  EXPECT_EQ(service.events().size(), events);
  EXPECT_EQ(service.remove("/v1/contacts/bob", "ada").status, 204);
  EXPECT_EQ(service.remove("/v1/contacts/ada", "bob").status, 204);
  EXPECT_EQ(service.events().size(), events + 3);
}

TEST_F(ContactApi, AnIdempotencyKeyGivesTheFirstAnswerAgain) {
  const std::vector<std::pair<std::string, std::string>> key{{"Idempotency-Key", "once"}};
  const json to_bob{{"user_id", "bob"}};
  const Reply first = service.call(Method::Post, "/v1/contact-requests", "ada", to_bob, key);
  service.post("/v1/contact-requests/ada/accept", "bob");
  const Reply again = service.call(Method::Post, "/v1/contact-requests", "ada", to_bob, key);
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, first.body) << "not what would be answered now";
  EXPECT_EQ(again.header("ETag"), first.header("ETag"));
  EXPECT_EQ(again.header("Tideline-Position"), first.header("Tideline-Position"));

  const Reply other =
      service.call(Method::Post, "/v1/contact-requests", "ada", {{"user_id", "eve"}}, key);
  EXPECT_EQ(other.status, 422);
  EXPECT_EQ(other.problem(), "idempotency-key-reused");
}

TEST_F(ContactApi, RequestsEnd) {
  ask("ada", "bob");
  EXPECT_EQ(service.post("/v1/contact-requests/ada/decline", "bob").status, 204);
  EXPECT_EQ(service.post("/v1/contact-requests/ada/decline", "bob").status, 204);
  EXPECT_EQ(ask("ada", "bob").problem(), "contact-request-declined");
  service.clock.advance(std::chrono::days(30));
  EXPECT_EQ(ask("ada", "bob").status, 201);
  EXPECT_EQ(service.remove("/v1/contact-requests/bob", "ada").status, 204);
  const Reply late = service.post("/v1/contact-requests/ada/accept", "bob");
  EXPECT_EQ(late.status, 404);
  EXPECT_EQ(late.problem(), "no-such-contact-request");
}

TEST_F(ContactApi, OnlyTheRightSideActs) {
  ask("ada", "bob");
  EXPECT_EQ(service.post("/v1/contact-requests/bob/accept", "ada").status, 404);
  EXPECT_EQ(service.post("/v1/contact-requests/bob/decline", "ada").status, 404);
  EXPECT_EQ(service.remove("/v1/contact-requests/ada", "bob").status, 404);
  EXPECT_EQ(service.remove("/v1/contacts/bob", "ada").problem(), "no-such-contact");
}

TEST_F(ContactApi, TheLimitHoldsForBothSides) {
  for (const char* other : {"bob", "eve", "007"}) service.befriend("ada", other);
  ask("7", "ada");
  const Reply full = service.post("/v1/contact-requests/7/accept", "ada");
  EXPECT_EQ(full.status, 409);
  EXPECT_EQ(full.problem(), "contact-limit-reached");
  service.remove("/v1/contact-requests/ada", "7");
  ask("ada", "7");
  const Reply theirs = service.post("/v1/contact-requests/ada/accept", "7");
  EXPECT_EQ(theirs.status, 409);
  EXPECT_EQ(theirs.problem(), "their-contact-limit-reached");

  EXPECT_EQ(service.remove("/v1/contacts/bob", "ada").status, 204);
  EXPECT_EQ(service.post("/v1/contact-requests/ada/accept", "7").status, 200);
}

TEST_F(ContactApi, WhoIsNotThereCannotBeAsked) {
  EXPECT_EQ(ask("ada", "nobody").status, 404);
  EXPECT_EQ(ask("ada", "nobody").problem(), "no-such-person");
  EXPECT_EQ(ask("ada", "gone").status, 409);
  EXPECT_EQ(ask("ada", "gone").problem(), "account-closed");
  EXPECT_EQ(ask("ada", "ada").status, 422);
  EXPECT_EQ(ask("ada", "ada").problem(), "oneself");
  EXPECT_EQ(service.put("/v1/follows/nobody", "ada").problem(), "no-such-person");
  EXPECT_EQ(service.put("/v1/follows/no%20body", "ada").problem(), "no-such-person");
  EXPECT_EQ(service.put("/v1/follows/ada", "ada").problem(), "oneself");
}

TEST_F(ContactApi, LeadingZerosMakeAnotherPerson) {
  ask("ada", "007");
  EXPECT_EQ(service.post("/v1/contact-requests/ada/accept", "7").status, 404);
  EXPECT_EQ(service.post("/v1/contact-requests/ada/accept", "007").status, 200);
}

TEST_F(ContactApi, BadBodiesAreNamedFieldByField) {
  EXPECT_EQ(service.post("/v1/contact-requests", "ada").status, 415);
  EXPECT_EQ(service.post("/v1/contact-requests", "ada", json::array()).status, 422);
  const Reply bad =
      service.post("/v1/contact-requests", "ada", {{"user_id", "b o b"}, {"hello", 1}});
  EXPECT_EQ(bad.status, 422);
  EXPECT_EQ(bad.body.at("errors").size(), 2U);
  EXPECT_EQ(ask("ada", std::string(65, 'x').c_str()).status, 422);
}

TEST_F(ContactApi, EveryRouteAsksForAToken) {
  for (const auto& route : service.router.routes()) {
    EXPECT_EQ(service.call(route.method, route.path_template, "").status, 401)
        << route.path_template;
  }
}

TEST_F(ContactApi, ADatabaseThatIsAwayIsA503) {
  people.go_away();
  const Reply away = ask("ada", "bob");
  EXPECT_EQ(away.status, 503);
  EXPECT_NE(away.header("Retry-After"), "");
  EXPECT_EQ(service.get("/v1/contacts", "ada").status, 503);
}

TEST_F(ContactApi, AStaleIfMatchIsRefused) {
  service.befriend("ada", "bob");
  const Reply stale =
      service.call(Method::Delete, "/v1/contacts/bob", "ada", nullptr, {{"If-Match", "\"1\""}});
  EXPECT_EQ(stale.status, 412);
  EXPECT_EQ(
      service.call(Method::Delete, "/v1/contacts/bob", "ada", nullptr, {{"If-Match", "\"2\""}})
          .status,
      204);
}

TEST_F(ContactApi, FollowsBeginAndEnd) {
  const Reply followed = service.put("/v1/follows/bob", "ada");
  EXPECT_EQ(followed.status, 200);
  EXPECT_EQ(followed.body,
            json({{"user_id", "bob"}, {"real_name", "Name of bob"}, {"avatar", nullptr}}));
  EXPECT_EQ(service.put("/v1/follows/bob", "ada").status, 200);
  EXPECT_EQ(service.remove("/v1/follows/bob", "ada").status, 204);
  EXPECT_EQ(service.remove("/v1/follows/bob", "ada").status, 204);
  EXPECT_THAT(event_types(), ElementsAre("Followed", "Unfollowed"));
}

TEST_F(ContactApi, MomentSettingsAreSet) {
  const json both{{"hides_other", true}, {"hidden_from_other", false}};
  const Reply set = service.put("/v1/moment-settings/bob", "ada", both);
  EXPECT_EQ(set.status, 200);
  EXPECT_EQ(set.body, json({{"user_id", "bob"},
                            {"real_name", "Name of bob"},
                            {"avatar", nullptr},
                            {"hides_other", true},
                            {"hidden_from_other", false}}));
  EXPECT_EQ(service.put("/v1/moment-settings/bob", "ada", both).status, 200);
  EXPECT_EQ(service.events().size(), 1U);
  EXPECT_EQ(service.put("/v1/moment-settings/ada", "ada", both).problem(), "oneself");
  EXPECT_EQ(service.put("/v1/moment-settings/nobody", "ada", both).problem(), "no-such-person");
  EXPECT_EQ(service.put("/v1/moment-settings/bob", "ada", {{"hides_other", 1}}).status, 422);
}

TEST_F(ContactApi, ListsRefuseWhatTheyDoNotKnow) {
  EXPECT_EQ(service.get("/v1/contact-requests?direction=sideways", "ada").status, 400);
  EXPECT_EQ(service.get("/v1/follows?direction=sideways", "ada").status, 400);
  EXPECT_EQ(service.get("/v1/groups?membership=sideways", "ada").status, 400);
  EXPECT_EQ(service.get("/v1/contacts?after=garbage", "ada").status, 400);
  EXPECT_EQ(service.get("/v1/contacts?limit=101", "ada").status, 400);
  const std::string forged = http::encode_cursor("contacts", "2026-01-02T03:04:05Z,ada");
  EXPECT_EQ(service.get("/v1/contacts?after=" + forged, "ada").status, 400);
}

}  // namespace
}  // namespace tideline::social_graph
