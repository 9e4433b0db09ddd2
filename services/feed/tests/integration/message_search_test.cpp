// Searches of messages: what somebody has sent or may read, and nothing else.
#include <gtest/gtest.h>

#include "message_fixture.hpp"

namespace tideline::feed {
namespace {

using http::Method;
using testing::Texts;

class MessageSearch : public testing::Messages {
 protected:
  std::string say(const std::string& who, const std::string& to, const std::string& text) {
    app.clock.advance(std::chrono::seconds(1));
    return send(who, to, text);
  }
  std::string say_to_group(const std::string& who, const std::string& text) {
    app.clock.advance(std::chrono::seconds(1));
    return send_to_group(who, text);
  }
  Texts found(const std::string& who, const std::string& query) {
    return texts(who, "/v1/messages/search?query=" + query);
  }
  std::int64_t rows() {
    return core::value_of(tables.database.read([](sql::Transaction& transaction) {
      return transaction.execute("SELECT count(*) FROM message_search WHERE words <> '{}'")
          .front()
          .integer(0);
    }));
  }
};

TEST_F(MessageSearch, FindsWhatSomebodyHasSentAndGot) {
  say("ada", "bob", "the exam is on Monday");
  say("bob", "ada", "which exam?");
  say("cleo", "bob", "exams are over");
  app.deliver();
  EXPECT_EQ(found("ada", "exam"), (Texts{"which exam?", "the exam is on Monday"}));
  EXPECT_EQ(found("bob", "exam"),
            (Texts{"exams are over", "which exam?", "the exam is on Monday"}));
  EXPECT_EQ(found("cleo", "exam"), Texts{"exams are over"});
  EXPECT_EQ(found("bob", "exam monday"), Texts{"the exam is on Monday"});
}

TEST_F(MessageSearch, FindsAGroupsMessagesForItsMembersFromTheirJoiningOn) {
  app.join("ada", group);
  say_to_group("ada", "tide before");
  app.deliver();
  app.clock.advance(std::chrono::seconds(1));
  app.join("bob", group);
  say_to_group("ada", "tide after");
  app.deliver();
  EXPECT_EQ(found("ada", "tide"), (Texts{"tide after", "tide before"}));
  EXPECT_EQ(found("bob", "tide"), Texts{"tide after"});
  EXPECT_EQ(found("cleo", "tide"), Texts{});
  app.leave("bob", group);
  EXPECT_EQ(found("bob", "tide"), Texts{}) << "who has left reads no more";
  app.leave("ada", group);
  EXPECT_EQ(found("ada", "tide"), (Texts{"tide after", "tide before"})) << "but for his own";
}

TEST_F(MessageSearch, FindsNothingOfWhatIsRecalledIgnoredOrOfAClosedAccount) {
  const auto key = say("ada", "bob", "tide one");
  say("cleo", "ada", "tide two");
  app.deliver();
  EXPECT_EQ(rows(), 2);
  EXPECT_EQ(app.call("ada", Method::Delete, "/v1/messages/" + key).status, 204);
  EXPECT_EQ(app.call("ada", Method::Post, "/v1/messages/requests/cleo/ignore").status, 204);
  app.deliver();
  EXPECT_EQ(found("bob", "tide"), Texts{});
  EXPECT_EQ(found("ada", "tide"), Texts{});
  EXPECT_EQ(found("cleo", "tide"), Texts{"tide two"});
  EXPECT_EQ(rows(), 1);
  app.tell("accounts", "AccountClosed",
           {{"account_id", app.id_of("cleo").to_string()}, {"closed_at", "2027-01-15T08:00:00Z"}});
  app.deliver();
  EXPECT_EQ(rows(), 0);
}

TEST_F(MessageSearch, PagesThroughEverythingThatIsFound) {
  Texts all;
  for (int i = 0; i < 150; ++i) {
    const std::string text = "tide " + std::to_string(i);
    say("ada", "bob", text);
    all.insert(all.begin(), text);
  }
  app.deliver();
  Texts down;
  std::string path = "/v1/messages/search?query=tide&limit=40";
  for (int pages = 0; pages < 10; ++pages) {
    const auto page = read("bob", path);
    for (const auto& item : page["items"]) down.push_back(item["text"]);
    if (page["after"].is_null()) break;
    path = "/v1/messages/search?query=tide&limit=40&after=" + page["after"].get<std::string>();
  }
  EXPECT_EQ(down, all);
  EXPECT_EQ(found("bob", "!"), Texts{});
  EXPECT_EQ(app.get("bob", "/v1/messages/search").status, 400);
}

}  // namespace
}  // namespace tideline::feed
