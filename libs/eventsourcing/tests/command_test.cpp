// Execution of commands over the in-memory store: retries, idempotency, preconditions.
#include "eventsourcing/commands/command.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"
#include "eventsourcing/testing/forwarding_event_store.hpp"

namespace tideline::eventsourcing {
namespace {

// A counter that goes up to a limit: the smallest aggregate with a rule.
struct Counted {
  int by = 0;
  friend bool operator==(const Counted&, const Counted&) = default;
};

struct Counter {
  static constexpr std::uint32_t kEventsMax = 100;

  using Event = std::variant<Counted>;
  struct State {
    int total = 0;
  };
  struct Count {
    int by = 0;
  };
  using Command = std::variant<Count>;

  static State evolve(State state, const Event& event) {
    state.total += std::get<Counted>(event).by;
    return state;
  }
  static Decision<Event> decide(const State& state, const Command& command) {
    const int by = std::get<Count>(command).by;
    if (by == 0) return Decision<Event>::nothing();
    if (state.total + by > 100) return Rejection{RejectionKind::Conflict, "limit", "full"};
    return Decision<Event>::of(Counted{by});
  }
};

struct CounterCodec {
  NewEvent encode(const Counter::Event& event) const {
    return {"Counted", core::SchemaVersion(1), std::to_string(std::get<Counted>(event).by),
            Visibility::Public};
  }
  std::optional<Counter::Event> decode(const RecordedEvent& recorded) const {
    if (recorded.type != "Counted") return std::nullopt;
    return Counted{std::stoi(recorded.data)};
  }
};

enum class Way { Waiting, CalledBack };

// Every law of a command holds whichever way its append is waited for.
class CommandTest : public ::testing::TestWithParam<Way> {
 protected:
  core::Result<CommandOutcome> run(const CommandContext& context, const CommandBody& body) {
    if (GetParam() == Way::Waiting) return run_command(store_, context, body);
    core::Result<std::optional<CommandOutcome>> end = std::optional<CommandOutcome>();
    for (int attempt = 0; end && !*end; ++attempt) {
      attempt_command(store_, context, attempt, body, [&](auto outcome) { end = outcome; });
    }
    if (!end) return end.error();
    return std::move(**end);
  }
  core::Result<CommandOutcome> count(int by, const CommandContext& context) {
    return run(context, [&](CommandSession& session) -> CommandResult {
      ++attempts_;
      auto counter = session.load<Counter>(stream_, codec_);
      const auto decision = Counter::decide(counter.state, Counter::Count{by});
      if (decision.rejected()) return decision.rejection();
      if (before_append_) before_append_();
      session.stage(counter, decision.events(), codec_);
      return Answer{200, std::to_string(counter.state.total + by), "/counter", stream_};
    });
  }
  CommandContext context() { return {clock_.now(), {}, std::nullopt, std::nullopt}; }
  CommandContext with_key(const std::string& key, const std::string& hash = "h") {
    CommandContext with = context();
    with.idempotency = IdempotencyKey{"me", "POST /counter", key, hash};
    return with;
  }
  static CommandDone done(const core::Result<CommandOutcome>& outcome) {
    if (outcome.ok()) {
      if (const auto* value = std::get_if<CommandDone>(&*outcome)) return *value;
    }
    ADD_FAILURE() << "the command was not done";
    return {};
  }

