// The real tideline-scoring over a real PostgreSQL and Kafka, killed with -9 at random points while
// events arrive and an operator changes the rules. What its tables then hold, and what an engine
// that loads them ranks, is compared with a plain recomputation of the same events; what somebody
// else sees in them in between, with one of the events before the checkpoint that he sees there.
//
//   TIDELINE_SCORING_CRASH_EVENTS=1000000 score_crash_tests    the long form; 50,000 by default
//   TIDELINE_SCORING_CRASH_SEED=n                              a history and kills again

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <thread>

#include "core/time_ordered_id.hpp"
#include "crash/plain_scores.hpp"
#include "crash/score_watcher.hpp"
#include "crypto/subject_cipher.hpp"
#include "crypto/tests/key_pair.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "kafka/producer.hpp"
#include "kafka/topics.hpp"
#include "postgres/store/event_store.hpp"
#include "postgres/tests/integration/killed_program.hpp"
#include "scoring/api/stored_rules.hpp"
#include "scoring/domain/adjustment.hpp"
#include "scoring/domain/rule_changes.hpp"
#include "scoring/projections/engine/score_engine.hpp"
#include "scoring/projections/events_by_hand.hpp"
#include "scoring/stream_keys.hpp"
#include "support/kafka_server.hpp"
#include "support/postgres_server.hpp"

namespace tideline::crash {
namespace {

namespace es = eventsourcing;
using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr std::uint32_t kLogs = 4;
constexpr auto kDeadline = 120s;  // of the next progress
constexpr std::size_t kSightsRecomputed = 20;
constexpr std::array kServices = {"accounts", "projects", "social-graph"};

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::stoull(wanted);
}

// Everything that the binary needs, in a folder that goes with the object.
class Installation {
 public:
  Installation() {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    std::filesystem::create_directory(folder_ + "/jwt");
    write("/jwt/test.pem", crypto::new_key_pair().public_pem);
    write("/secret", std::string(64, 'a') + "\n");
    options_.conninfo = test_support::PostgresServer::shared().create_database();
  }
  ~Installation() { std::filesystem::remove_all(folder_); }

  // Small flushes, so that there are many to be killed in.
  std::unique_ptr<postgres::testing::KilledProgram> start(std::uint64_t pending_people) {
    write("/config",
          "TIDELINE_DATABASE_URL=" + options_.conninfo + "\nTIDELINE_KAFKA_BROKERS=" + brokers() +
              "\nTIDELINE_LOGS=" + std::to_string(kLogs) + "\nTIDELINE_ACCOUNT_SECRET_FILE=" +
              folder_ + "/secret\nTIDELINE_JWT_PUBLIC_KEYS=" + folder_ +
              "/jwt\nTIDELINE_LOG_LEVEL=error\nTIDELINE_SCORING_FLUSH_MS=50" +
              "\nTIDELINE_SCORING_PENDING_PEOPLE=" + std::to_string(pending_people) + "\n");
    return std::make_unique<postgres::testing::KilledProgram>(
        std::vector<std::string>{TIDELINE_SCORING, "--config", folder_ + "/config"});
  }
  static std::string brokers() { return test_support::KafkaServer::shared().brokers(); }
  const postgres::DatabaseOptions& database() const { return options_; }

 private:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + name) << text;
  }

  std::string folder_ = "/tmp/tideline-crash-XXXXXX";
  postgres::DatabaseOptions options_;
};

// Puts a history where it belongs: other services' events into their topics, adjustments into
// scoring's own store.
class Sender {
 public:
  Sender(const std::vector<Happened>& history, es::EventStore& store)
      : history_(history), store_(store), places_(history.size()) {
    std::vector<kafka::TopicSpec> topics;
    for (const char* service : kServices) {
      topics.push_back({.name = kafka::events_topic(service), .partitions = kLogs});
    }
    const auto made = kafka::ensure_topics(Installation::brokers(), topics, 30s);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
    for (const char* service : kServices) {
      producers_.emplace(service,
                         std::make_unique<kafka::LogProducer>(
                             Installation::brokers(), "crash", kafka::events_topic(service),
                             [this](const kafka::LogProducer::Report& report) {
                               EXPECT_EQ(report.error, "");
                               ++delivered_;
                             }));
    }
  }

  // Up to the `end`th event; returns once Kafka and the store have them.
  void send_up_to(std::size_t end) {
    end = std::min(end, history_.size());
    for (; next_ < end; ++next_) {
      const Happened& happened = history_[next_];
      if (happened.kind == Kind::Adjusted) {
        adjust(happened);
      } else {
        produce(happened);
      }
    }
    const auto deadline = Steady::now() + kDeadline;
    while ((delivered_ < produced_ || appended_ < asked_) && Steady::now() < deadline) {
      for (auto& [service, producer] : producers_) producer->poll(1ms);
    }
    ASSERT_EQ(delivered_, produced_);
    ASSERT_EQ(appended_, asked_);
  }
  std::size_t sent() const { return next_; }
  std::size_t produced() const { return produced_; }

