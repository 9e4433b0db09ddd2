#include "postgres/projections/dead_letters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "core/encoding.hpp"
#include "eventsourcing/topics/in_memory_topics.hpp"
#include "postgres/tests/integration/fresh_database.hpp"
#include "projections/runner/projection_runner.hpp"

namespace tideline::postgres {
namespace {

using namespace std::chrono_literals;
using eventsourcing::PositionVector;
using eventsourcing::RecordedEvent;
using postgres::DeadLetterPlace;

constexpr auto kDeadline = 20s;
constexpr std::uint32_t kLogs = 2;

// Keeps each event's data in the order of application. "bad" ones cannot be applied unless healed.
class Notes final : public eventsourcing::Projection {
 public:
  explicit Notes(bool healed) : healed_(healed) {}
  std::string_view name() const override { return "notes"; }
  std::vector<std::string> sources() const override { return {"feed"}; }
  eventsourcing::FlushPolicy flush_policy() const override { return {5ms, 100}; }
  void load(sql::Transaction&) override { noted_.clear(); }
  void apply(const eventsourcing::RecordedEvent& event) override {
    if (event.data.find("bad") != std::string::npos && !healed_) {
      throw eventsourcing::PoisonEvent("cannot read " + event.data);
    }
    noted_.push_back(event);
  }
  void flush(sql::Transaction& transaction) override {
    for (const auto& event : noted_) {
      const auto bytes = core::as_bytes(event.data);
      transaction.execute(
          "INSERT INTO note (stream, bytes, correlation, happened)"
          " VALUES ($1, decode($2, 'hex'), $3, $4)",
          {event.stream, core::to_hex(bytes),
           event.metadata.correlation_id + " " + event.metadata.traceparent, event.time});
    }
  }
  void flushed() override { noted_.clear(); }
  void heal() { healed_ = true; }

 private:
  std::atomic<bool> healed_;
  std::vector<eventsourcing::RecordedEvent> noted_;
};

class DeadLetters : public ::testing::Test {
 protected:
  DeadLetters() {
    EXPECT_TRUE(database
                    .transact([](sql::Transaction& transaction) {
                      transaction.execute(
                          "CREATE TABLE note (n bigserial, stream text, bytes bytea,"
                          " correlation text, happened timestamptz)");
                    })
                    .ok());
  }

  void publish(std::uint32_t log, const std::string& stream, const std::string& data) {
    eventsourcing::RecordedEvent event;
    event.id = "0190a8f2-7c7e-7000-8000-00000000000" + std::to_string(++published_);
    event.source = "feed";
    event.type = "Noted";
    event.stream = core::StreamId(stream);
    event.version = core::StreamVersion(1);
    event.log = core::LogIndex(log);
    event.position = core::LogPosition(positions_.at("feed", event.log).value() + 1);
    event.time = *core::parse_iso8601("2026-01-02T03:04:05.678901Z");
    event.metadata.correlation_id = "correlated";
    event.metadata.traceparent = "00-trace-01 vendor=a";
    event.data = data;
    positions_.raise("feed", event.log, event.position);
    topics_.publish(event);
  }
  // Runs until everything published is applied or parked, and what is marked is dealt with.
  void run(bool healed) {
    Notes notes(healed);
    projections::ProjectionRunner runner(notes, {database, topics_.source({"feed"}), {}, {}},
                                         kLogs);
    const std::jthread thread([&](std::stop_token stop) { runner.run(stop); });
    ASSERT_TRUE(runner.applied().wait_for(positions_, kDeadline));
  }
  // Parks what it cannot read; then whatever is marked must reach it while it runs.
  bool a_running_owner_applies(const std::function<void()>& mark, std::size_t notes_wanted) {
    Notes projection(false);
    projections::ProjectionRunner runner(projection, {database, topics_.source({"feed"}), {}, {}},
                                         kLogs);
    const std::jthread thread([&](std::stop_token stop) { runner.run(stop); });
    if (!runner.applied().wait_for(positions_, kDeadline)) return false;
    projection.heal();
    mark();
    const auto deadline = std::chrono::steady_clock::now() + kDeadline;
    while (notes().size() < notes_wanted) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(5ms);
    }
    return true;
  }
  std::vector<std::string> notes() {
    const auto rows =
        database.query("SELECT stream || '=' || encode(bytes, 'escape') FROM note ORDER BY n", {});
    EXPECT_TRUE(rows.ok());
    std::vector<std::string> texts;
    for (const auto& row : *rows) texts.push_back(row.text(0));
    return texts;
  }
  std::vector<std::string> parked() {
    const auto letters = postgres::list_dead_letters(database);
    EXPECT_TRUE(letters.ok());
    std::vector<std::string> texts;
    for (const auto& letter : *letters) {
      texts.push_back(letter.place.to_text() + " " + letter.reason +
                      (letter.replay_requested ? " (requested)" : ""));
    }
    return texts;
  }
  static postgres::DeadLetterPlace place(const std::string& text) {
    return *postgres::DeadLetterPlace::parse(text);
  }