  core::ManualClock clock_{*core::parse_iso8601("2026-01-02T03:04:05Z")};
  core::SeededRandom random_{1};
  InMemoryEventStore store_{"feed", 4, clock_, random_};
  const core::StreamId stream_{"counter-1"};
  const CounterCodec codec_{};
  std::function<void()> before_append_;
  std::atomic<int> attempts_{0};
};

TEST_P(CommandTest, AppendsAndAnswersWithVersionAndPositions) {
  EXPECT_EQ(done(count(5, context())).result.etag, "1");
  const CommandDone second = done(count(7, context()));
  EXPECT_EQ(second.result.body, "12");
  EXPECT_EQ(second.result.etag, "2");
  EXPECT_EQ(second.result.location, "/counter");
  EXPECT_FALSE(second.repeated);
  const core::LogIndex log = core::log_of(stream_.value(), 4);
  EXPECT_EQ(second.result.positions.at("feed", log).value(), 2U);
}

TEST_P(CommandTest, IsNotRefusedForWhatTheSameKeyHasDoneMeanwhile) {
  bool overtaken = false;
  const auto outcome = run(with_key("k"), [&](CommandSession& session) -> CommandResult {
    // This request has found nothing under its key; now its twin commits.
    if (!std::exchange(overtaken, true)) done(count(60, with_key("k")));
    auto counter = session.load<Counter>(stream_, codec_);
    const auto decision = Counter::decide(counter.state, Counter::Count{60});
    if (decision.rejected()) return decision.rejection();
    session.stage(counter, decision.events(), codec_);
    return Answer{200, "", "/counter", stream_};
  });
  EXPECT_TRUE(done(outcome).repeated);
  EXPECT_EQ(done(outcome).result.body, "60");
  EXPECT_EQ(store_.read_stream(stream_, core::StreamVersion(0), 9).value().size(), 1U);
}

TEST_P(CommandTest, WithoutAnEventAnswersWhereTheStreamStands) {
  done(count(5, context()));
  const CommandDone nothing = done(count(0, context()));
  EXPECT_EQ(nothing.result.etag, "1");
  EXPECT_EQ(nothing.result.positions.at("feed", core::log_of(stream_.value(), 4)).value(), 1U);
  EXPECT_EQ(store_.read_stream(stream_, core::StreamVersion(0), 9).value().size(), 1U);
}

TEST_P(CommandTest, ARejectionAppendsAndStoresNothing) {
  const auto outcome = count(101, with_key("k"));
  EXPECT_EQ(std::get<Rejection>(outcome.value()).code, "limit");
  EXPECT_FALSE(store_.read_last(stream_).value().has_value());
  EXPECT_EQ(done(count(1, with_key("k"))).result.body, "1") << "the key is still free";
}

TEST_P(CommandTest, LosingARaceDecidesAgainOnWhatIsThere) {
  bool interfered = false;
  before_append_ = [&] {
    if (std::exchange(interfered, true)) return;
    before_append_ = nullptr;
    done(count(10, context()));
  };
  EXPECT_EQ(done(count(1, context())).result.body, "11");
  EXPECT_EQ(attempts_, 3);
}

TEST_P(CommandTest, LosingEveryRaceGivesUp) {
  bool inside = false;
  before_append_ = [&] {
    if (inside) return;
    inside = true;
    done(count(1, context()));
    inside = false;
  };
  const auto outcome = count(1, context());
  EXPECT_EQ(std::get<ConflictExhausted>(outcome.value()).stream, stream_);
}

TEST_P(CommandTest, ThreadsLoseNothing) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      int counted = 0;
      while (counted < 10) {
        const auto outcome = count(1, context());
        if (std::holds_alternative<CommandDone>(outcome.value())) ++counted;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store_.read_last(stream_).value()->version.value(), 40U);
}

TEST_P(CommandTest, AKeyIsAnsweredFromItsFirstResult) {
  EXPECT_EQ(done(count(5, with_key("k"))).result.body, "5");
  const CommandDone again = done(count(5, with_key("k")));
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.result.body, "5");
  EXPECT_EQ(attempts_, 1) << "the body does not run again";
  EXPECT_TRUE(std::holds_alternative<KeyReused>(count(5, with_key("k", "other")).value()));
}

