#include "eventsourcing/projections/reaction.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>

#include "core/random.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"
#include "eventsourcing/testing/forwarding_event_store.hpp"
#include "eventsourcing/topics/in_memory_topics.hpp"
#include "projections/runner/projection_runner.hpp"
#include "tables_in_memory.hpp"

namespace tideline::projections {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint32_t kLogs = 2;
constexpr auto kDeadline = 10s;

// What dies when the process does.
struct Crash {};

// The store of the service that reacts, which can be told to fail.
class FailingStore final : public eventsourcing::ForwardingEventStore {
 public:
  using eventsourcing::ForwardingEventStore::ForwardingEventStore;

  core::Result<eventsourcing::AppendOutcome> do_append(eventsourcing::Append append) override {
    point();
    ++appends;
    if (refusal) return *refusal;
    auto outcome = eventsourcing::ForwardingEventStore::do_append(std::move(append));
    point();
    return outcome;
  }

  // A place where the process may die.
  void point() {
    if (points_to_live && (*points_to_live)-- == 0) throw Crash{};
    ++points;
  }

  std::optional<int> points_to_live;
  int points = 0;
  std::atomic<int> appends{0};
  std::optional<core::Error> refusal;
};

core::StreamVersion version_of(eventsourcing::CommandSession& session,
                               const core::StreamId& stream) {
  const auto last = session.store().read_last(stream);
  return *last ? (**last).version : core::StreamVersion(0);
}

// "Noted" with data n, in pieces of two commands: n events "Echoed" on the stream's own echo, which
// would come again with every repetition if no key held them; and one "Marked" on a stream of the
// event's own, whose version does so by itself. "refuse" is rejected.
class EchoRules final : public eventsourcing::ReactionRules {
 public:
  std::string_view name() const override { return "echo"; }
  std::vector<std::string> sources() const override { return {"feed"}; }
  bool concerns(const eventsourcing::RecordedEvent& event) const override {
    if (event.data == "poison") throw eventsourcing::PoisonEvent("it says so");
    return event.type == "Noted";
  }
  std::unique_ptr<eventsourcing::ProcessManager> process_manager(
      std::span<const eventsourcing::RecordedEvent> causes) override {
    return std::make_unique<Echoes>(causes);
  }

 private:
  class Echoes final : public eventsourcing::ProcessManager {
   public:
    explicit Echoes(std::span<const eventsourcing::RecordedEvent> causes) {
      for (const eventsourcing::RecordedEvent& cause : causes) call_for(cause);
    }
    core::Result<Piece> next(std::size_t) override {
      Piece piece;
      for (int i = 0; i < 2 && given_ < all_.size(); ++i) piece.commands.push_back(all_[given_++]);
      piece.more = given_ < all_.size();
      return piece;
    }

   private:
    void call_for(const eventsourcing::RecordedEvent& cause) {
      if (cause.data == "refuse") {
        all_.push_back(
            {&cause, "refuse", [](eventsourcing::CommandSession&) -> eventsourcing::CommandResult {
               return eventsourcing::Rejection{eventsourcing::RejectionKind::Conflict, "never",
                                               "it says so"};
             }});
        return;
      }
      for (int i = 0; i < std::stoi(cause.data); ++i) {
        all_.push_back(
            {&cause, "echo-" + std::to_string(i),
             [stream = core::StreamId("echo-" + cause.stream.value())](
                 eventsourcing::CommandSession& session) -> eventsourcing::CommandResult {
               session.stage_encoded(stream, version_of(session, stream),
                                     {{.type = "Echoed", .data = "{}"}});
               return eventsourcing::Answer{};
             }});
      }
      all_.push_back({&cause, "mark",
                      [stream = core::StreamId("mark-" + cause.id)](
                          eventsourcing::CommandSession& session) -> eventsourcing::CommandResult {
                        if (version_of(session, stream).value() > 0) return eventsourcing::Answer{};
                        session.stage_encoded(stream, {}, {{.type = "Marked", .data = "{}"}});
                        return eventsourcing::Answer{};
                      }});
    }

