// Topics of latest states that lose records: over a real PostgreSQL and a topic in memory.

#include "projections/runner/state_publication.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "projections/runner/state_topic_runner.hpp"
#include "rebuilt_service.hpp"
#include "support/costly_law.hpp"

namespace tideline::projections {
namespace {

using namespace postgres::testing;
using eventsourcing::StateUpdate;

constexpr std::uint32_t kPartitions = 3;
constexpr const char* kSource = "accounts";

// Keeps the highest number of each key in a table.
class Highest final : public eventsourcing::StateView {
 public:
  std::string_view name() const override { return "highest"; }
  eventsourcing::FlushPolicy flush_policy() const override { return {5ms, 1000}; }
  void load(sql::Transaction&) override { pending_.clear(); }
  void apply(const std::string& key, const std::optional<std::string>& value) override {
    pending_[key] = std::max(pending_[key], std::stoi(value.value()));
  }
  void flush(sql::Transaction& transaction) override {
    for (const auto& [key, value] : pending_) {
      transaction.execute(
          "INSERT INTO highest AS held (key, value) VALUES ($1, $2) ON CONFLICT (key)"
          " DO UPDATE SET value = greatest(held.value, excluded.value)",
          {key, value});
    }
  }
  void flushed() override { pending_.clear(); }

 private:
  std::map<std::string, int> pending_;
};

// What the publication owns of a topic.
class Topic final : public eventsourcing::StateSink {
 public:
  explicit Topic(eventsourcing::InMemoryStateTopic& topic) : topic_(topic) {}
  core::Status send(const std::vector<StateUpdate>& updates, std::int64_t edition) override {
    return topic_.send(updates, edition);
  }
  core::Status send_applied(const eventsourcing::PositionVector& applied,
                            std::int64_t edition) override {
    return topic_.send_applied(applied, edition);
  }
  core::Result<std::vector<core::KafkaOffset>> ends() override { return topic_.ends(); }

 private:
  eventsourcing::InMemoryStateTopic& topic_;
};

// A projection that publishes as a runner would drive it: event i says that a key has number i.
class Installation {
 public:
  Installation() : database(fresh_database(1)) {
    transact([](sql::Transaction& transaction) {
      transaction.execute("CREATE TABLE highest (key text PRIMARY KEY, value int NOT NULL)");
      postgres::checkpoints::claim(transaction, "feed", {{kSource, core::LogIndex(0)}});
    });
  }

  void happens(const std::string& key) { events.push_back(key); }

  // Killed: everything is acknowledged, and the commit does not come.
  void publish(bool killed = false) {
    const core::Status done = database.transact([&](sql::Transaction& transaction) {
      const auto held = postgres::checkpoints::held(transaction, "feed").begin()->second;
      std::map<std::string, std::size_t> latest;
      for (std::size_t i = held.position.value(); i < events.size(); ++i) latest[events[i]] = i + 1;
      if (latest.empty()) return;
      const core::LogPosition all(events.size());
      ASSERT_TRUE(postgres::checkpoints::advance(transaction, "feed",
                                                 {{{kSource, core::LogIndex(0)},
                                                   held.generation,
                                                   held.position,
                                                   all,
                                                   core::KafkaOffset(0)}}));
      std::vector<StateUpdate> updates;
      for (const auto& [key, number] : latest) updates.push_back({key, std::to_string(number)});
      const core::Status published = publication.publish(transaction, updates, {});
      if (!published) throw sql::TransactionFailed(published.error());
      if (killed) throw sql::TransactionFailed(core::unavailable("killed"));
    });
    EXPECT_TRUE(done.ok() || killed || would_lack_now()) << done.error().message;
  }
  std::uint64_t position() {
    const auto held = database.read([](sql::Transaction& transaction) {
      return postgres::checkpoints::held(transaction, "feed").begin()->second;
    });
    return held.value().position.value();
  }
  void publish_all() {
    while (position() < events.size()) publish();
  }

