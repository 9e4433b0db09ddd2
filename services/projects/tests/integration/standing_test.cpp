// What is taken back: projects that are withdrawn and restored, comments that are removed, and what
// the closing of an account ends. And the lists that show only what stands.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eventsourcing/projections/reaction.hpp"
#include "projects/api/closed_account_rules.hpp"
#include "projects_app.hpp"
#include "support/pictures.hpp"

namespace tideline::projects {
namespace {

using http::Method;
using http::Response;
using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Standing : public ::testing::Test {
 protected:
  Standing() {
    for (const char* user_id : {"ada", "bob", "cleo"}) app.enter_person(user_id);
    project = app.create("ada");
    path = "/v1/projects/" + project;
  }

  int status(const std::string& who, Method method, const std::string& at,
             const Json& body = nullptr) {
    return app.call(who, method, at, body).status;
  }
  std::vector<std::string> ids(const std::string& who, const std::string& list,
                               const char* key = "id") {
    std::vector<std::string> found;
    const Json answer = app.get(who, list);
    for (const Json& item : answer.at("items")) found.push_back(item.at(key));
    return found;
  }
  std::int64_t comment(const std::string& who, std::int64_t parent = 0) {
    const Response written =
        app.call(who, Method::Post, path + "/comments", {{"text", who}, {"parent_id", parent}});
    EXPECT_EQ(written.status, 201) << written.body;
    return Json::parse(written.body).at("id").get<std::int64_t>();
  }

  ProjectsApp app;
  std::string project;
  std::string path;
};

TEST_F(Standing, AWithdrawnProjectIsThereForItsAuthorAlone) {
  const auto labelled = app.call("ada", Method::Patch, path, {{"labels", {"sea"}}});
  app.call("ada", Method::Put, path + "/icon", test_support::picture(2, 2));
  app.call("ada", Method::Post, path + "/documents?title=Plan", "The plan");
  app.call("ada", Method::Post, path + "/voting");
  comment("bob");
  app.call("bob", Method::Put, path + "/vote");
  const std::string link = app.get("bob", path).at("icon_link");
  const std::string document = app.get("bob", path + "/documents").at("items")[0].at("location");
  const Json before = app.get("bob", path);

  EXPECT_EQ(status("bob", Method::Put, path + "/withdrawal"), 403);
  EXPECT_EQ(status("ada", Method::Put, path + "/withdrawal"), 200);
  EXPECT_EQ(status("ada", Method::Put, path + "/withdrawal"), 200);
  for (const char* part : {"", "/comments", "/advice", "/documents", "/vote", "/visits"}) {
    EXPECT_EQ(status("bob", Method::Get, path + part), 404) << part;
  }
  EXPECT_EQ(status("", Method::Get, link), 404);
  EXPECT_EQ(status("bob", Method::Get, document), 404);
  const Json text{{"text", "hi"}};
  for (const char* part : {"/comments", "/advice", "/visits"}) {
    EXPECT_EQ(status("bob", Method::Post, path + part, text), 404) << part;
  }
  for (const Method method : {Method::Put, Method::Delete}) {
    EXPECT_EQ(status("bob", method, path + "/vote"), 404);
    EXPECT_EQ(status("bob", method, path + "/withdrawal"), 404);
  }
  EXPECT_EQ(status("bob", Method::Delete, path + "/comments/1"), 404);
  EXPECT_EQ(status("bob", Method::Patch, path, {{"name", "Mine"}}), 404);
  for (const char* list :
       {"/v1/projects?author=ada", "/v1/projects?label=sea", "/v1/projects?order=newest"}) {
    EXPECT_THAT(ids("bob", list), IsEmpty()) << list;
  }
  EXPECT_THAT(ids("bob", "/v1/projects/labels", "label"), IsEmpty());
  EXPECT_THAT(ids("bob", "/v1/voting-board", "project_id"), IsEmpty());

  EXPECT_EQ(app.get("ada", path).at("withdrawn"), true);
  EXPECT_THAT(ids("ada", "/v1/projects?author=ada"), ElementsAre(project));
  const Response refused = app.call("ada", Method::Post, path + "/comments", text);
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.body, HasSubstr("project-withdrawn"));

