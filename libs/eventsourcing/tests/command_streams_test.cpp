// Commands over long streams, and over streams that have lost the data of some events.
#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"
#include "eventsourcing/testing/forwarding_event_store.hpp"

namespace tideline::eventsourcing {
namespace {

// Switched to and fro for ever: only its latest events count.
struct SwitchedOn {};
struct SwitchedOff {};
struct Switch {
  static constexpr auto kCompaction = latest_of_each_type();

  using Event = std::variant<SwitchedOn, SwitchedOff>;
  struct State {
    bool on = false;
    bool on_before = false;
  };
  struct Flip {};
  using Command = std::variant<Flip>;

  static State evolve(State state, const Event& event) {
    state.on = std::holds_alternative<SwitchedOn>(event);
    state.on_before |= state.on;
    return state;
  }
  static Decision<Event> decide(const State& state, const Command&) {
    return state.on ? Decision<Event>::of(SwitchedOff{}) : Decision<Event>::of(SwitchedOn{});
  }
};
struct SwitchCodec {
  NewEvent encode(const Switch::Event& event) const {
    return {event.index() == 0 ? "SwitchedOn" : "SwitchedOff", core::SchemaVersion(1), "{}",
            Visibility::Public};
  }
  std::optional<Switch::Event> decode(const RecordedEvent& recorded) const {
    if (recorded.type == "SwitchedOn") return SwitchedOn{};
    if (recorded.type == "SwitchedOff") return SwitchedOff{};
    return std::nullopt;
  }
};

// Some events of the stream were lost with the database: their data is gone.
class StoreWithStubs final : public ForwardingEventStore {
 public:
  StoreWithStubs(EventStore& store, std::set<std::uint64_t> lost)
      : ForwardingEventStore(store), lost_(std::move(lost)) {}
  core::Result<std::vector<RecordedEvent>> read_stream(const core::StreamId& stream,
                                                       core::StreamVersion after,
                                                       std::size_t limit) override {
    return without_data(ForwardingEventStore::read_stream(stream, after, limit));
  }
  core::Result<std::vector<RecordedEvent>> read_compacted(const core::StreamId& stream,
                                                          std::uint32_t revision,
                                                          std::size_t limit) override {
    return without_data(ForwardingEventStore::read_compacted(stream, revision, limit));
  }
  core::Result<std::optional<RecordedEvent>> read_last(const core::StreamId& stream) override {
    auto last = ForwardingEventStore::read_last(stream);
    if (*last) blank(**last);
    return last;
  }

 private:
  void blank(RecordedEvent& event) const {
    if (!lost_.contains(event.version.value())) return;
    event.visibility = Visibility::Private;
    event.data.clear();
  }
  core::Result<std::vector<RecordedEvent>> without_data(
      core::Result<std::vector<RecordedEvent>> got) const {
    for (RecordedEvent& event : *got) blank(event);
    return got;
  }

  const std::set<std::uint64_t> lost_;
};

// As Switch, and wants to know of what was lost.
struct WatchedSwitch : Switch {
  struct State : Switch::State {
    int lost = 0;
  };
  static State evolve(State state, const Event& event) {
    static_cast<Switch::State&>(state) = Switch::evolve(state, event);
    return state;
  }
  static void lost(State& state, std::string_view) { ++state.lost; }
  static Decision<Event> decide(const State& state, const Command& command) {
    return Switch::decide(state, command);
  }
};

class CommandsOverStubs : public ::testing::Test {
 protected:
  CommandsOverStubs() {
    // On, off, on, off, on, off, of which the last two are lost.
    for (int i = 0; i < 6; ++i) in(events_, [&](CommandSession& session) { flip(session); });
  }
  template <class Body>
  void in(EventStore& store, const Body& body) {
    const CommandContext context{clock_.now(), {}, std::nullopt, std::nullopt};
    const auto outcome = run_command(store, context, [&](CommandSession& session) {
      body(session);
      return Answer{204, "", "", {}};
    });
    ASSERT_TRUE(outcome.ok());
    EXPECT_TRUE(std::holds_alternative<CommandDone>(*outcome));
  }
  bool flip(CommandSession& session) {
    return change<Switch>(session, stream_, SwitchCodec{}, Switch::Flip{}).state.on;
  }