  // Until it has read everything and written it.
  void read() {
    Highest view;
    StateTopicRunner runner(view, database, topic.source(), {});
    std::jthread thread([&](std::stop_token stop) { runner.run(stop); });
    EXPECT_TRUE(eventually([&] { return runner.status().caught_up_once; }));
  }
  std::map<std::string, int> known() {
    std::map<std::string, int> known;
    transact([&](sql::Transaction& transaction) {
      for (const auto& row : transaction.execute("SELECT key, value FROM highest")) {
        known[row.text(0)] = static_cast<int>(row.integer(1));
      }
    });
    return known;
  }
  std::map<std::string, int> said() const {
    std::map<std::string, int> said;
    for (std::size_t i = 0; i < events.size(); ++i) said[events[i]] = static_cast<int>(i) + 1;
    return said;
  }

  std::int64_t records() {
    const auto ends = topic.ends().value();
    return std::accumulate(
        ends.begin(), ends.end(), std::int64_t{0},
        [](std::int64_t sum, core::KafkaOffset end) { return sum + end.value(); });
  }
  // Whether a copy with so many records in each partition lacks any that were acknowledged.
  bool would_lack(std::int64_t records) {
    bool lacks = false;
    transact([&](sql::Transaction& transaction) {
      for (const auto& [partition, next] :
           postgres::state_topic_place(transaction, "states").next) {
        lacks = lacks || next.value() > records;
      }
    });
    return lacks;
  }

  bool would_lack_now() {
    bool lacks = false;
    const auto ends = topic.ends().value();
    transact([&](sql::Transaction& transaction) {
      for (const auto& [partition, next] :
           postgres::state_topic_place(transaction, "states").next) {
        lacks = lacks || next > ends.at(partition);
      }
    });
    return lacks;
  }

  postgres::PooledDatabase database;
  core::SystemClock clock;
  eventsourcing::InMemoryStateTopic topic{kPartitions};
  StatePublication publication{
      "states", "feed", {database, std::make_unique<Topic>(topic), clock, {}}};
  std::vector<std::string> events;