  EXPECT_EQ(status("ada", Method::Delete, path + "/withdrawal"), 204);
  const Json after = app.get("bob", path);
  EXPECT_EQ(after, before);
  EXPECT_EQ(app.get("bob", path + "/vote").at("voted"), true);
  EXPECT_THAT(ids("bob", "/v1/voting-board", "project_id"), ElementsAre(project));
  EXPECT_THAT(ids("bob", "/v1/projects?label=sea"), ElementsAre(project));
  EXPECT_EQ(status("bob", Method::Post, path + "/comments", text), 201);
}

TEST_F(Standing, ARemovedCommentKeepsItsPlaceAndItsAnswers) {
  comment("bob");
  comment("cleo", 1);
  EXPECT_EQ(status("cleo", Method::Delete, path + "/comments/1"), 403);
  EXPECT_EQ(status("bob", Method::Delete, path + "/comments/1"), 204);
  EXPECT_EQ(status("ada", Method::Delete, path + "/comments/1"), 204);
  const Json items = app.get("cleo", path + "/comments").at("items");
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].at("removed"), true);
  EXPECT_EQ(items[0].at("text"), nullptr);
  EXPECT_EQ(items[0].at("author").at("user_id"), nullptr);
  EXPECT_EQ(items[1].at("parent_id"), 1);
  EXPECT_EQ(items[1].at("text"), "cleo");
  EXPECT_EQ(app.get("cleo", path).at("comment_count"), 1);
  const Response answered =
      app.call("cleo", Method::Post, path + "/comments", {{"text", "?"}, {"parent_id", 1}});
  EXPECT_EQ(answered.status, 409);
  EXPECT_THAT(answered.body, HasSubstr("comment-removed"));

  EXPECT_EQ(status("ada", Method::Delete, path + "/comments/2"), 204) << "the project's author";
  EXPECT_EQ(comment("bob"), 3);
  for (const char* none : {"/comments/4", "/comments/0", "/comments/-1", "/comments/x",
                           "/comments/9999999999999999"}) {
    EXPECT_EQ(status("bob", Method::Delete, path + none), 404) << none;
  }
  // One's own goes across a block, another's is not there.
  app.block("ada", "bob");
  app.block("ada", "cleo");
  EXPECT_EQ(status("cleo", Method::Delete, path + "/comments/3"), 404);
  EXPECT_EQ(status("bob", Method::Delete, path + "/comments/3"), 204);
}

TEST_F(Standing, TheNewestProjectsOfAllPageByKey) {
  std::vector<std::string> all{project};
  for (const char* author : {"bob", "cleo", "bob"}) {
    app.clock.advance(std::chrono::seconds(1));
    all.insert(all.begin(), app.create(author));
  }
  EXPECT_EQ(ids("ada", "/v1/projects?order=newest"), all);
  const Json first = app.get("ada", "/v1/projects?order=newest&limit=3");
  EXPECT_THAT(
      ids("ada", "/v1/projects?order=newest&limit=3&after=" + first.at("after").get<std::string>()),
      ElementsAre(project));
  app.block("bob", "ada");
  EXPECT_THAT(ids("ada", "/v1/projects?order=newest"), ElementsAre(all[1], all[3]));
  for (const char* wrong : {"?order=oldest", "?order=newest&author=ada", ""}) {
    EXPECT_EQ(status("ada", Method::Get, std::string("/v1/projects") + wrong), 400) << wrong;
  }
}

TEST_F(Standing, LabelsAreOrderedByTheAuthorsWhoUseThem) {
  const auto publish = [&](const char* who, const Json& labels) {
    const auto made =
        app.call(who, Method::Post, "/v1/projects", {{"name", "P"}, {"labels", labels}});
    EXPECT_EQ(made.status, 201);
    return "/v1/projects/" + Json::parse(made.body).at("id").get<std::string>();
  };
  for (int i = 0; i < 3; ++i) publish("cleo", {"mine"});
  const std::string bobs = publish("bob", {"sea", "sand"});
  publish("ada", {"sea"});
  const auto labels = [&](const char* who) {
    std::string text;
    const Json answer = app.get(who, "/v1/projects/labels");
    for (const Json& item : answer.at("items")) {
      text += item.at("label").get<std::string>() + " " + item.at("projects").dump() + ", ";
    }
    return text;
  };
  EXPECT_EQ(labels("ada"), "sea 2, mine 3, sand 1, ");
  app.call("bob", Method::Patch, bobs, {{"labels", {"sand", "sun"}}});
  EXPECT_THAT(labels("ada"), HasSubstr("mine 3, "));
  EXPECT_THAT(labels("ada"), HasSubstr("sea 1, "));
  app.block("cleo", "ada");
  EXPECT_THAT(labels("ada"), ::testing::Not(HasSubstr("mine")));
  EXPECT_THAT(labels("bob"), HasSubstr("mine 3"));
  EXPECT_EQ(status("ada", Method::Get, "/v1/projects/labels?limit=0"), 400);
}

