// Live timelines: anyone who does as his stream tells him has the timeline, whatever happens
// meanwhile and however often he comes and goes.
#include "feed/api/timelines/timeline_streams.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <random>
#include <set>

#include "feed_app.hpp"
#include "trial.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using testing::FeedApp;
using testing::NoDatabase;
using testing::Oracle;

struct Told {
  std::string id, type, data;
};

// What a client reads of the bytes; an event that did not come whole is none.
std::vector<Told> parse(const std::string& bytes) {
  std::vector<Told> events;
  Told event;
  std::istringstream lines(bytes);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      events.push_back(std::exchange(event, {}));
    } else if (line.starts_with("id: ")) {
      event.id = line.substr(4);
    } else if (line.starts_with("event: ")) {
      event.type = line.substr(7);
    } else if (line.starts_with("data: ")) {
      event.data = line.substr(6);
    }
  }
  return events;
}

// Does as he is told.
class Client {
 public:
  void hear(const std::string& bytes) {
    for (const Told& event : parse(bytes)) {
      if (!event.id.empty()) last_id_ = event.id;
      if (event.type == "reset") {
        has_.clear();
      } else if (event.type != "position") {
        const std::uint64_t id = std::stoull(Json::parse(event.data)["id"].get<std::string>());
        if (event.type == "moment") has_.insert(id);
        if (event.type == "remove") has_.erase(id);
        (event.type == "moment" ? shown_ : removed_).push_back(id);
      }
    }
  }
  void read_page(const Oracle::Ids& ids) { has_ = {ids.begin(), ids.end()}; }

  const std::optional<std::string>& last_id() const { return last_id_; }
  Oracle::Ids has() const { return {has_.rbegin(), has_.rend()}; }
  // Since the last call.
  Oracle::Ids shown() { return std::exchange(shown_, {}); }
  Oracle::Ids removed() { return std::exchange(removed_, {}); }

 private:
  std::optional<std::string> last_id_;
  std::set<std::uint64_t> has_;
  Oracle::Ids shown_, removed_;
};

// Everybody listens to a random history, goes away in the middle of what he is told, and comes
// back.
class Audience {
 public:
  Audience(const testing::Trial& trial, std::mt19937& numbers)
      : numbers_(numbers),
        history_(trial.history),
        engine_(testing::options_of(trial, {})),
        delivery_(history_, engine_, testing::Tape(trial.interleaving)),
        streams_({engine_.reader(), delivery_.applied(), freshness_, shard_router_}) {
    status_.caught_up_once = true;
    status_.behind = std::chrono::milliseconds(0);
    for (const auto& viewer : history_.people()) {
      listeners_.push_back({viewer, {}, nullptr});
      listeners_.back().client.read_page(delivery_.oracle().timeline(viewer));
    }
  }

  testing::Difference live_through() {
    for (bool more = true; more;) {
      more = delivery_.step();
      if (!delivery_.is_comparable()) continue;
      if (auto difference = go_round()) return difference;
    }
    return std::nullopt;
  }
  std::size_t told() const { return told_; }

 private:
  struct Listener {
    core::AccountId viewer;
    Client client;
    std::shared_ptr<http::EventStream> stream;
  };

  testing::Difference go_round() {
    streams_.round();
    for (Listener& listener : listeners_) {
      const Oracle::Ids timeline = delivery_.oracle().timeline(listener.viewer);
      if (!listener.stream) {
        if (numbers_() % 3 != 0) continue;
        const bool first = !listener.client.last_id();
        if (first) listener.client.read_page(timeline);
        listener.stream = streams_.open(listener.viewer, listener.client.last_id());
      }
      std::string bytes = listener.stream->take().bytes;
      const bool goes = numbers_() % 5 == 0;
      if (goes) {
        bytes.resize(numbers_() % (bytes.size() + 1));
        listener.stream->abandon();
        listener.stream.reset();
      }
      listener.client.hear(bytes);
      for (const std::uint64_t id : listener.client.shown()) {
        ++told_;
        if (std::ranges::find(timeline, id) == timeline.end()) return "tells of what is not his";
      }
      for (const std::uint64_t id : listener.client.removed()) {
        if (std::ranges::find(timeline, id) != timeline.end()) return "takes away what is his";
      }
      if (!goes && listener.client.has() != timeline) {
        return "a listener has" + testing::print(listener.client.has()) + ", expected" +
               testing::print(timeline);
      }
    }
    return std::nullopt;
  }

  std::mt19937& numbers_;
  testing::History history_;
  FeedEngine engine_;
  testing::Delivery delivery_;
  eventsourcing::RunnerStatus status_;
  Freshness freshness_{{[this] { return status_; }, [] { return false; }}, std::chrono::seconds(5)};
  ShardRouter shard_router_{{.find =
                                 [](std::size_t) {
                                   return ShardPlace{ShardPlace::Kind::Here, "feed-0", ""};
                                 },
                             .after_next_look = {},
                             .ask = {},
                             .instance = "feed-0"}};
  TimelineStreams streams_;
  std::vector<Listener> listeners_;
  std::size_t told_ = 0;
};