 private:
  void transact(const std::function<void(sql::Transaction&)>& work) {
    const core::Status done = database.transact(work);
    EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message);
  }
};

TEST(StatePublication, ATopicThatHasEverythingIsLeftAsItIs) {
  Installation installation;
  EXPECT_FALSE(installation.publication.look().value()) << "nothing was ever published";
  installation.happens("ada");
  installation.publish();
  EXPECT_FALSE(installation.publication.look().value());
  EXPECT_EQ(installation.position(), 1U);
  EXPECT_EQ(installation.records(), 1);
}

TEST(StatePublication, ALossIsFoundWithoutAPublication) {
  Installation installation;
  for (const char* key : {"ada", "bob", "eve"}) installation.happens(key);
  installation.publish();
  installation.read();
  installation.topic.put_back(0);
  EXPECT_TRUE(installation.publication.look().value());
  EXPECT_EQ(installation.position(), 0U) << "the projection does not begin anew";
  EXPECT_FALSE(installation.publication.look().value()) << "once is enough";
  installation.publish_all();
  EXPECT_EQ(installation.records(), 3);
}

TEST(StatePublication, APublicationThatFindsALossSendsNothing) {
  Installation installation;
  installation.happens("ada");
  installation.publish();
  installation.topic.put_back(0);
  installation.happens("bob");
  installation.publish();
  EXPECT_EQ(installation.records(), 0);
  EXPECT_EQ(installation.position(), 1U) << "it is for the look to begin anew";
  EXPECT_TRUE(installation.publication.look().value());
  EXPECT_EQ(installation.position(), 0U);
  installation.publish_all();
  EXPECT_EQ(installation.records(), 2);
}

// The reader's offset is below the new end, and what lies before it is not what it has read.
TEST(StatePublication, AReaderIsNotLedAstrayByOffsetsOfATopicThatIsGone) {
  Installation installation;
  for (int i = 0; i < 3; ++i) {
    installation.happens("ada");
    installation.publish();
  }
  installation.read();
  installation.topic.put_back(0);
  ASSERT_TRUE(installation.publication.look().value());
  // Its partition holds them from the first offset on, which the reader was past.
  const auto partition = core::log_of("ada", kPartitions);
  for (int i = 0; installation.events.size() < 9; ++i) {
    const std::string key = "key" + std::to_string(i);
    if (core::log_of(key, kPartitions) == partition) installation.happens(key);
  }
  installation.publish_all();
  installation.read();
  EXPECT_EQ(installation.known(), installation.said());
}

// One record less than it has read, or as many: nothing new would ever say so.
TEST(StatePublication, AReaderLooksAtTheLastRecordOnceMore) {
  Installation installation;
  installation.happens("ada");
  installation.publish();
  installation.read();
  installation.topic.put_back(0);
  ASSERT_TRUE(installation.publication.look().value());
  installation.events.clear();
  const auto partition = core::log_of("ada", kPartitions);
  for (int i = 0; installation.events.empty(); ++i) {
    const std::string key = "key" + std::to_string(i);
    if (core::log_of(key, kPartitions) == partition) installation.happens(key);
  }
  installation.publish_all();
  ASSERT_EQ(installation.records(), 1);
  installation.read();
  EXPECT_EQ(installation.known().count(installation.events.front()), 1U);
}

// One in each partition.
std::vector<std::string> keys_of_all_partitions(const std::string& prefix) {
  std::map<std::uint32_t, std::string> keys;
  for (int i = 0; keys.size() < kPartitions; ++i) {
    const std::string key = prefix + std::to_string(i);
    keys.emplace(core::log_of(key, kPartitions).value(), key);
  }
  std::vector<std::string> all;
  for (const auto& [partition, key] : keys) all.push_back(key);
  return all;
}

// Where that last record is not there, no record of any partition tells of the new edition.
TEST(StatePublication, AReaderNoticesATopicThatIsShorterByOneRecordEverywhere) {
  Installation installation;
  for (int round = 0; round < 2; ++round) {
    for (const auto& key : keys_of_all_partitions("old")) installation.happens(key);
    installation.publish();
  }
  installation.read();
  installation.topic.put_back(0);
  ASSERT_TRUE(installation.publication.look().value());
  installation.events = keys_of_all_partitions("new");
  installation.publish_all();
  const auto ends = installation.topic.ends().value();
  ASSERT_EQ(ends, std::vector(kPartitions, core::KafkaOffset(1)));
  installation.read();
  for (const auto& [key, number] : installation.said()) {
    EXPECT_EQ(installation.known()[key], number) << key;
  }
}

// Whatever is lost and whoever is killed, in the end a reader knows the latest of each key. Not
// drawn: a copy that has all that was committed and lacks what a killed publisher had sent beyond,
// which nobody can tell from a publisher that was killed before.
TEST(StatePublicationLaw, AReaderKnowsTheLatestStates) {
  EXPECT_TRUE(test_support::holds("a reader knows the latest states", 8, [] {
    Installation installation;
    const auto steps = *rc::gen::inRange(10, 60);
    for (int i = 0; i < steps; ++i) {
      switch (*rc::gen::inRange(0, 11)) {
        case 0:
        case 1:
          installation.read();
          break;
        case 2:
          (void)installation.publication.look();
          break;
        case 3:
          installation.publish(/*killed=*/true);
          break;
        case 4: {
          const int records = *rc::gen::inRange(0, 4);
          if (installation.would_lack(records)) {
            installation.topic.put_back(static_cast<std::size_t>(records));
          }
          break;
        }
        case 5:
        case 6:
          installation.publish();
          break;
        default:
          installation.happens(std::string(1, static_cast<char>('a' + *rc::gen::inRange(0, 5))));
      }
    }
    RC_ASSERT(installation.publication.look().ok());
    installation.publish_all();
    installation.read();
    RC_ASSERT(installation.known() == installation.said());
  }));
}

}  // namespace
}  // namespace tideline::projections