  PooledDatabase database{testing::fresh_database(kLogs)};

 private:
  eventsourcing::InMemoryTopics topics_{kLogs};
  eventsourcing::PositionVector positions_;
  int published_ = 0;
};

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(DeadLetters, AreListedWithWhereTheyStandAndWhy) {
  publish(0, "a", "good");
  publish(0, "a", "bad1");
  publish(0, "a", "good2");
  run(false);
  const auto letters = postgres::list_dead_letters(database);
  ASSERT_TRUE(letters.ok());
  ASSERT_EQ(letters->size(), 2U);
  const auto& first = letters->front();
  EXPECT_EQ(first.projection, "notes");
  EXPECT_EQ(first.place.to_text(), "feed/0/2");
  EXPECT_EQ(first.type, "Noted");
  EXPECT_EQ(first.stream, "a");
  EXPECT_EQ(first.reason, "cannot read bad1");
  EXPECT_FALSE(first.replay_requested);
  EXPECT_LT(core::SystemClock().now() - first.parked_at, 60s);
  EXPECT_EQ(letters->back().reason, "behind a parked event of its stream");
  EXPECT_EQ(postgres::list_dead_letters(database, "other")->size(), 0U);
}

TEST_F(DeadLetters, AReplayedEventIsAppliedAsItWas) {
  const std::string bytes("bad\0\xff\n", 6);
  publish(0, "a", bytes);
  publish(0, "b", "base64url:bad");
  run(false);
  publish(0, "c", "base64url:YQ");
  run(true);
  ASSERT_EQ(postgres::replay_dead_letters(database, "notes").value(), 2U);
  run(true);
  EXPECT_THAT(notes(), ElementsAre("c=base64url:YQ", "a=bad\\000\\377\n", "b=base64url:bad"));
  const auto row = database.query(
      "SELECT correlation, (extract(epoch FROM happened) * 1000000)::bigint FROM note"
      " WHERE stream = 'a'",
      {});
  ASSERT_TRUE(row.ok());
  EXPECT_EQ(row->at(0).text(0), "correlated 00-trace-01 vendor=a");
  EXPECT_EQ(core::format_iso8601(row->at(0).timestamp_us(1)), "2026-01-02T03:04:05.678901Z");
}

TEST_F(DeadLetters, OneThatIsNamedBringsItsWholeStreamAndNoOther) {
  publish(0, "a", "bad1");
  publish(0, "b", "bad2");
  publish(0, "a", "good");
  publish(1, "c", "bad3");
  run(false);
  const std::vector places{place("feed/0/3")};
  ASSERT_EQ(postgres::replay_dead_letters(database, "notes", places).value(), 2U);
  EXPECT_THAT(parked(),
              ElementsAre("feed/0/1 cannot read bad1 (requested)", "feed/0/2 cannot read bad2",
                          "feed/0/3 behind a parked event of its stream (requested)",
                          "feed/1/1 cannot read bad3"));
  run(true);
  EXPECT_THAT(notes(), ElementsAre("a=bad1", "a=good"));
  EXPECT_THAT(parked(), ElementsAre("feed/0/2 cannot read bad2", "feed/1/1 cannot read bad3"));
}

TEST_F(DeadLetters, AnOwnerThatRunsIsSentBackToThem) {
  publish(0, "a", "bad1");
  publish(1, "b", "bad2");
  publish(1, "b", "good");
  const auto replay = [&] { ASSERT_TRUE(postgres::replay_dead_letters(database, "notes").ok()); };
  EXPECT_TRUE(a_running_owner_applies(replay, 3)) << "it does not hear of a replay";
  publish(0, "c", "bad3");
  publish(0, "c", "good");
  const auto skip = [&] {
    ASSERT_TRUE(
        postgres::skip_dead_letter(database, "notes", place("feed/0/2"), "a typo", "ada").ok());
  };
  EXPECT_TRUE(a_running_owner_applies(skip, 4)) << "it does not hear of a skip";
  EXPECT_THAT(parked(), IsEmpty());
}

TEST_F(DeadLetters, ASkippedOneIsAuditedAndFreesThoseBehindIt) {
  publish(0, "a", "bad1");
  publish(0, "a", "good1");
  publish(0, "a", "bad2");
  publish(0, "a", "good2");
  run(false);
  EXPECT_EQ(
      postgres::skip_dead_letter(database, "notes", place("feed/0/3"), "twice", "ada").value(), 0U)
      << "those behind it still wait for the first one";
  EXPECT_EQ(
      postgres::skip_dead_letter(database, "notes", place("feed/0/1"), "a typo", "bob").value(),
      2U);
  run(false);
  EXPECT_THAT(notes(), ElementsAre("a=good1", "a=good2"));
  EXPECT_THAT(parked(), IsEmpty());
  const auto audit = database.query(
      "SELECT position, reason, skipped_by, stream, type, parked_reason FROM dead_letter_skip"
      " ORDER BY position",
      {});
  ASSERT_TRUE(audit.ok());
  ASSERT_EQ(audit->size(), 2U);
  EXPECT_EQ(audit->at(0).integer(0), 1);
  EXPECT_EQ(audit->at(0).text(1), "a typo");
  EXPECT_EQ(audit->at(0).text(2), "bob");
  EXPECT_EQ(audit->at(0).text(3), "a");
  EXPECT_EQ(audit->at(0).text(4), "Noted");
  EXPECT_EQ(audit->at(0).text(5), "cannot read bad1");
}

TEST_F(DeadLetters, WhatIsNotParkedIsRefusedAndChangesNothing) {
  publish(0, "a", "bad1");
  run(false);
  const std::vector places{place("feed/0/1"), place("feed/0/7")};
  const auto replayed = postgres::replay_dead_letters(database, "notes", places);
  ASSERT_FALSE(replayed.ok());
  EXPECT_EQ(replayed.error().code, core::ErrorCode::NotFound);
  EXPECT_THAT(parked(), ElementsAre("feed/0/1 cannot read bad1"));
  EXPECT_FALSE(postgres::skip_dead_letter(database, "notes", place("feed/1/1"), "why", "ada").ok());
  EXPECT_EQ(
      postgres::skip_dead_letter(database, "notes", place("feed/0/1"), "", "ada").error().code,
      core::ErrorCode::InvalidInput);
  EXPECT_THAT(parked(), ElementsAre("feed/0/1 cannot read bad1"));
}

TEST(DeadLetterPlace, IsReadBackAsItIsWritten) {
  for (const char* text : {"feed/3/17", "social-graph/0/1"}) {
    ASSERT_TRUE(postgres::DeadLetterPlace::parse(text)) << text;
    EXPECT_EQ(postgres::DeadLetterPlace::parse(text)->to_text(), text);
  }
  for (const char* text : {"", "feed", "feed/3", "/3/17", "feed//17", "feed/3/", "feed/3/x",
                           "feed/-1/1", "feed/3/17 "}) {
    EXPECT_FALSE(postgres::DeadLetterPlace::parse(text)) << text;
  }
}

}  // namespace
}  // namespace tideline::postgres
