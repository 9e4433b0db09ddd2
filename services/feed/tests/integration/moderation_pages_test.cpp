// What is reported, decided and told, from the routes to the tables and back, with a real
// PostgreSQL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "../feed_app.hpp"
#include "feed/domain/moderation_case.hpp"
#include "feed_database.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using http::Method;
using testing::FeedApp;
using testing::FeedDatabase;

std::string code_of(const http::Response& response) {
  const std::string type = Json::parse(response.body).value("type", "");
  return type.substr(type.find_last_of(":/") + 1);
}

// Ada writes; bob, cleo and dan read. Mona and max are moderators, otto is an operator.
class ModerationPages : public ::testing::Test {
 protected:
  ModerationPages() {
    for (const std::string name : {"ada", "bob", "cleo", "dan", "mona", "max", "otto"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.befriend("ada", "bob");
    app.befriend("ada", "cleo");
    app.give_role("mona", "moderator");
    app.give_role("max", "moderator");
    app.give_role("otto", "operator");
    app.compares = false;
    moment = publish("ada", "public");
  }

  std::string publish(const std::string& who, const std::string& audience) {
    app.clock.advance(std::chrono::milliseconds(1));
    const auto id = app.publish(who, {{"content", "of " + who}, {"audience", audience}});
    app.deliver();
    return id;
  }
  http::Response try_report(const std::string& who, const std::string& path,
                            const Json& body = {{"category", "spam"}}) {
    app.clock.advance(std::chrono::milliseconds(1));
    return app.call(who, Method::Put, "/v1/moments/" + path + "/report", body);
  }
  void report(const std::string& who, const std::string& path,
              const Json& body = {{"category", "spam"}}) {
    const auto response = try_report(who, path, body);
    EXPECT_EQ(response.status, 204) << response.body;
    app.deliver();
  }
  http::Response decide(const std::string& who, const std::string& id, const std::string& what,
                        const std::string& reason = "against rule 3") {
    const auto response = app.post(who, "/v1/moment-cases/" + id + "/decision",
                                   {{"decision", what}, {"reason", reason}});
    app.deliver();
    return response;
  }
  Json read(const std::string& who, const std::string& path) {
    const auto response = app.get(who, path);
    EXPECT_EQ(response.status, 200) << path << ": " << response.body;
    return response.status == 200 ? Json::parse(response.body) : Json{{"items", Json::array()}};
  }
  Json queue(const std::string& who = "mona") { return read(who, "/v1/moment-cases")["items"]; }

  FeedDatabase tables;
  FeedApp app{tables.database};
  std::string moment;
};

TEST_F(ModerationPages, QueueWhatIsReportedOnceAReporter) {
  report("bob", moment, {{"category", "hate"}, {"text", "look at line two"}});
  report("bob", moment, {{"category", "spam"}});
  report("cleo", moment, {{"category", "spam"}});
  const Json open = queue();
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0]["id"], moment);
  EXPECT_EQ(open[0]["text"], "of ada");
  EXPECT_EQ(open[0]["author"]["user_id"], "ada");
  EXPECT_EQ(open[0]["reporters"], 2);
  EXPECT_EQ(open[0]["categories"], (Json{{"hate", 1}, {"spam", 1}}));
  EXPECT_EQ(open[0].dump().find("bob"), std::string::npos);
  const Json reports = read("mona", "/v1/moment-cases/" + moment + "/reports")["items"];
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0]["reporter"]["user_id"], "cleo");
  EXPECT_EQ(reports[0]["text"], "");
  EXPECT_EQ(reports[1]["text"], "look at line two");
  EXPECT_EQ(reports[1]["category"], "hate");
}

TEST_F(ModerationPages, ShowTheTextAsItStands) {
  report("bob", moment);
  app.call("ada", Method::Patch, "/v1/moments/" + moment, {{"content", "of ada, edited"}});
  app.deliver();
  EXPECT_EQ(queue()[0]["text"], "of ada, edited");
  app.call("ada", Method::Delete, "/v1/moments/" + moment);
  app.deliver();
  EXPECT_EQ(queue()[0]["text"], nullptr) << "deleted by its author meanwhile";
}

TEST_F(ModerationPages, AreForModeratorsAndTheirAuditForOperators) {
  report("bob", moment);
  for (const std::string who : {"ada", "bob", "otto"}) {
    EXPECT_EQ(app.get(who, "/v1/moment-cases").status, 403);
    EXPECT_EQ(app.get(who, "/v1/moment-cases/" + moment + "/reports").status, 403);
    EXPECT_EQ(decide(who, moment, "dismissed").status, 403);
  }
  EXPECT_EQ(app.get("mona", "/v1/moment-cases/decisions").status, 403);
  ASSERT_EQ(decide("mona", moment, "dismissed", "no rule is broken").status, 204);
  const Json audit = read("otto", "/v1/moment-cases/decisions")["items"];
  ASSERT_EQ(audit.size(), 1u);
  EXPECT_EQ(audit[0]["moderator"]["user_id"], "mona");
  EXPECT_EQ(audit[0]["author"]["user_id"], "ada");
  EXPECT_EQ(audit[0]["decision"], "dismissed");
  EXPECT_EQ(audit[0]["reason"], "no rule is broken");
}

