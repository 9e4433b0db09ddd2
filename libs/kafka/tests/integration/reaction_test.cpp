// A reaction in a process of its own, over a real PostgreSQL and Kafka, killed with -9 between an
// append and the checkpoint: what it caused is there once.
#include "eventsourcing/projections/reaction.hpp"

#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <set>

#include "eventsourcing/testing/forwarding_event_store.hpp"
#include "projections/runner/projection_runner.hpp"
#include "published_service.hpp"

extern char** environ;

namespace tideline::kafka {
namespace {

using namespace testing;
namespace es = eventsourcing;

// One "Echoed" for each event, all on one stream: nothing but the keys keeps them from being
// repeated. Eight of them go into one checkpoint or fewer.
class EchoRules final : public es::ReactionRules {
 public:
  explicit EchoRules(std::string source) : source_(std::move(source)) {}

  std::string_view name() const override { return "echo"; }
  std::vector<std::string> sources() const override { return {source_}; }
  bool concerns(const es::RecordedEvent& event) const override { return event.type == "Counted"; }
  std::unique_ptr<es::ProcessManager> process_manager(
      std::span<const es::RecordedEvent> causes) override {
    return std::make_unique<Echoes>(causes);
  }

 private:
  class Echoes final : public es::ProcessManager {
   public:
    explicit Echoes(std::span<const es::RecordedEvent> causes) : causes_(causes) {}
    core::Result<Piece> next(std::size_t limit) override {
      Piece piece;
      for (std::size_t i = 0; i < limit && !causes_.empty(); ++i, causes_ = causes_.subspan(1)) {
        piece.commands.push_back({&causes_.front(), "echo", echo});
      }
      piece.more = !causes_.empty();
      return piece;
    }

   private:
    static es::CommandResult echo(es::CommandSession& session) {
      const core::StreamId stream("echo");
      const auto last = session.store().read_last(stream);
      if (!last) return last.error();
      const core::StreamVersion version = *last ? (**last).version : core::StreamVersion(0);
      session.stage_encoded(stream, version, {{.type = "Echoed", .data = "{}"}});
      return es::Answer{};
    }

    std::span<const es::RecordedEvent> causes_;
  };

  const std::string source_;
};

// Dies behind its n-th append, which has committed.
class DyingStore final : public es::ForwardingEventStore {
 public:
  DyingStore(es::EventStore& store, int appends_to_live)
      : ForwardingEventStore(store), appends_to_live_(appends_to_live) {}

  core::Result<es::AppendOutcome> do_append(es::Append append) override {
    auto outcome = ForwardingEventStore::do_append(std::move(append));
    if (--appends_to_live_ == 0) std::raise(SIGKILL);
    return outcome;
  }

 private:
  int appends_to_live_;
};

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Not a test: what the child process below does. It ends by itself when all has been reacted to.
TEST(ReactionChild, DISABLED_Reacts) {
  postgres::PooledDatabase database(postgres::testing::options_for(setting("REACTION_DATABASE")));
  core::SystemClock clock;
  core::SystemRandom random;
  postgres::PostgresEventStore store(database, clock, random, {.service = "echo", .logs = kLogs});
  DyingStore dying(store, std::atoi(setting("REACTION_APPENDS_TO_LIVE").c_str()));
  const std::string source = setting("REACTION_SOURCE");
  es::Reaction reaction(std::make_unique<EchoRules>(source), dying, clock);
  projections::ProjectionRunner runner(
      reaction,
      {database,
       std::make_unique<KafkaRecordSource>(ConsumerOptions{.brokers = setting("REACTION_BROKERS"),
                                                           .services = {source},
                                                           .logs = kLogs,
                                                           .batch_records = 8}),
       {},
       {}},
      kLogs);
  std::jthread thread([&](std::stop_token stop) { runner.run(stop); });
  const auto wanted = es::PositionVector::from_token(setting("REACTION_UNTIL"));
  ASSERT_TRUE(wanted.has_value());
  ASSERT_TRUE(runner.applied().wait_for(*wanted, kDeadline)) << runner.status().last_problem;
}

// Returns the child's wait status.
int run_child(const std::vector<std::string>& settings) {
  std::vector<std::string> words = settings;
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  for (std::string& word : words) environment.push_back(word.data());
  environment.push_back(nullptr);
  std::string program = "/proc/self/exe";
  std::string filter = "--gtest_filter=ReactionChild.DISABLED_Reacts";
  std::string also = "--gtest_also_run_disabled_tests";
  std::array<char*, 4> arguments{program.data(), filter.data(), also.data(), nullptr};
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), environment.data());
  EXPECT_EQ(failed, 0);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST(ReactionIntegration, KilledBetweenAppendAndCheckpointCausesEverythingOnce) {
  PublishedService source;
  PublishedService target;  // its database alone
  RunningRelay relay(source);
  constexpr std::size_t kEvents = 60;
  source.append(kEvents);
  ASSERT_TRUE(relay.has_published(source.positions, source.name));

  const auto settings = [&](int appends_to_live) {
    return std::vector<std::string>{
        "REACTION_DATABASE=" + target.options.conninfo,
        "REACTION_BROKERS=" + PublishedService::brokers(),
        "REACTION_SOURCE=" + source.name,
        "REACTION_UNTIL=" + source.positions.to_token(),
        "REACTION_APPENDS_TO_LIVE=" + std::to_string(appends_to_live),
    };
  };
  for (const int appends_to_live : {1, 2, 7, 20}) {
    const int status = run_child(settings(appends_to_live));
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "status " << status;
  }
  const int status = run_child(settings(0));
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;

  const auto echoes = target.store.read_stream(core::StreamId("echo"), {}, 1000);
  ASSERT_TRUE(echoes.ok());
  std::set<std::string> causes;
  for (const auto& echo : *echoes) causes.insert(echo.metadata.causation_id);
  EXPECT_EQ(echoes->size(), kEvents);
  EXPECT_EQ(causes.size(), kEvents) << "each event caused its own";
}

}  // namespace
}  // namespace tideline::kafka