  // The events whose effect a checkpoint says is there; to be asked when nothing is being sent.
  std::vector<Happened> before(const ScoreWatcher::Checkpoint& checkpoint) const {
    std::vector<Happened> events;
    for (std::size_t i = 0; i < next_; ++i) {
      const auto reached = checkpoint.find({places_[i].service, places_[i].log});
      if (reached != checkpoint.end() && places_[i].position <= reached->second) {
        events.push_back(history_[i]);
      }
    }
    return events;
  }

 private:
  struct Place {
    std::string service;
    std::uint32_t log = 0;
    std::uint64_t position = 0;
  };

  void produce(const Happened& happened) {
    es::RecordedEvent event;
    describe(happened, event);
    event.stream = core::StreamId("crash-" + std::to_string(next_));
    event.log = core::log_of(event.stream.value(), kLogs);
    event.position = core::LogPosition(++positions_[{event.source, event.log.value()}]);
    places_[next_] = {event.source, event.log.value(), event.position.value()};
    event.version = core::StreamVersion(1);
    event.time = happened.time;
    event.id = "event-" + std::to_string(next_);
    auto& producer = *producers_.at(event.source);
    ++produced_;
    while (true) {
      const auto taken = producer.produce(event);
      ASSERT_TRUE(taken.ok()) << taken.error().message;
      if (*taken) return;
      producer.poll(10ms);
    }
  }

  void adjust(const Happened& happened) {
    if (happened.delta == 0) return;
    const scoring::PointsAdjusted adjusted{account_of(happened.one), happened.delta, "crash",
                                           account_of(0)};
    es::Append append;
    append.time = happened.time;
    append.streams.push_back(
        {scoring::keys::adjustment(core::make_time_ordered_id(clock_.now(), random_)),
         core::StreamVersion(0),
         {eventsourcing::EventCodec<scoring::Adjustment>(cipher_).encode(adjusted)}});
    ++asked_;
    store_.append_then(std::move(append), [this, &place = places_[next_]](
                                              const core::Result<es::AppendOutcome>& outcome) {
      if (!outcome || !std::holds_alternative<es::Appended>(*outcome)) return;
      const auto& services = std::get<es::Appended>(*outcome).positions.services();
      const auto& [log, position] = *services.at("scoring").begin();
      place = {"scoring", log.value(), position.value()};
      ++appended_;
    });
  }

  const std::vector<Happened>& history_;
  es::EventStore& store_;
  std::vector<Place> places_;  // of each event that was sent
  core::SystemClock clock_;
  core::SystemRandom random_;
  crypto::InMemorySubjectKeys keys_;
  crypto::SubjectCipher cipher_{keys_, clock_};
  std::map<std::string, std::unique_ptr<kafka::LogProducer>, std::less<>> producers_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> positions_;
  std::size_t next_ = 0;
  std::size_t produced_ = 0;
  std::size_t delivered_ = 0;
  std::size_t asked_ = 0;
  std::atomic<std::size_t> appended_ = 0;  // by a thread of the store
};

class ScoreCrashTest : public ::testing::Test {
 protected:
  // Events of other services whose effect is committed.
  std::size_t committed() {
    const auto rows = database.query(
        "SELECT coalesce(sum(position), 0) FROM projection_checkpoint"
        " WHERE projection = 'scores' AND service <> 'scoring'",
        {});
    return rows.ok() ? static_cast<std::size_t>(rows->at(0).integer(0)) : 0;
  }
  // Whether that of scoring's own is, and that there are no more.
  bool own_are_committed() {
    const auto rows = database.query(
        "SELECT (SELECT coalesce(sum(position), 0) FROM projection_checkpoint"
        " WHERE projection = 'scores' AND service = 'scoring')"
        " = (SELECT coalesce(sum(position), 0) FROM event_log)",
        {});
    return rows.ok() && rows->at(0).boolean(0);
  }

  void change_rules() {
    es::CommandContext context;
    context.now = clock.now();
    const scoring::ChangeRules command{core::utc_day(clock.now()),
                                       {{scoring::Reason::SignIn, 7, 0},
                                        {scoring::Reason::ProfileViewed, -1, 0, 20},
                                        {scoring::Reason::Comment, 0, 3},
                                        {scoring::Reason::ProjectEdited, 2, 1},
                                        {scoring::Reason::VoteCast, 1, 1, 4}},
                                       scoring::Levels::standard().thresholds(),
                                       account_of(0)};
    const auto outcome =
        es::run_command(store, context, [&](es::CommandSession& session) -> es::CommandResult {
          es::change<scoring::RuleChanges>(session, scoring::keys::rules(),
                                           eventsourcing::EventCodec<scoring::RuleChanges>{},
                                           command);
          return es::Answer{};
        });
    ASSERT_TRUE(outcome.ok() && std::holds_alternative<es::CommandDone>(*outcome));
  }