  core::ManualClock clock_{*core::parse_iso8601("2026-01-02T03:04:05Z")};
  core::SeededRandom random_{1};
  InMemoryEventStore events_{"feed", 4, clock_, random_};
  StoreWithStubs store_{events_, {5, 6}};
  const core::StreamId stream_{"switch-1"};
};

TEST_F(CommandsOverStubs, AStubChangesNothingButTheVersion) {
  in(store_, [&](CommandSession& session) {
    const auto loaded = session.load<Switch>(stream_, SwitchCodec{});
    EXPECT_EQ(loaded.version, core::StreamVersion(6));
    EXPECT_FALSE(loaded.state.on);
    EXPECT_TRUE(loaded.state.on_before) << "it supersedes nothing";
  });
  in(store_, [&](CommandSession& session) { EXPECT_TRUE(flip(session)); });
  in(store_, [&](CommandSession& session) { EXPECT_FALSE(flip(session)); });
}

TEST_F(CommandsOverStubs, TheLastStateIsTheLastThatIsKnown) {
  in(store_, [&](CommandSession& session) {
    const auto loaded = session.load_last<Switch>(stream_, SwitchCodec{});
    EXPECT_EQ(loaded.version, core::StreamVersion(6));
    EXPECT_FALSE(loaded.state.on);
    change<Switch>(session, loaded, SwitchCodec{}, Switch::Flip{});
  });
  EXPECT_EQ(store_.read_last(stream_).value()->version, core::StreamVersion(7));
}

TEST_F(CommandsOverStubs, ADeciderIsToldOfThem) {
  in(store_, [&](CommandSession& session) {
    EXPECT_EQ(session.load<WatchedSwitch>(stream_, SwitchCodec{}).state.lost, 2);
    EXPECT_EQ(session.load_last<WatchedSwitch>(stream_, SwitchCodec{}).state.lost, 2);
  });
}

// Counts what is read of the store.
class CountingStore final : public ForwardingEventStore {
 public:
  using ForwardingEventStore::ForwardingEventStore;
  core::Result<std::vector<RecordedEvent>> read_stream(const core::StreamId& stream,
                                                       core::StreamVersion after,
                                                       std::size_t limit) override {
    return counted(ForwardingEventStore::read_stream(stream, after, limit));
  }
  core::Result<std::vector<RecordedEvent>> read_compacted(const core::StreamId& stream,
                                                          std::uint32_t revision,
                                                          std::size_t limit) override {
    return counted(ForwardingEventStore::read_compacted(stream, revision, limit));
  }
  std::size_t read = 0;

 private:
  core::Result<std::vector<RecordedEvent>> counted(core::Result<std::vector<RecordedEvent>> got) {
    read += got->size();
    return got;
  }
};

TEST(CommandCompaction, ALongStreamCostsAsMuchAsAShortOne) {
  core::ManualClock clock{*core::parse_iso8601("2026-01-02T03:04:05Z")};
  core::SeededRandom random{1};
  InMemoryEventStore events("feed", 4, clock, random);
  CountingStore store(events);
  const core::StreamId stream("switch-1");
  // What older programs have written is longer than one page of reading.
  Append old;
  old.time = clock.now();
  old.streams.push_back({stream, {}, {}});
  for (int i = 0; i < 5000; ++i) {
    old.streams[0].events.push_back(
        SwitchCodec{}.encode(i % 2 == 0 ? Switch::Event(SwitchedOn{}) : SwitchedOff{}));
  }
  ASSERT_TRUE(store.append(old));
  for (std::uint64_t i = 0; i < 500; ++i) {
    store.read = 0;
    const auto outcome = run_command(
        store, {clock.now(), {}, std::nullopt, std::nullopt}, [&](CommandSession& session) {
          const auto changed = change<Switch>(session, stream, SwitchCodec{}, Switch::Flip{});
          EXPECT_EQ(changed.state.on, i % 2 == 0);
          EXPECT_TRUE(changed.state.on_before);
          return Answer{204, "", "", stream};
        });
    ASSERT_EQ(std::get<CommandDone>(*outcome).result.etag, std::to_string(5001 + i));
    if (i == 0) continue;  // which has read it all
    EXPECT_LE(store.read, 20U) << "at the switch " << i;
  }
}

}  // namespace
}  // namespace tideline::eventsourcing