TEST_F(ModerationPages, AreNotShownToWhomTheyAreAbout) {
  app.give_role("ada", "moderator");
  report("bob", moment);
  EXPECT_EQ(queue("ada").size(), 0u);
  EXPECT_EQ(read("ada", "/v1/moment-cases/" + moment + "/reports")["items"].size(), 0u);
  EXPECT_EQ(decide("ada", moment, "dismissed").status, 404);
  EXPECT_EQ(read("ada", "/v1/moment-decisions")["items"].size(), 0u);
  ASSERT_EQ(decide("mona", moment, "dismissed").status, 204);
  EXPECT_EQ(read("ada", "/v1/moment-decisions")["items"].size(), 0u)
      << "a dismissal would tell of a report";
}

TEST_F(ModerationPages, RemoveForEverybodyAndTellTheAuthor) {
  report("bob", moment);
  ASSERT_EQ(decide("mona", moment, "removed").status, 204);
  for (const std::string who : {"ada", "bob", "dan"}) {
    EXPECT_EQ(app.get(who, "/v1/moments/" + moment).status, 404) << who;
    EXPECT_EQ(read(who, "/v1/timeline")["items"].size(), 0u) << who;
    EXPECT_EQ(read(who, "/v1/moments?author=ada")["items"].size(), 0u) << who;
  }
  EXPECT_EQ(queue().size(), 0u);
  const Json told = read("ada", "/v1/moment-decisions")["items"];
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0]["id"], moment);
  EXPECT_EQ(told[0]["decision"], "removed");
  EXPECT_EQ(told[0]["reason"], "against rule 3");
  EXPECT_FALSE(told[0].contains("moderator"));
  EXPECT_EQ(read("bob", "/v1/moment-decisions")["items"].size(), 0u);
}

// What everybody is shown of a moment that is not.
TEST_F(ModerationPages, HideFromAllButTheAuthorAndRestore) {
  ASSERT_EQ(app.call("bob", Method::Put, "/v1/moments/" + moment + "/bookmark").status, 204);
  app.deliver();
  const Json before = read("bob", "/v1/moments/" + moment);
  EXPECT_EQ(before["hidden"], nullptr);
  report("bob", moment);
  ASSERT_EQ(decide("mona", moment, "hidden").status, 204);
  for (const std::string who : {"bob", "dan", "mona"}) {
    EXPECT_EQ(app.get(who, "/v1/moments/" + moment).status, 404) << who;
    EXPECT_EQ(read(who, "/v1/timeline")["items"].size(), 0u) << who;
    EXPECT_EQ(read(who, "/v1/moments?author=ada")["items"].size(), 0u) << who;
    EXPECT_EQ(try_report(who, moment).status, who == "bob" ? 204 : 404);
  }
  EXPECT_EQ(read("bob", "/v1/moments/bookmarks")["items"].size(), 0u);
  const Json own = read("ada", "/v1/moments/" + moment);
  EXPECT_EQ(own["hidden"]["reason"], "against rule 3");
  EXPECT_TRUE(own["hidden"]["hidden_at"].is_string());
  EXPECT_EQ(own["hidden"].size(), 2u) << "and not by whom";
  EXPECT_EQ(read("ada", "/v1/timeline")["items"][0]["hidden"]["reason"], "against rule 3");
  EXPECT_EQ(read("ada", "/v1/moment-decisions")["items"][0]["decision"], "hidden");
  EXPECT_EQ(queue().size(), 0u);

  const Json listed = read("max", "/v1/moment-cases/hidden")["items"];
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0]["text"], "of ada");
  EXPECT_EQ(listed[0]["reason"], "against rule 3");
  EXPECT_EQ(app.get("ada", "/v1/moment-cases/hidden").status, 403);
  EXPECT_EQ(code_of(decide("max", moment, "removed")), "case-decided");
  ASSERT_EQ(decide("max", moment, "restored", "a mistake").status, 204);
  EXPECT_EQ(code_of(decide("max", moment, "restored")), "not-hidden");
  EXPECT_EQ(read("bob", "/v1/moments/" + moment), before);
  EXPECT_EQ(read("bob", "/v1/timeline")["items"].size(), 1u);
  EXPECT_EQ(read("bob", "/v1/moments/bookmarks")["items"].size(), 1u);
  EXPECT_EQ(read("ada", "/v1/moments/" + moment)["hidden"], nullptr);
  EXPECT_EQ(read("max", "/v1/moment-cases/hidden")["items"].size(), 0u);
  const Json told = read("ada", "/v1/moment-decisions")["items"];
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0]["reason"], "a mistake");
}