  // As texts; the first `keys` of the `columns` are the key.
  PlainTable table(const std::string& sql, std::size_t keys, std::size_t columns) {
    PlainTable found;
    const auto rows = database.query(sql, {});
    EXPECT_TRUE(rows.ok()) << (rows.ok() ? "" : rows.error().message);
    if (!rows.ok()) return found;
    for (const auto& row : *rows) {
      std::string key;
      std::string value;
      for (std::size_t i = 0; i < columns; ++i) {
        std::string& text = i < keys ? key : value;
        text.append(text.empty() ? "" : " ").append(row.text(i));
      }
      found.emplace(std::move(key), std::move(value));
    }
    return found;
  }

  void expect_equal(const char* name, const PlainTable& found, const PlainTable& expected) {
    EXPECT_EQ(found.size(), expected.size()) << name << ": other rows than expected";
    std::size_t different = 0;
    for (const auto& [key, value] : expected) {
      const auto row = found.find(key);
      const std::string there = row == found.end() ? "no row" : row->second;
      if (there != value && ++different <= 5) {
        ADD_FAILURE() << name << " " << key << ": " << there << ", recomputed " << value;
      }
    }
    EXPECT_EQ(different, 0U) << name;
  }

  void expect_tables(const PlainScores& scores) {
    const auto us = [](const std::string& time) {
      return "(extract(epoch FROM " + time + ") * 1000000)::bigint";
    };
    expect_equal(
        "score",
        table("SELECT account_id, sum(points)::bigint, " + us("max(reached_at)") +
                  ", bit_or(standing), sum(contributions)::bigint, sum(events)::bigint FROM ("
                  "SELECT account_id, points, reached_at, standing, contributions, events"
                  " FROM score UNION ALL"
                  " SELECT unnest(accounts), unnest(points), unnest(reached_at), unnest(standing),"
                  " unnest(contributions), unnest(events)"
                  " FROM score_delta) AS part GROUP BY account_id",
              1, 6),
        scores.score);
    expect_equal(
        "day_score",
        table("SELECT account_id, day, sum(points)::bigint, " + us("max(reached_at)") +
                  " FROM (SELECT account_id, day, points, reached_at FROM day_score"
                  " UNION ALL"
                  " SELECT unnest(day_accounts), unnest(days), unnest(day_points),"
                  " unnest(day_reached_at) FROM score_delta) AS part GROUP BY account_id, day",
              2, 4),
        scores.day_score);
    expect_equal(
        "calendar",
        table("SELECT account_id, make_date(year, month, place::int), amount FROM calendar,"
              " unnest(days) WITH ORDINALITY AS of_day (amount, place) WHERE amount <> 0",
              2, 3),
        scores.calendar);
    expect_equal("ledger",
                 table("SELECT account_id, day, reason, count(*), sum(points),"
                       " coalesce(max(cap), 0) FROM ledger GROUP BY 1, 2, 3",
                       3, 6),
                 scores.ledger);
  }

  // Some of what was seen, evenly: the recomputation is of all events each time.
  void expect_seen(const ScoreWatcher& watcher, const Sender& sender, std::size_t people,
                   const scoring::PlainRuleStream& rules) {
    EXPECT_EQ(watcher.contradictions(), std::vector<std::string>{});
    const std::size_t step = watcher.seen().size() / kSightsRecomputed + 1;
    std::size_t at = 0;
    for (const auto& [checkpoint, sums] : watcher.seen()) {
      if (at++ % step != 0) continue;
      const PlainScores scores = recompute(sender.before(checkpoint), people, rules);
      EXPECT_EQ(sums.points, scores.points) << "at the " << at << "th of the checkpoints seen";
      EXPECT_EQ(sums.earned, scores.points) << "at the " << at << "th of the checkpoints seen";
    }
    EXPECT_GT(watcher.seen().size(), kSightsRecomputed) << "hardly anything was seen in between";
  }