    std::vector<eventsourcing::ReactionCommand> all_;
    std::size_t given_ = 0;
  };
};

eventsourcing::RecordedEvent noted(std::uint32_t log, std::uint64_t position, std::string stream,
                                   std::string data) {
  eventsourcing::RecordedEvent made;
  made.id = "event-" + std::to_string(log) + "-" + std::to_string(position);
  made.source = "feed";
  made.type = "Noted";
  made.stream = core::StreamId(std::move(stream));
  made.log = core::LogIndex(log);
  made.position = core::LogPosition(position);
  made.metadata.correlation_id = "chain";
  made.metadata.traceparent = "00-trace-01 vendor=a";
  made.data = std::move(data);
  return made;
}

struct World {
  // Every event of the store, as "type stream cause", sorted.
  std::vector<std::string> caused() {
    std::vector<std::string> all;
    for (std::uint32_t log = 0; log < kLogs; ++log) {
      for (const auto& event : *store.read_log(core::LogIndex(log), {}, 1000)) {
        all.push_back(event.type + " " + event.stream.value() + " " + event.metadata.causation_id);
      }
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  // As the runner does, from the first event on, with a checkpoint that is lost at the end. A flush
  // comes after every `batch` events.
  void react(const std::vector<eventsourcing::RecordedEvent>& events, std::size_t batch) {
    eventsourcing::Reaction reaction(std::make_unique<EchoRules>(), failing, clock);
    for (std::size_t i = 0; i < events.size(); ++i) {
      reaction.apply(events[i]);
      if ((i + 1) % batch != 0 && i + 1 != events.size()) continue;
      while (true) {
        const eventsourcing::Preparation preparation = reaction.prepare_flush();
        ASSERT_NE(preparation.state, eventsourcing::Preparation::State::Failed)
            << preparation.error.message;
        if (preparation.state == eventsourcing::Preparation::State::Done) break;
      }
      failing.point();
    }
  }

  core::ManualClock clock{core::Timestamp(std::chrono::hours(24))};
  core::SeededRandom random{1};
  eventsourcing::InMemoryEventStore store{"graph", kLogs, clock, random};
  FailingStore failing{store};
};

const std::vector<eventsourcing::RecordedEvent> kHistory{
    noted(0, 1, "a", "2"), noted(1, 1, "b", "1"), noted(0, 2, "a", "refuse"),
    noted(0, 3, "a", "3")};

TEST(Reaction, DoesWhatItsRulesCallForAndNamesTheCause) {
  World world;
  world.react(kHistory, 2);
  EXPECT_THAT(
      world.caused(),
      ElementsAre("Echoed echo-a event-0-1", "Echoed echo-a event-0-1", "Echoed echo-a event-0-3",
                  "Echoed echo-a event-0-3", "Echoed echo-a event-0-3", "Echoed echo-b event-1-1",
                  "Marked mark-event-0-1 event-0-1", "Marked mark-event-0-3 event-0-3",
                  "Marked mark-event-1-1 event-1-1"));
  const auto last = world.store.read_last(core::StreamId("mark-event-1-1"));
  EXPECT_EQ((**last).metadata.correlation_id, "chain");
  EXPECT_EQ((**last).metadata.traceparent, "00-trace-01 vendor=a");
}

TEST(Reaction, ReplaysAndCrashesAtEveryPointLeaveTheSameEventsOnce) {
  World whole;
  whole.react(kHistory, 2);
  const auto expected = whole.caused();
  const int points = whole.failing.points;
  ASSERT_GT(points, 18) << "before and after every append, and at every checkpoint";
  for (int crash = 0; crash < points; ++crash) {
    World world;
    world.failing.points_to_live = crash;
    EXPECT_THROW(world.react(kHistory, 2), Crash);
    world.failing.points_to_live.reset();
    for (const std::size_t batch : {1U, 2U, 4U}) {  // pieces need not fall where they fell
      world.react(kHistory, batch);
      ASSERT_EQ(world.caused(), expected)
          << "crash at point " << crash << ", then batches of " << batch;
    }
  }
}

TEST(Reaction, WhatYieldsNoEventWhereItHasBeenDoneOutlivesItsKey) {
  World world;
  world.react({noted(0, 1, "a", "0")}, 1);
  world.clock.advance(std::chrono::hours(8 * 24));
  world.react({noted(0, 1, "a", "0")}, 1);
  EXPECT_THAT(world.caused(), ElementsAre("Marked mark-event-0-1 event-0-1"));
}

// --- under the real runner

class RunningReaction {
 public:
  RunningReaction(World& world, eventsourcing::InMemoryTopics& topics, TablesInMemory& tables)
      : reaction_(std::make_unique<EchoRules>(), world.failing, world.clock),
        runner_(reaction_, {tables, topics.source({"feed"}), {}, {}}, kLogs,
                {.backoff_min = 1ms, .backoff_max = 5ms}),
        thread_([this](std::stop_token stop) { runner_.run(stop); }) {}

  bool reaches(std::uint32_t log, std::uint64_t position) {
    eventsourcing::PositionVector wanted;
    wanted.raise("feed", core::LogIndex(log), core::LogPosition(position));
    return runner_.applied().wait_for(wanted, kDeadline);
  }
  eventsourcing::RunnerStatus status() const { return runner_.status(); }

 private:
  eventsourcing::Reaction reaction_;
  ProjectionRunner runner_;
  std::jthread thread_;
};

class ReactionUnderRunner : public ::testing::Test {
 protected:
  void publish_history() {
    for (const auto& event : kHistory) topics.publish(event);
  }
  std::vector<std::string> expected() {
    World whole;
    whole.react(kHistory, 4);
    return whole.caused();
  }

  World world;
  eventsourcing::InMemoryTopics topics{kLogs};
  TablesInMemory tables;
};

TEST_F(ReactionUnderRunner, ChecksInOnlyAfterItsCommands) {
  publish_history();
  {
    RunningReaction running(world, topics, tables);
    ASSERT_TRUE(running.reaches(0, 3) && running.reaches(1, 1));
    EXPECT_EQ(world.caused(), expected());
  }
  RunningReaction again(world, topics, tables);
  ASSERT_TRUE(again.reaches(0, 3));
  topics.publish(noted(0, 4, "a", "0"));
  ASSERT_TRUE(again.reaches(0, 4));
  EXPECT_EQ(world.caused().size(), expected().size() + 1);
}

TEST_F(ReactionUnderRunner, CheckpointsThatFailRepeatNothing) {
  publish_history();
  tables.fail_transactions(5);
  RunningReaction running(world, topics, tables);
  ASSERT_TRUE(running.reaches(0, 3) && running.reaches(1, 1));
  EXPECT_EQ(world.caused(), expected());
}

TEST_F(ReactionUnderRunner, AStoreThatIsAwayIsWaitedFor) {
  world.failing.refusal = core::unavailable("away");
  topics.publish(noted(0, 1, "a", "1"));
  std::optional<RunningReaction> running(std::in_place, world, topics, tables);
  while (world.failing.appends < 3) std::this_thread::yield();
  EXPECT_EQ(tables.tables().checkpoints.begin()->second.position, 0);
  running.reset();
  world.failing.refusal.reset();
  running.emplace(world, topics, tables);
  ASSERT_TRUE(running->reaches(0, 1));
  EXPECT_EQ(world.caused().size(), 2U);
  EXPECT_EQ(running->status().parked, 0U);
}

TEST_F(ReactionUnderRunner, AnEventThatCannotBeReactedToIsParkedAlone) {
  world.failing.refusal = core::internal_error("damaged");
  topics.publish(noted(0, 1, "a", "1"));
  topics.publish(noted(0, 2, "b", "refuse"));
  topics.publish(noted(1, 1, "c", "poison"));
  RunningReaction running(world, topics, tables);
  ASSERT_TRUE(running.reaches(0, 2) && running.reaches(1, 1));
  const auto parked = tables.tables().dead_letters;
  ASSERT_EQ(parked.size(), 2U);
  EXPECT_THAT(world.caused(), IsEmpty());
}

}  // namespace
}  // namespace tideline::projections