TEST_F(ModerationPages, HideACommentFromAllButItsWriter) {
  const auto comment = app.comment("bob", moment, {{"text", "rude"}});
  app.deliver();
  const auto answer = app.comment("ada", moment, {{"text", "no"}, {"parent_id", comment}});
  app.deliver();
  report("ada", moment + "/comments/" + comment);
  ASSERT_EQ(decide("mona", moment + "_" + comment, "hidden").status, 204);
  const Json adas = read("ada", "/v1/moments/" + moment + "/comments")["items"];
  ASSERT_EQ(adas.size(), 1u);
  EXPECT_EQ(adas[0]["parent_id"], nullptr);
  EXPECT_EQ(read("ada", "/v1/moments/" + moment)["comments"], 1);
  const Json bobs = read("bob", "/v1/moments/" + moment + "/comments")["items"];
  ASSERT_EQ(bobs.size(), 2u);
  EXPECT_EQ(bobs[0]["hidden"]["reason"], "against rule 3");
  EXPECT_EQ(bobs[1]["hidden"], nullptr);
  ASSERT_EQ(decide("max", moment + "_" + comment, "restored").status, 204);
  EXPECT_EQ(read("ada", "/v1/moments/" + moment + "/comments")["items"].size(), 2u);
}

TEST_F(ModerationPages, AreNoListOfOnesOwnHiddenForAModerator) {
  app.give_role("ada", "moderator");
  report("bob", moment);
  ASSERT_EQ(decide("mona", moment, "hidden").status, 204);
  EXPECT_EQ(read("ada", "/v1/moment-cases/hidden")["items"].size(), 0u);
  EXPECT_EQ(decide("ada", moment, "restored").status, 404);
}

TEST_F(ModerationPages, RemoveACommentAlone) {
  const auto comment = app.comment("bob", moment, {{"text", "rude"}});
  app.deliver();
  EXPECT_EQ(try_report("dan", moment + "/comments/" + comment).status, 404)
      << "he does not meet it";
  report("ada", moment + "/comments/" + comment);
  const Json open = queue();
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0]["text"], "rude");
  EXPECT_EQ(open[0]["comment_id"], comment);
  ASSERT_EQ(decide("mona", moment + "_" + comment, "removed").status, 204);
  EXPECT_EQ(read("ada", "/v1/moments/" + moment + "/comments")["items"].size(), 0u);
  EXPECT_EQ(app.get("ada", "/v1/moments/" + moment).status, 200);
}

TEST_F(ModerationPages, RefuseWhatTheReporterDoesNotSeeOrHasWritten) {
  const auto hidden = publish("ada", "private");
  EXPECT_EQ(code_of(try_report("bob", hidden)), "no-such-moment");
  EXPECT_EQ(code_of(try_report("ada", moment)), "own-subject");
  EXPECT_EQ(try_report("bob", moment, {{"category", "dull"}}).status, 422);
  EXPECT_EQ(queue().size(), 0u);
}

TEST_F(ModerationPages, LetNobodyDecideWhoReportedNorTwice) {
  report("mona", moment);
  EXPECT_EQ(code_of(decide("mona", moment, "removed")), "party-to-the-case");
  ASSERT_EQ(decide("max", moment, "dismissed").status, 204);
  EXPECT_EQ(code_of(decide("max", moment, "removed")), "case-decided");
  EXPECT_EQ(app.get("bob", "/v1/moments/" + moment).status, 200);
  EXPECT_EQ(decide("max", "4711", "removed").status, 404) << "nobody has reported it";
  EXPECT_EQ(queue().size(), 0u);
  report("mona", moment);
  EXPECT_EQ(queue().size(), 0u) << "who has reported once raises nothing by repeating";
  report("bob", moment);
  EXPECT_EQ(queue()[0]["reporters"], 1) << "of this opening";
}

TEST_F(ModerationPages, TakeSoManyReportsADay) {
  for (std::int64_t i = 0; i < kReportsADay; ++i) {
    app.clock.advance(std::chrono::milliseconds(1));
    const auto id = app.publish("ada", {{"content", "one more"}, {"audience", "public"}});
    app.deliver_to_engine();
    ASSERT_EQ(try_report("bob", id).status, 204) << i;
  }
  const auto one_more = publish("ada", "public");
  EXPECT_EQ(code_of(try_report("bob", one_more)), "report-limit-reached");
  EXPECT_EQ(try_report("cleo", one_more).status, 204);
  app.clock.advance(std::chrono::hours(24));
  EXPECT_EQ(try_report("bob", one_more).status, 204);
}