  void expect_ranks(const PlainScores& scores) {
    const core::UtcCalendar campus;
    scoring::StoredRules rules(store, clock);
    scoring::ScoreEngine engine(rules, campus, clock, {.band_members = 1'000});
    const auto loaded =
        database.transact([&](sql::Transaction& transaction) { engine.load(transaction); });
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    const auto page = engine.page({.limit = scores.board.size() + 1}).items;
    ASSERT_EQ(page.size(), scores.board.size());
    for (std::size_t i = 0; i < page.size(); ++i) {
      const auto& expected = scores.board[i];
      ASSERT_EQ(page[i].entry.account, expected.account) << "place " << i;
      ASSERT_EQ(page[i].entry.points, expected.points) << "place " << i;
      ASSERT_EQ(page[i].rank, expected.rank) << "place " << i;
      ASSERT_EQ(engine.total(expected.account).rank, expected.rank) << "place " << i;
    }
  }

  core::SystemClock clock;
  core::SystemRandom random;
  Installation installation;
  postgres::PooledDatabase database{installation.database()};
  postgres::PostgresEventStore store{
      database, clock, random, {.service = "scoring", .logs = kLogs}};
};

TEST_F(ScoreCrashTest, SumsAndRanksAreThoseOfAPlainRecomputation) {
  const auto events = static_cast<std::size_t>(
      number_from("TIDELINE_SCORING_CRASH_EVENTS", 50'000) / kEventsAPerson * kEventsAPerson);
  ASSERT_GT(events, 0U) << "TIDELINE_SCORING_CRASH_EVENTS";
  const std::uint64_t seed = number_from("TIDELINE_SCORING_CRASH_SEED", std::random_device{}());
  std::cout << "TIDELINE_SCORING_CRASH_SEED=" << seed << std::endl;
  std::mt19937_64 chance(seed);
  const std::size_t kills = std::clamp<std::size_t>(events / 10'000, 5, 20);
  std::vector<std::size_t> kill_at;
  for (std::size_t i = 0; i < kills; ++i) kill_at.push_back(chance() % (events * 9 / 10));
  std::sort(kill_at.begin(), kill_at.end());

  const auto history = make_history(seed, events, clock.now());
  auto program = installation.start(1'000);
  ASSERT_TRUE(postgres::testing::eventually([&] {
    return database
        .query(
            "SELECT 1 FROM event_log, projection_checkpoint, score, score_delta, day_score LIMIT 1",
            {})
        .ok();
  })) << "the service has made no tables";
  Sender sender(history, store);
  ScoreWatcher watcher(installation.database());
  const std::size_t slice = std::max<std::size_t>(events / 50, 1);
  std::size_t killed = 0;
  bool changed = false;
  std::size_t before = 0;
  auto deadline = Steady::now() + kDeadline;
  while (sender.sent() < events || committed() < sender.produced() || !own_are_committed()) {
    // Little ahead, so that events arrive from the first kill to the last.
    const bool sends = sender.sent() < events && sender.produced() < before + 2 * slice;
    if (sends) {
      ASSERT_NO_FATAL_FAILURE(sender.send_up_to(std::min(sender.sent() + slice, events)));
    }
    if (!changed && sender.sent() > events / 4) {
      ASSERT_NO_FATAL_FAILURE(change_rules());
      changed = true;
    }
    const std::size_t now = committed();
    if (now > before) deadline = Steady::now() + kDeadline;
    before = now;
    if (killed < kills && now >= kill_at[killed]) {
      // Anywhere between two flushes, or within one.
      std::this_thread::sleep_for(std::chrono::microseconds(chance() % 150'000));
      program->kill();
      ++killed;
      program = installation.start(1'000 * (1 + chance() % 20));
    }
    ASSERT_LT(Steady::now(), deadline) << "nothing was committed, at " << now << " events";
    if (!sends) std::this_thread::sleep_for(5ms);
  }
  program->kill();
  watcher.stop();
  ASSERT_EQ(killed, kills);

  const auto stream = store.read_stream(scoring::keys::rules(), core::StreamVersion(0), 10'000);
  ASSERT_TRUE(stream.ok()) << stream.error().message;
  const scoring::PlainRuleStream rules(*stream);
  const std::size_t people = events / kEventsAPerson;
  const PlainScores scores = recompute(history, people, rules);
  std::cout << events << " events, " << killed << " kills, " << scores.score.size() << " people, "
            << scores.points << " points, " << scores.contributions << " contributions, "
            << scores.capped << " behind a cap, " << scores.ledger.size() << " sums of the ledger, "
            << watcher.seen().size()
            << " checkpoints seen, days by version 1 and 2: " << rules.days_by_version(1) << " and "
            << rules.days_by_version(2) << std::endl;
  EXPECT_GT(rules.days_by_version(2), 0U) << "no day was counted by the rules that were changed";
  EXPECT_GT(scores.capped, 0U);
  expect_tables(scores);
  expect_ranks(scores);
  expect_seen(watcher, sender, people, rules);
}

}  // namespace
}  // namespace tideline::crash