TEST(TimelineStreams, KeepEveryListenerAtHisTimelineHoweverHeComesAndGoes) {
  const auto seed = static_cast<unsigned>(std::random_device{}());
  std::cout << "seed " << seed << '\n';
  std::mt19937 numbers(seed);
  std::size_t told = 0;
  for (int i = 0; i < 300; ++i) {
    Audience audience(testing::random_trial(numbers, numbers() % 900, 400), numbers);
    const auto difference = audience.live_through();
    ASSERT_EQ(difference, std::nullopt) << "seed " << seed << ", history " << i;
    told += audience.told();
  }
  EXPECT_GT(told, 3'000U) << "hardly anything was told";
}

class TimelineStream : public ::testing::Test {
 protected:
  TimelineStream() { app.befriend("ada", "bob"); }

  std::shared_ptr<http::EventStream> listen(const std::string& who, const Client& client = {}) {
    const auto response = app.listen(who, client.last_id());
    EXPECT_EQ(response.status, 200) << response.body;
    return response.events;
  }
  std::uint64_t publish(const std::string& who) {
    app.clock.advance(std::chrono::milliseconds(1));
    return std::stoull(app.publish(who, {{"content", "x"}, {"audience", "public"}}));
  }
  void hear(Client& client, const std::shared_ptr<http::EventStream>& stream) {
    app.streams.round();
    client.hear(stream->take().bytes);
  }

  NoDatabase database;
  FeedApp app{database};
};

TEST_F(TimelineStream, TellsOfWhatComesAndGoes) {
  const auto before = publish("ada");
  app.deliver();
  Client bob;
  const auto stream = listen("bob");
  hear(bob, stream);
  EXPECT_EQ(bob.has(), Oracle::Ids{}) << "what was there he reads by himself";
  ASSERT_TRUE(bob.last_id());
  const auto id = publish("ada");
  app.deliver();
  hear(bob, stream);
  EXPECT_EQ(bob.shown(), Oracle::Ids{id});
  app.exclude("ada", "bob");
  hear(bob, stream);
  EXPECT_EQ(bob.removed(), (Oracle::Ids{before, id}));
  publish("ada");
  app.deliver();
  hear(bob, stream);
  EXPECT_EQ(bob.shown(), Oracle::Ids{}) << "nothing leaves after a revocation";
}

TEST_F(TimelineStream, GoesOnWhereNothingHasHappenedAndResetsElse) {
  const auto id = publish("ada");
  app.deliver();
  Client bob;
  hear(bob, listen("bob"));
  bob.read_page({id});
  hear(bob, listen("bob", bob));
  EXPECT_EQ(bob.shown(), Oracle::Ids{}) << "he has it";
  const auto missed = publish("ada");
  app.deliver();
  hear(bob, listen("bob", bob));
  EXPECT_EQ(bob.has(), (Oracle::Ids{missed, id}));
  app.tell("social-graph", "ContactRemoved",
           {{"by", app.id_of("bob").to_string()}, {"other", app.id_of("ada").to_string()}});
  hear(bob, listen("bob", bob));
  EXPECT_EQ(bob.has(), Oracle::Ids{}) << "what was revoked meanwhile does not stay";
  bob.hear("id: nonsense\nevent: position\ndata: {}\n\n");
  hear(bob, listen("bob", bob));
  EXPECT_NE(bob.last_id(), "nonsense");
}

TEST_F(TimelineStream, TellsOfTheNewestAlone) {
  for (std::size_t i = 0; i < TimelineStreams::kWindow + 5; ++i) publish("ada");
  app.deliver();
  Client bob;
  bob.hear("id: nonsense\nevent: position\ndata: {}\n\n");
  const auto stream = listen("bob", bob);
  hear(bob, stream);
  EXPECT_EQ(bob.has().size(), TimelineStreams::kWindow);
  publish("ada");
  app.deliver();
  hear(bob, stream);
  EXPECT_EQ(bob.removed(), Oracle::Ids{}) << "what leaves the window stays in the timeline";
}

TEST_F(TimelineStream, EndsWithTheToken) {
  const auto stream = listen("bob");
  app.clock.advance(std::chrono::minutes(59));
  app.streams.round();
  EXPECT_TRUE(stream->is_open());
  app.clock.advance(std::chrono::minutes(1));
  app.streams.round();
  EXPECT_FALSE(stream->is_open());
  EXPECT_EQ(app.streams.size(), 0U);
}

TEST_F(TimelineStream, EndsWhenWhatIsShownWouldBeOldAndIsNotBegunThen) {
  const auto stream = listen("bob");
  app.status.behind = std::chrono::milliseconds(5001);
  app.streams.round();
  EXPECT_FALSE(stream->is_open());
  EXPECT_EQ(app.get("bob", "/v1/timeline/stream").status, 503);
  EXPECT_EQ(app.get("", "/v1/timeline/stream").status, 401);
}

TEST_F(TimelineStream, LetsGoOfWhoHasGone) {
  listen("bob")->abandon();
  app.streams.round();
  EXPECT_EQ(app.streams.size(), 0U);
}

}  // namespace
}  // namespace tideline::feed