TEST_F(ModerationPages, KeepNothingOfAnErasedReporterButTheirNumber) {
  report("bob", moment, {{"category", "hate"}, {"text", "look at line two"}});
  ASSERT_TRUE(app.cipher.destroy(app.id_of("bob")).ok());
  EXPECT_EQ(read("mona", "/v1/moment-cases/" + moment + "/reports")["items"][0]["text"], nullptr);
  EXPECT_EQ(queue()[0]["reporters"], 1);
}

// In pages of any size, most reporters first, of these what has waited longest.
TEST_F(ModerationPages, PageTheQueueByReportersAndAge) {
  std::vector<std::pair<std::size_t, std::string>> expected;
  const std::vector<std::string> readers{"bob", "cleo", "dan"};
  for (const std::size_t reporters : {1, 3, 2, 3, 1, 2}) {
    const auto id = publish("ada", "public");
    for (std::size_t i = 0; i < reporters; ++i) report(readers[i], id);
    expected.emplace_back(reporters, id);
  }
  std::ranges::stable_sort(
      expected, [](const auto& one, const auto& other) { return one.first > other.first; });
  for (const int limit : {1, 2, 4, 100}) {
    std::vector<std::pair<std::size_t, std::string>> found;
    std::string after;
    do {
      const Json page = read("mona", "/v1/moment-cases?limit=" + std::to_string(limit) + after);
      EXPECT_LE(page["items"].size(), static_cast<std::size_t>(limit));
      for (const Json& item : page["items"]) {
        found.emplace_back(item["reporters"].get<std::size_t>(), item["id"].get<std::string>());
      }
      after = page["after"].is_null() ? "" : "&after=" + page["after"].get<std::string>();
    } while (!after.empty());
    EXPECT_EQ(found, expected) << limit;
  }
}

// Cases and reports lie in several logs: the tables say the same in whatever order these come, and
// wherever a batch ends.
TEST_F(ModerationPages, SayTheSameInEveryInterleaving) {
  std::vector<eventsourcing::RecordedEvent> events = app.new_events();
  const auto take = [&] {
    for (auto& event : app.new_events()) events.push_back(std::move(event));
  };
  const auto comment = app.comment("bob", moment, {{"text", "rude"}});
  for (auto& event : app.deliver_to_engine()) events.push_back(std::move(event));
  for (const std::string& path : {moment, moment + "/comments/" + comment}) {
    for (const std::string who : {"cleo", "mona"}) {
      try_report(who, path);
      take();
    }
  }
  app.post("max", "/v1/moment-cases/" + moment + "/decision",
           {{"decision", "dismissed"}, {"reason", "no"}});
  take();
  try_report("bob", moment);
  try_report("dan", moment);
  take();
  for (const std::string what : {"hidden", "restored"}) {
    app.post("max", "/v1/moment-cases/" + moment + "/decision",
             {{"decision", what}, {"reason", "x"}});
    take();
  }
  const std::string dump =
      "SELECT (SELECT jsonb_agg(to_jsonb(held) ORDER BY moment, comment) FROM moderation_case AS "
      "held)::text || (SELECT jsonb_agg(to_jsonb(report) ORDER BY moment, comment, reporter) FROM "
      "moderation_report AS report)::text || (SELECT jsonb_agg(to_jsonb(decision) ORDER BY moment, "
      "comment, opening) FROM moderation_decision AS decision)::text || (SELECT "
      "jsonb_agg(to_jsonb(hiding)) FROM moderation_hiding AS hiding)::text";
  std::string expected;
  EXPECT_TRUE(rc::check([&] {
    std::map<core::LogIndex, std::vector<eventsourcing::RecordedEvent>> logs;
    for (const auto& event : events) logs[event.log].push_back(event);
    tables.empty({ModerationModel::kTables.begin(), ModerationModel::kTables.end()});
    ModerationModel model;
    const auto flush = [&] {
      RC_ASSERT(
          tables.database.transact([&](sql::Transaction& transaction) { model.flush(transaction); })
              .ok());
      model.clear();
    };
    while (!logs.empty()) {
      auto log = std::next(logs.begin(), *rc::gen::inRange<std::size_t>(0, logs.size()));
      model.apply(log->second.front());
      log->second.erase(log->second.begin());
      if (log->second.empty()) logs.erase(log);
      if (*rc::gen::inRange(0, 3) == 0) flush();
    }
    flush();
    const auto found = tables.database.read(
        [&](sql::Transaction& transaction) { return transaction.execute(dump).front().text(0); });
    RC_ASSERT(found.ok());
    if (expected.empty()) expected = *found;
    RC_ASSERT(*found == expected);
  }));
  EXPECT_THAT(expected, ::testing::HasSubstr("\"reporters\": 2"));
}

}  // namespace
}  // namespace tideline::feed