class ClosedAccounts : public Standing {
 protected:
  // The event of accounts, and what the directory of people makes of it.
  eventsourcing::RecordedEvent close(const std::string& who) {
    eventsourcing::RecordedEvent event;
    event.id = "closing-of-" + who;
    event.source = "accounts";
    event.type = "AccountClosed";
    event.stream = core::StreamId("account-" + app.account_ids.of(who).to_string());
    event.position = core::LogPosition(++closings_);
    event.data = Json{{"account_id", app.account_ids.of(who).to_string()}}.dump();
    app.execute("UPDATE person SET closed = true WHERE account_id = $1::uuid",
                {app.account_ids.of(who)});
    return event;
  }
  void react(const std::vector<eventsourcing::RecordedEvent>& causes) {
    eventsourcing::Reaction reaction(std::make_unique<ClosedAccountRules>(ClosedAccountPorts{
                                         .database = app.database,
                                         .log = app.store,
                                         .cipher = app.cipher,
                                         .people = app.people,
                                         .people_applied = app.people_applied,
                                         .projects_applied = app.projects_applied}),
                                     app.store, app.clock);
    for (const auto& cause : causes) {
      reaction.apply(cause);
      eventsourcing::PositionVector positions;
      positions.raise(cause.source, cause.log, cause.position);
      if (cause.source == "accounts") app.people_applied.advance(positions);
    }
    for (int step = 0; step < 20; ++step) {
      const auto preparation = reaction.prepare_flush();
      ASSERT_NE(preparation.state, eventsourcing::Preparation::State::Failed)
          << preparation.error.message;
      app.get("cleo", "/v1/voting-board");  // brings the tables up to date
      if (preparation.state == eventsourcing::Preparation::State::Done) return;
    }
    FAIL() << "it does not come to an end";
  }

  std::uint64_t closings_ = 0;
};

TEST_F(ClosedAccounts, AnAuthorsOpenVoteEndsAndTheProjectLeavesTheLists) {
  app.call("ada", Method::Patch, path, {{"labels", {"sea"}}});
  app.call("ada", Method::Post, path + "/voting");
  app.call("bob", Method::Put, path + "/vote");
  const std::string quiet = app.create("ada");
  react({close("ada")});
  EXPECT_EQ(app.get("bob", path).at("votes"), (Json{{"state", "closed"}, {"tally", 1}}));
  EXPECT_EQ(app.get("bob", "/v1/projects/" + quiet).at("votes").at("state"), "not-opened");
  EXPECT_EQ(status("bob", Method::Delete, path + "/vote"), 409);
  EXPECT_THAT(ids("bob", "/v1/voting-board", "project_id"), IsEmpty());
  EXPECT_THAT(ids("bob", "/v1/projects?order=newest"), IsEmpty());
  EXPECT_THAT(ids("bob", "/v1/projects/labels", "label"), IsEmpty());
}

TEST_F(ClosedAccounts, VotesOfAClosedAccountCountNoLongerWhereTheVoteIsOpen) {
  const std::string over = app.create("bob");
  for (const std::string& id : {project, over}) {
    const char* author = id == over ? "bob" : "ada";
    app.call(author, Method::Post, "/v1/projects/" + id + "/voting");
    app.call("cleo", Method::Put, "/v1/projects/" + id + "/vote");
  }
  app.call("bob", Method::Put, path + "/vote");
  app.call("bob", Method::Delete, "/v1/projects/" + over + "/voting");
  react({close("cleo")});
  EXPECT_EQ(app.get("ada", path).at("votes").at("tally"), 1);
  EXPECT_EQ(app.get("ada", "/v1/projects/" + over).at("votes").at("tally"), 1)
      << "what is closed stays as it was";
}

TEST_F(ClosedAccounts, WhatIsBegunTooLateEndsToo) {
  app.call("ada", Method::Post, path + "/voting");
  const auto heads = *app.store.heads();
  react({close("bob"), close("ada")});
  // By tokens whose end had not come here yet.
  const std::string late = app.create("ada");
  const std::string cleos = app.create("cleo");
  app.call("cleo", Method::Post, "/v1/projects/" + cleos + "/voting");
  app.call("bob", Method::Put, "/v1/projects/" + cleos + "/vote");
  std::vector<eventsourcing::RecordedEvent> begun;
  for (std::uint32_t log = 0; log < ProjectsApp::kLogs; ++log) {
    for (const auto& event : *app.store.read_log(core::LogIndex(log), heads[log], 1000)) {
      begun.push_back(event);
    }
  }
  EXPECT_EQ(app.get("cleo", "/v1/projects/" + cleos).at("votes").at("tally"), 1);
  react(begun);
  EXPECT_EQ(app.get("cleo", "/v1/projects/" + cleos).at("votes"),
            (Json{{"state", "open"}, {"tally", 0}}));
  EXPECT_THAT(ids("cleo", "/v1/projects?order=newest"), ElementsAre(cleos));
  react(begun);
  EXPECT_EQ(app.get("cleo", "/v1/projects/" + cleos).at("votes").at("tally"), 0);
}

}  // namespace
}  // namespace tideline::projects