// Texts backwards, until their author's key is destroyed.
class BackwardsSealer final : public TextSealer {
 public:
  core::Result<std::string> seal(const core::AccountId& author, std::string_view text,
                                 std::string_view context) override {
    if (destroyed) return core::Error{core::ErrorCode::Conflict, "destroyed", false};
    return "1." + author.to_string() + std::string(context) +
           std::string(text.rbegin(), text.rend());
  }
  core::Result<std::optional<std::string>> open(const core::AccountId& author,
                                                std::string_view sealed,
                                                std::string_view context) override {
    if (destroyed) return std::optional<std::string>();
    const std::string begin = "1." + author.to_string() + std::string(context);
    EXPECT_TRUE(sealed.starts_with(begin)) << sealed;
    sealed.remove_prefix(begin.size());
    return std::optional(std::string(sealed.rbegin(), sealed.rend()));
  }
  std::string index(std::string_view text, std::string_view) const override {
    return std::string(text);
  }
  bool destroyed = false;
};

TEST_P(CommandTest, WhatIsStoredOfAnAnswerGoesWithTheKeyOfWhoeverAsked) {
  BackwardsSealer sealer;
  CommandContext mine = with_key("k");
  mine.answers = {&sealer, core::AccountId({1})};
  const CommandDone first = done(count(71, mine));
  EXPECT_EQ(first.result.body, "71");
  EXPECT_EQ(first.result.location, "/counter");
  const auto stored = std::get<AlreadyDone>(*store_.find_result(*mine.idempotency).value()).result;
  EXPECT_TRUE(stored.body.ends_with("17")) << stored.body;
  EXPECT_TRUE(stored.location.ends_with("retnuoc/")) << stored.location;
  const CommandDone again = done(count(71, mine));
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.result, first.result);
  sealer.destroyed = true;
  const auto late = count(71, mine);
  ASSERT_TRUE(late.ok());
  EXPECT_EQ(std::get<Rejection>(*late).code, "answer-erased");
}

TEST_P(CommandTest, WhatWasStoredBeforeAnswersWereSealedIsGivenAsItIs) {
  const auto create = [&](const CommandContext& context) {
    return run(context, [&](CommandSession& session) -> CommandResult {
      session.stage(session.load<Counter>(stream_, codec_), {Counted{1}}, codec_);
      return Answer{201, R"({"id":1})", "/counter", stream_};
    });
  };
  const CommandDone first = done(create(with_key("k")));
  BackwardsSealer sealer;
  CommandContext mine = with_key("k");
  mine.answers = {&sealer, core::AccountId({1})};
  EXPECT_EQ(done(create(mine)).result, first.result);
}

TEST_P(CommandTest, ALateRetryOfASuccessWithoutEventsIsAnsweredTheSame) {
  done(count(5, context()));
  const CommandDone first = done(count(0, with_key("k")));
  EXPECT_EQ(first.result.etag, "1");
  done(count(7, context()));
  const CommandDone late = done(count(0, with_key("k")));
  EXPECT_TRUE(late.repeated);
  EXPECT_EQ(late.result.body, "5");
  EXPECT_EQ(late.result.etag, "1");
  EXPECT_EQ(late.result.positions, first.result.positions);
  EXPECT_FALSE(first.result.positions.empty());
}

TEST_P(CommandTest, IfMatchComparesWithTheAnsweredStream) {
  done(count(5, context()));
  CommandContext matching = context();
  matching.if_match = core::StreamVersion(0);
  EXPECT_EQ(std::get<PreconditionFailed>(count(1, matching).value()).actual.value(), 1U);
  matching.if_match = core::StreamVersion(1);
  EXPECT_EQ(done(count(1, matching)).result.etag, "2");
}

TEST_P(CommandTest, IfMatchFitsNoAnswerThatIsAboutNoStream) {
  CommandContext conditional = context();
  conditional.if_match = core::StreamVersion(1);
  const auto outcome = run(conditional, [&](CommandSession& session) {
    auto written = session.load<Counter>(stream_, codec_);
    session.stage(written, {Counted{1}}, codec_);
    return CommandResult(Answer{204, "", "", {}});
  });
  EXPECT_TRUE(std::holds_alternative<PreconditionFailed>(outcome.value()));
  EXPECT_TRUE(store_.read_stream(stream_, {}, 10).value().empty());
}

