// What scoring relies on of others, and what it promises to them.

#include "support/contract.hpp"
#include "support/golden.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "core/time_ordered_id.hpp"
#include "crypto/subject_cipher.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"
#include "scoring/domain/adjustment.hpp"
#include "scoring/domain/rating.hpp"
#include "scoring/domain/rule_changes.hpp"
#include "scoring/projections/awards.hpp"
#include "scoring/projections/events_by_hand.hpp"
#include "scoring/projections/score_publisher.hpp"
#include "scoring/stream_keys.hpp"
#include "scoring/tests/engine_for_tests.hpp"
#include "scoring/tests/histories.hpp"
#include "scoring/tests/published_scores.hpp"
#include "scoring/tests/tables_for_tests.hpp"

namespace tideline::scoring {
namespace {

using ::testing::IsEmpty;
namespace es = eventsourcing;

TEST(ContractTest, ReadsEveryEventThatWasEverStored) {
  EXPECT_THAT((test_support::unread_golden_events<EveryEvent, Rating, RuleChanges>(
                  TIDELINE_SOURCE_DIR, "scoring")),
              IsEmpty());
}

TEST(ContractTest, ReadsWhatItReliesOn) {
  std::set<std::string> types;
  for (const char* producer : {"accounts", "projects", "social-graph"}) {
    const auto contract = test_support::read_contract(TIDELINE_SOURCE_DIR, "scoring", producer);
    EXPECT_THAT(test_support::broken_examples(contract), IsEmpty());
    for (const auto& event : contract.events) {
      EXPECT_TRUE(read_fact(event.recorded(producer)).has_value()) << event.type;
      types.insert(event.type);
    }
  }
  // All that read_fact() knows of others.
  EXPECT_THAT(types, ::testing::UnorderedElementsAre("AccountRegistered", "AccountClosed",
                                                     "SignedIn", "ProfileViewed", "ContactAccepted",
                                                     "Followed", "ProjectCreated", "ProjectEdited",
                                                     "CommentAdded", "AdviceAdopted", "VoteCast",
                                                     "ProjectWithdrawn", "ProjectRestored"));
}

TEST(ContractTest, NamesEveryFieldThatItReads) {
  for (const char* producer : {"accounts", "projects", "social-graph"}) {
    for (const auto& event :
         test_support::read_contract(TIDELINE_SOURCE_DIR, "scoring", producer).events) {
      for (const auto& [field, kind] : event.kinds) {
        auto without = event.recorded(producer);
        auto data = event.example;
        data.erase(field);
        without.data = data.dump();
        EXPECT_THROW(static_cast<void>(read_fact(without)), es::PoisonEvent)
            << event.type << " is read without " << field;
      }
      auto bare = event.recorded(producer);
      nlohmann::json promised = nlohmann::json::object();
      for (const auto& [field, kind] : event.kinds) promised[field] = event.example.at(field);
      bare.data = promised.dump();
      EXPECT_TRUE(read_fact(bare).has_value()) << event.type << " needs more than its contract";
    }
  }
}

// Of somebody on the board, of one who is not, and of one who has closed his account.
std::vector<es::RecordedEvent> published_states(const core::Clock& clock) {
  const core::UtcCalendar campus;
  RulesInMemory rules(clock);
  ScoreEngine engine(rules.kept, campus, clock, {});
  es::AppliedPositions committed;
  PublishedScores topic;
  ScorePublisher publisher({.scores = engine,
                            .committed = committed,
                            .caught_up = [] { return true; },
                            .topic = topic,
                            .campus = campus,
                            .clock = clock},
                           {});
  EventMaker make;
  for (const auto& event : {make.registered(1, clock.now()), make.published(1, clock.now()),
                            make.published(2, clock.now()), make.registered(3, clock.now()),
                            make.closed(3, clock.now())}) {
    engine.apply(event);
    publisher.apply(event);
  }
  TablesForTests tables;
  flush(engine, tables);
  publisher.flush(tables);
  std::vector<es::RecordedEvent> states;
  for (std::uint8_t who = 1; who <= 3; ++who) {
    es::RecordedEvent state;
    state.type = "Score";
    state.schema_version = core::SchemaVersion(1);
    state.data = topic.of(account_with(who)).dump();
    states.push_back(std::move(state));
  }
  return states;
}

TEST(ContractTest, KeepsWhatItPromises) {
  core::ManualClock clock(at("2026-01-02T03:04:05.678901Z"));
  core::SeededRandom random(1);
  crypto::InMemorySubjectKeys subject_keys;
  crypto::SubjectCipher cipher(subject_keys, clock);
  es::InMemoryEventStore store("scoring", 4, clock, random);
  const auto stream = keys::adjustment(core::make_time_ordered_id(clock.now(), random));
  es::CommandContext context;
  context.now = clock.now();
  const auto outcome =
      es::run_command(store, context, [&](es::CommandSession& session) -> es::CommandResult {
        es::change<Adjustment>(session, stream, eventsourcing::EventCodec<Adjustment>(cipher),
                               AdjustPoints{account_with(1), 7, "prize", account_with(2)});
        return es::Answer{201, "", "", stream};
      });
  ASSERT_TRUE(outcome.ok());
  const auto rating = keys::person_rating(account_with(1), account_with(2));
  const auto rated =
      es::run_command(store, context, [&](es::CommandSession& session) -> es::CommandResult {
        const RatingSubject subject{RatingKind::Person, account_with(2).to_string()};
        es::change_last<Rating>(session, rating, eventsourcing::EventCodec<Rating>{},
                                RateSubject{account_with(1), subject, account_with(2), 4});
        return es::Answer{200, "", "", rating};
      });
  ASSERT_TRUE(rated.ok());
  RulesInMemory rules(clock);
  rules.change(core::UtcCalendar(), {{Reason::SignIn, 1, 2, 3}, {Reason::Comment, -1}});
  ASSERT_TRUE(rules.kept.settle({{core::utc_day(clock.now()), 1}}).ok());
  auto events = rules.events();
  for (const auto& written : {stream, rating}) {
    for (auto& event : store.read_stream(written, core::StreamVersion(0), 10).value()) {
      events.push_back(event);
    }
  }
  ASSERT_EQ(events.size(), 4U);
  for (auto& state : published_states(clock)) events.push_back(std::move(state));
  EXPECT_THAT(test_support::broken_promises(
                  test_support::contracts_with_producer(TIDELINE_SOURCE_DIR, "scoring"), events),
              IsEmpty());
}

}  // namespace
}  // namespace tideline::scoring
