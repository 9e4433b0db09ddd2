// Live counts on a real PostgreSQL: of random histories, in any interleaving of logs and however
// far the tables are behind the engine or ahead of it, everybody who listens has been told after
// each round what GET /v1/notifications/unread answers him.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>

#include "../feed_app.hpp"
#include "../random_histories.hpp"
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
using testing::seeded_numbers;

// What the last event of each stream has said, as a client keeps it.
class LiveListener {
 public:
  explicit LiveListener(std::shared_ptr<http::EventStream> stream) : stream_(std::move(stream)) {}

  void hear() {
    std::istringstream lines(stream_->take().bytes);
    std::string type;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("event: ")) type = line.substr(7);
      if (!line.starts_with("data: ") || type != "notifications") continue;
      has_ = Json::parse(line.substr(6));
      ++heard_;
    }
  }
  const Json& has() const { return has_; }
  std::size_t heard() const { return heard_; }

 private:
  std::shared_ptr<http::EventStream> stream_;
  Json has_;
  std::size_t heard_ = 0;
};

class LiveLaw {
 public:
  LiveLaw(FeedDatabase& tables, std::mt19937& numbers, const History& history)
      : tables_(tables), numbers_(numbers), history_(history) {
    tables_.empty({"notification", "notification_setting", "notification_change"});
    app_.compares = false;
    for (const core::AccountId& person : history.people()) {
      auto stream = std::make_shared<http::EventStream>();
      app_.notification_streams.add(person, stream);
      listeners_.emplace(person, LiveListener(std::move(stream)));
    }
  }

  // The first finding.
  std::optional<std::string> live_through() {
    for (const auto& event : interleaved(history_.events(), numbers_)) {
      to_engine_.push_back(event);
      to_tables_.push_back(event);
      if (numbers_() % 30 == 0) set_something();
      if (numbers_() % 8 == 0) to_engine();
      if (numbers_() % 8 == 0) to_tables();
      if (numbers_() % 10 != 0) continue;
      if (auto finding = compare()) return finding;
    }
    to_engine();
    to_tables();
    return compare();
  }
  std::size_t heard() const {
    std::size_t heard = 0;
    for (const auto& [person, listener] : listeners_) heard += listener.heard();
    return heard;
  }
  std::size_t fell() const { return fell_; }

 private:
  void to_engine() {
    for (const auto& event : std::exchange(to_engine_, {})) {
      app_.engine.apply(event);
      reached_.raise(event.source, event.log, event.position);
    }
    app_.engine_applied.advance(reached_);
  }
  void to_tables() {
    for (const auto& event : std::exchange(to_tables_, {})) app_.notifications.apply(event);
    const auto done = tables_.database.transact(
        [&](sql::Transaction& transaction) { app_.notifications.flush(transaction); });
    EXPECT_TRUE(done.ok()) << done.error().message;
    app_.notifications.flushed();
  }
  // Somebody has looked, or mutes a person.
  void set_something() {
    const auto one = [&] { return history_.people()[numbers_() % history_.people().size()]; };
    eventsourcing::RecordedEvent event;
    event.source = "feed";
    if (numbers_() % 2 == 0) {
      event.type = "NotificationsSeen";
      const auto& events = history_.events();
      event.data = Json{{"reader", one().to_string()},
                        {"up_to", core::format_iso8601(events[numbers_() % events.size()].time)}}
                       .dump();
    } else {
      event.type = "NotificationsMuted";
      event.data = Json{{"owner", one().to_string()},
                        {"kinds", Json::array()},
                        {"persons", {one().to_string()}},
                        {"moment_ids", Json::array()}}
                       .dump();
    }
    to_tables_.push_back(std::move(event));
  }

  std::optional<std::string> compare() {
    app_.notification_streams.round();
    for (auto& [person, listener] : listeners_) {
      const Json before = listener.has();
      listener.hear();
      http::Request request;
      request.method = http::Method::Get;
      request.path = "/v1/notifications/unread";
      request.headers.set("Authorization", "Bearer " + person.to_string());
      Json read = Json::parse(app_.router.dispatch(request).body);
      read.erase("seen_up_to");
      if (listener.has() != read) {
        return "a listener has " + listener.has().dump() + ", and reads " + read.dump();
      }
      if (!before.is_null() && before["unread"] > read["unread"]) ++fell_;
    }
    return std::nullopt;
  }

  FeedDatabase& tables_;
  std::mt19937& numbers_;
  const History& history_;
  FeedApp app_{tables_.database};
  std::map<core::AccountId, LiveListener> listeners_;
  std::vector<eventsourcing::RecordedEvent> to_engine_, to_tables_;
  eventsourcing::PositionVector reached_;
  std::size_t fell_ = 0;
};

TEST(LiveNotifications, EverybodyWhoListensHasTheCountThatHeWouldRead) {
  const int histories = history_count(60, 60);
  std::mt19937 numbers = seeded_numbers();
  FeedDatabase tables;
  std::size_t heard = 0, fell = 0;
  for (int trial = 0; trial < histories; ++trial) {
    const History history = draw_history(numbers, 600);
    LiveLaw law(tables, numbers, history);
    const auto finding = law.live_through();
    ASSERT_EQ(finding, std::nullopt) << "history " << trial;
    heard += law.heard();
    fell += law.fell();
  }
  EXPECT_GT(heard, 10U * static_cast<unsigned>(histories)) << "hardly anything was told";
  EXPECT_GT(fell, static_cast<unsigned>(histories)) << "hardly anything was taken back";
}

// Through the route: the stream of the timeline has both.
TEST(LiveNotifications, AreToldInTheStreamOfTheTimeline) {
  FeedDatabase tables;
  FeedApp app{tables.database};
  app.compares = false;
  for (const std::string name : {"ada", "bob"}) {
    tables.enter_person(app.id_of(name), name, "Miss " + name);
  }
  const auto follow = [&](const std::string& event) {
    app.tell(
        "social-graph", event,
        {{"follower", app.id_of("bob").to_string()}, {"followee", app.id_of("ada").to_string()}});
    app.deliver();
    app.notification_streams.round();
  };
  const auto response = app.listen("ada", std::nullopt);
  ASSERT_EQ(response.status, 200) << response.body;
  LiveListener ada(response.events);
  const auto hears = [&](std::size_t unread) {
    ada.hear();
    return ada.has() == Json{{"unread", unread}, {"more", false}};
  };
  app.notification_streams.round();
  EXPECT_TRUE(hears(0)) << ada.has();
  follow("Followed");
  EXPECT_TRUE(hears(1)) << ada.has();
  app.block("ada", "bob");
  app.notification_streams.round();
  EXPECT_TRUE(hears(0)) << "what is revoked is told by the lower count: " << ada.has();
}

}  // namespace
}  // namespace tideline::feed
