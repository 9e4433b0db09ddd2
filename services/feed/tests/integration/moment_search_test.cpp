// Searches of moments: exactly those that have the words and that the viewer may see, of random
// histories in any interleaving of logs, on a real PostgreSQL. What may be seen is the oracle's to
// say, and words are the test's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "../feed_app.hpp"
#include "../oracle.hpp"
#include "../random_histories.hpp"
#include "feed/projections/search/search_queries.hpp"
#include "feed_database.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using testing::draw_history;
using testing::FeedApp;
using testing::FeedDatabase;
using testing::History;
using testing::history_count;
using testing::interleaved;
using testing::Oracle;
using testing::seeded_numbers;
using Ids = Oracle::Ids;

const std::vector<std::string> kTables{"moment", "moment_edit", "moment_search", "search_closed",
                                       "message_search"};

// --- the routes
// -------------------------------------------------------------------------------------------

class MomentSearch : public ::testing::Test {
 protected:
  MomentSearch() {
    for (const std::string name : {"ada", "bob", "cleo"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.befriend("ada", "bob");
  }

  std::string publish(const std::string& who, const Json& moment) {
    app.clock.advance(std::chrono::hours(1));
    const auto id = app.publish(who, moment);
    app.deliver();
    return id;
  }
  std::vector<std::string> found(const std::string& who, const std::string& query) {
    const auto response = app.get(who, "/v1/moments/search?query=" + query);
    EXPECT_EQ(response.status, 200) << response.body;
    const Json page = Json::parse(response.body);
    std::vector<std::string> texts;
    for (const auto& item : page["items"]) texts.push_back(item["content"]);
    return texts;
  }
  std::int64_t rows() {
    return core::value_of(tables.database.read([](sql::Transaction& transaction) {
      return transaction.execute("SELECT count(*) FROM moment_search").front().integer(0);
    }));
  }

  FeedDatabase tables;
  FeedApp app{tables.database};
};

using Texts = std::vector<std::string>;

TEST_F(MomentSearch, FindsWhatTheViewerMaySeeAndNothingElse) {
  publish("ada", {{"content", "the exam is over"}, {"audience", "public"}});
  publish("ada", {{"content", "my exam went badly"}, {"audience", "private"}});
  publish("ada",
          {{"content", "exams, for Bob"}, {"audience", "partly-visible"}, {"user_ids", {"bob"}}});
  EXPECT_EQ(found("ada", "exam"),
            (Texts{"exams, for Bob", "my exam went badly", "the exam is over"}));
  EXPECT_EQ(found("bob", "exam"), (Texts{"exams, for Bob", "the exam is over"}));
  EXPECT_EQ(found("cleo", "exam"), (Texts{"the exam is over"}));
  app.exclude("ada", "bob");
  EXPECT_EQ(found("bob", "exam"), Texts{}) << "what is revoked is found no more";
}

TEST_F(MomentSearch, FindsTheLastTextOfAMoment) {
  const auto id = publish("ada", {{"content", "lecture at nine"}, {"audience", "public"}});
  EXPECT_EQ(
      app.call("ada", http::Method::Patch, "/v1/moments/" + id, {{"content", "lecture at ten"}})
          .status,
      204);
  app.deliver();
  EXPECT_EQ(found("bob", "lecture ten"), (Texts{"lecture at ten"}));
  EXPECT_EQ(found("bob", "nine"), Texts{});
  EXPECT_EQ(app.call("ada", http::Method::Delete, "/v1/moments/" + id).status, 204);
  app.deliver();
  EXPECT_EQ(found("bob", "lecture"), Texts{});
  EXPECT_EQ(rows(), 0);
}

TEST_F(MomentSearch, KeepsNothingOfAClosedAccount) {
  publish("ada", {{"content", "goodbye"}, {"audience", "public"}});
  publish("bob", {{"content", "goodbye, Ada"}, {"audience", "public"}});
  app.tell("accounts", "AccountClosed",
           {{"account_id", app.id_of("ada").to_string()}, {"closed_at", "2027-01-15T08:00:00Z"}});
  app.deliver();
  EXPECT_EQ(found("cleo", "goodbye"), (Texts{"goodbye, Ada"}));
  EXPECT_EQ(rows(), 1);
}

TEST_F(MomentSearch, FindsNothingWithoutAWordAndRefusesWhatIsTooLong) {
  publish("ada", {{"content", "anything"}, {"audience", "public"}});
  for (const std::string& query : Texts{"", "!"}) EXPECT_EQ(found("ada", query), Texts{}) << query;
  EXPECT_EQ(app.get("ada", "/v1/moments/search?query=" + std::string(101, 'a')).status, 400);
  EXPECT_EQ(app.get("ada", "/v1/moments/search").status, 400);
}

TEST_F(MomentSearch, ReadsTheIndexOfWords) {
  publish("ada", {{"content", "a text"}, {"audience", "public"}});
  const auto plan = tables.explain(
      kFindByWordsSql, {std::vector<std::int64_t>{1}, std::vector<std::int64_t>{2}, 3, 4});
  EXPECT_THAT(plan, ::testing::HasSubstr("moment_search_words")) << plan;
}

// --- the law
// ----------------------------------------------------------------------------------------------

const std::vector<std::string> kWords{"ada", "bo", "kim", "ivo", "zug"};
const std::vector<std::string> kQueries{"ada",  "bo kim", "zug",    "ivo ada",
                                        "一二", "二三一", "kim 三", "bo"};

// The text of a moment, or of one of its edits.
std::string text_of(std::uint64_t id, unsigned edit) {
  std::mt19937_64 numbers(id * 31 + edit);
  std::string text;
  for (int word = 0; word < 3; ++word) text += kWords[numbers() % kWords.size()] + " ";
  for (int letter = 0; letter < 4; ++letter) {
    text += std::vector<std::string>{"一", "二", "三"}[numbers() % 3];
  }
  return text;
}

bool has_all(const std::string& text, const std::string& query) {
  std::istringstream wanted(query);
  for (std::string part; wanted >> part;) {
    // Latin words are apart by spaces, and none of them begins or ends another.
    if (text.find(part) == std::string::npos) return false;
  }
  return true;
}

// Events with texts that nobody sealed: whoever opens texts reads them as they are.
eventsourcing::RecordedEvent with_text(eventsourcing::RecordedEvent event) {
  if (event.type != "MomentPublished" && event.type != "MomentEdited") return event;
  Json data = Json::parse(event.data);
  const auto id = core::parse_moment_id(data["moment_id"].get<std::string>())->value();
  const unsigned edit = event.type == "MomentEdited" ? data["edit"].get<unsigned>() : 0;
  data["content"] = std::string(eventsourcing::kUnsealed) + text_of(id, edit);
  event.data = data.dump();
  return event;
}

class SearchLaw {
 public:
  SearchLaw(FeedDatabase& tables, std::mt19937& numbers) : tables_(tables), numbers_(numbers) {
    tables_.empty(kTables);
    app_.compares = false;
  }

  // All logs of a history in some interleaving, flushed now and then.
  void deliver(const History& history) {
    for (const auto& event : interleaved(history.events(), numbers_)) {
      take(with_text(event));
      if (numbers_() % 20 == 0) flush();
    }
    flush();
  }

  Ids expected(const core::AccountId& viewer, const std::string& query) const {
    const auto met = oracle_.met_by(viewer);
    Ids ids;
    for (const std::uint64_t id : oracle_.shown_to(viewer)) {
      if (has_all(text_of(id, met.at(id).edits), query)) ids.push_back(id);
    }
    return ids;
  }

  // By pages of three.
  Ids found(const core::AccountId& viewer, const std::string& query) {
    Ids ids;
    std::optional<std::string> after;
    for (int pages = 0; pages < 500; ++pages) {
      http::Request request;
      request.method = http::Method::Get;
      request.path = "/v1/moments/search";
      request.query_parameters = {{"query", query}, {"limit", "3"}};
      if (after) request.query_parameters.emplace_back("after", *after);
      request.headers.set("Authorization", "Bearer " + viewer.to_string());
      const auto response = app_.router.dispatch(request);
      EXPECT_EQ(response.status, 200) << response.body;
      const Json page = Json::parse(response.body);
      for (const auto& item : page["items"]) {
        ids.push_back(core::parse_moment_id(item["id"].get<std::string>())->value());
      }
      if (page["after"].is_null()) return ids;
      after = page["after"];
    }
    ADD_FAILURE() << "pages without an end";
    return ids;
  }

 private:
  void take(const eventsourcing::RecordedEvent& event) {
    app_.engine.apply(event);
    oracle_.deliver(event);
    app_.tables.apply(event);
    app_.search.apply(event);
    reached_.raise(event.source, event.log, event.position);
  }
  void flush() {
    app_.engine_applied.advance(reached_);
    for (eventsourcing::Projection* projection :
         std::initializer_list<eventsourcing::Projection*>{&app_.tables, &app_.search}) {
      const auto done = tables_.database.transact(
          [&](sql::Transaction& transaction) { projection->flush(transaction); });
      EXPECT_TRUE(done.ok()) << done.error().message;
      projection->flushed();
    }
    app_.tables_applied.advance(reached_);
    app_.search_applied.advance(reached_);
  }

  FeedDatabase& tables_;
  std::mt19937& numbers_;
  FeedApp app_{tables_.database};
  Oracle oracle_;
  eventsourcing::PositionVector reached_;
};

TEST(MomentSearchLaw, FindsExactlyWhatHasTheWordsAndMayBeSeen) {
  const int histories = history_count(25, 100);
  std::mt19937 numbers = seeded_numbers();
  FeedDatabase tables;
  std::size_t compared = 0;
  for (int trial = 0; trial < histories; ++trial) {
    const History history = draw_history(numbers, 500);
    SearchLaw law(tables, numbers);
    law.deliver(history);
    for (const core::AccountId& viewer : history.people()) {
      for (const std::string& query : kQueries) {
        const Ids expected = law.expected(viewer, query);
        ASSERT_EQ(law.found(viewer, query), expected) << query << ", history " << trial;
        compared += expected.size();
      }
    }
  }
  EXPECT_GT(compared, static_cast<std::size_t>(histories) * 20) << "nearly nothing was found";
}

}  // namespace
}  // namespace tideline::feed