TEST_P(CommandTest, IfMatchHoldsUntilTheCommitAlsoForAStreamThatIsNotWritten) {
  done(count(5, context()));
  const core::StreamId other("counter-2");
  CommandContext conditional = context();
  conditional.if_match = core::StreamVersion(1);
  int runs = 0;
  const auto outcome = run(conditional, [&](CommandSession& session) -> CommandResult {
    session.load<Counter>(stream_, codec_);
    auto written = session.load<Counter>(other, codec_);
    if (++runs == 1) done(count(3, context()));
    session.stage(written, {Counted{1}}, codec_);
    return Answer{200, "", "", stream_};
  });
  EXPECT_EQ(std::get<PreconditionFailed>(outcome.value()).actual.value(), 2U);
  EXPECT_TRUE(store_.read_stream(other, {}, 10).value().empty());
}

TEST_P(CommandTest, AStreamThatIsAnothersAfterAllIsNotBegun) {
  done(count(5, context()));
  int drawn = 0;
  const auto outcome = run(context(), [&](CommandSession& session) -> CommandResult {
    const core::StreamId stream(drawn++ == 0 ? "counter-1" : "counter-2");
    const auto counter = begin<Counter>(session, stream, codec_, Counter::Count{7});
    return Answer{201, std::to_string(counter.state.total), "", stream};
  });
  EXPECT_EQ(done(outcome).result.body, "7");
  EXPECT_EQ(done(outcome).result.etag, "1");
  EXPECT_EQ(drawn, 2);
  EXPECT_EQ(store_.read_stream(stream_, core::StreamVersion(0), 9).value().size(), 1U);
}

TEST_P(CommandTest, IfMatchFitsNoStreamThatIsBegun) {
  CommandContext with = context();
  with.if_match = core::StreamVersion(1);
  const auto outcome = run(with, [&](CommandSession& session) -> CommandResult {
    begin<Counter>(session, stream_, codec_, Counter::Count{7});
    return Answer{201, "", "", stream_};
  });
  ASSERT_TRUE(outcome.ok());
  EXPECT_TRUE(std::holds_alternative<PreconditionFailed>(*outcome));
}

TEST_P(CommandTest, AnEventThatTheCodecDoesNotKnowIsForANewerProgram) {
  Append foreign;
  foreign.streams = {{stream_, core::StreamVersion(0), {{"Unknown", {}, "{}", {}}}}};
  ASSERT_TRUE(store_.append(foreign).ok());
  const auto outcome = count(1, context());
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, core::ErrorCode::Unavailable);
}

TEST_P(CommandTest, AssertedStreamsMustNotHaveMoved) {
  const core::StreamId other("counter-2");
  int runs = 0;
  const auto outcome = run(context(), [&](CommandSession& session) -> CommandResult {
    auto read = session.load<Counter>(stream_, codec_);
    auto written = session.load_last<Counter>(other, codec_);
    if (++runs == 1) done(count(3, context()));
    session.assert_unchanged(read);
    session.stage(written, {Counted{read.state.total}}, codec_);
    return Answer{200, std::to_string(read.state.total), "", other};
  });
  EXPECT_EQ(done(outcome).result.body, "3") << "decided again on what it reads";
  EXPECT_EQ(runs, 2);
}

INSTANTIATE_TEST_SUITE_P(Ways, CommandTest, ::testing::Values(Way::Waiting, Way::CalledBack),
                         [](const auto& way) {
                           return way.param == Way::Waiting ? "Waiting" : "CalledBack";
                         });

}  // namespace
}  // namespace tideline::eventsourcing
