// Between the domain's events and what is stored: nothing is lost, and what people write is sealed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campus.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "projects/domain/advice.hpp"
#include "projects/domain/comments.hpp"
#include "projects/domain/documents.hpp"
#include "projects/domain/project.hpp"
#include "projects/domain/removal.hpp"
#include "projects/domain/vote.hpp"
#include "projects/domain/voting.hpp"
#include "projects/stored_events.hpp"
#include "support/contract.hpp"
#include "support/golden.hpp"

namespace tideline::projects {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

const core::AccountId kAda({1});
const core::AccountId kBob({2});
const std::string kId(26, '0');
const AdviceIdentity kAdvice{kId, kAda, std::string(24, '0') + "10", kBob};

// Every event of the service, made by real commands.
void live_a_little(Campus& campus) {
  const eventsourcing::EventCodec<Project> project(campus.cipher);
  const eventsourcing::EventCodec<Comments> comments(campus.cipher);
  campus.run<Project>(keys::project(kId), project,
                      CreateProject{kId,
                                    kAda,
                                    {"Tides", "Swim", "https://t.example"},
                                    {{"a secret label"}},
                                    campus.clock.now()});
  EditProject edit;
  edit.editor = kAda;
  edit.texts = {{&Card::name, "Tide tables"}};
  edit.optional_texts = {{&Card::link, std::nullopt}};
  campus.run<Project>(keys::project(kId), project, edit);
  campus.run<Project>(keys::project(kId), project, ChangeIcon{kAda, std::string(64, 'a')});
  campus.run<Comments>(keys::comments(kId), comments,
                       AddComment{kId, kAda, 0, false, kBob, "A secret remark"});
  campus.run<Project>(keys::project(kId), project, WithdrawProject{kAda});
  campus.run<Project>(keys::project(kId), project, RestoreProject{kAda});
  campus.run<Project>(keys::project(kId), project, AbandonProject{});
  campus.run<Removal>(
      keys::removal(kId, 1), eventsourcing::EventCodec<Removal>{},
      RemoveComment{{kId, kAda, 1, 0, kBob, "A secret remark"}, campus.clock.now(), kAda});
  const auto advice = keys::advice(kId, kAdvice.advice_id);
  const eventsourcing::EventCodec<Advice> advice_codec(campus.cipher);
  campus.run<Advice>(advice, advice_codec, GiveAdvice{kAdvice, "A secret hint"});
  campus.run<Advice>(advice, advice_codec, AdoptAdvice{kAda});
  const eventsourcing::EventCodec<Documents> documents(campus.cipher);
  const StoredFile file{"application/pdf", 7, std::string(64, 'b')};
  campus.run<Documents>(keys::documents(kId), documents,
                        AddDocument{kId, kAda, kAda, kAdvice.advice_id, "A secret plan", file});
  campus.run<Documents>(keys::documents(kId), documents,
                        RemoveDocument{kId, kAda, kAda, kAdvice.advice_id});
  campus.run<Voting>(keys::voting(kId), eventsourcing::EventCodec<Voting>{},
                     OpenVoting{kId, kAda, kAda});
  const auto vote = keys::vote(kId, kBob);
  campus.run<Vote>(vote, eventsourcing::EventCodec<Vote>{},
                   CastVote{kId, kAda, kBob, Voting::State::Open});
  campus.run<Vote>(vote, eventsourcing::EventCodec<Vote>{},
                   WithdrawVote{kId, kAda, kBob, Voting::State::Open});
  campus.run<Voting>(keys::voting(kId), eventsourcing::EventCodec<Voting>{},
                     CloseVoting{kId, kAda, kAda});
}

template <class Codec, class Event>
void expect_round_trip(const Codec& codec, const Event& event) {
  const eventsourcing::NewEvent stored = codec.encode(event);
  eventsourcing::RecordedEvent recorded;
  recorded.type = stored.type;
  recorded.schema_version = stored.schema_version;
  recorded.data = stored.data;
  const auto decoded = codec.decode(recorded);
  ASSERT_TRUE(decoded.has_value()) << stored.type;
  EXPECT_TRUE(*decoded == event) << stored.type << " " << stored.data;
}

TEST(Codecs, EveryEventComesBackAsItWent) {
  Campus campus;
  const eventsourcing::EventCodec<Project> project(campus.cipher);
  const auto now = campus.clock.now();
  expect_round_trip(project, Project::Event(ProjectCreated{
                                 kId, kAda, {"N", "I", std::nullopt}, {{"a", "b"}}, now}));
  expect_round_trip(project,
                    Project::Event(ProjectEdited{kId, kAda, {"N", "", "https://x.example"}, {}}));
  expect_round_trip(project, Project::Event(ProjectIconChanged{kId, kAda, std::string(64, 'a')}));
  expect_round_trip(project, Project::Event(ProjectIconChanged{kId, kAda, std::nullopt}));
  expect_round_trip(eventsourcing::EventCodec<Comments>(campus.cipher),
                    Comments::Event(CommentAdded{kId, kAda, 3, 1, kBob, "Größe \"x\"\n"}));
  expect_round_trip(project, Project::Event(ProjectWithdrawn{kId, kAda}));
  expect_round_trip(project, Project::Event(ProjectRestored{kId, kAda}));
  expect_round_trip(project, Project::Event(ProjectAbandoned{kId, kAda}));
  expect_round_trip(eventsourcing::EventCodec<Removal>{},
                    Removal::Event(CommentRemoved{kId, kAda, 3, 1, kBob, now, kAda}));
  const eventsourcing::EventCodec<Advice> advice(campus.cipher);
  expect_round_trip(advice, Advice::Event(AdviceGiven{kAdvice, "Größer \"y\"\n"}));
  expect_round_trip(advice, Advice::Event(AdviceAdopted{kAdvice}));
  expect_round_trip(advice, Advice::Event(AdviceWithdrawn{kAdvice}));
  const eventsourcing::EventCodec<Documents> documents(campus.cipher);
  expect_round_trip(documents,
                    Documents::Event(DocumentAdded{
                        kId, kAda, kAdvice.advice_id, "计划书", {"text/plain", 9, "hash"}}));
  expect_round_trip(documents, Documents::Event(DocumentRemoved{kId, kAda, kAdvice.advice_id}));
  expect_round_trip(eventsourcing::EventCodec<Voting>{}, Voting::Event(VotingOpened{kId, kAda}));
  expect_round_trip(eventsourcing::EventCodec<Voting>{}, Voting::Event(VotingClosed{kId, kAda}));
  expect_round_trip(eventsourcing::EventCodec<Vote>{},
                    Vote::Event(VoteCast{kId, kAda, kBob, true}));
  expect_round_trip(eventsourcing::EventCodec<Vote>{}, Vote::Event(VoteWithdrawn{kId, kAda, kBob}));
}

TEST(Codecs, NothingThatSomebodyWroteIsInTheLogInClear) {
  Campus campus;
  live_a_little(campus);
  for (const auto& event : campus.events()) {
    for (const char* written : {"Tide", "Swim", "t.example", "secret"}) {
      EXPECT_EQ(event.data.find(written), std::string::npos) << event.type << " " << event.data;
    }
  }
}

TEST(Codecs, EqualLabelsAreFoundByOneKeyWhoseverTheyAre) {
  Campus campus;
  const eventsourcing::EventCodec<Project> codec(campus.cipher);
  const auto keys_of = [&](const core::AccountId& author, std::vector<std::string> labels) {
    eventsourcing::RecordedEvent event;
    const auto stored = codec.encode(ProjectEdited{kId, author, {}, {std::move(labels)}});
    event.source = "projects";
    event.type = stored.type;
    event.schema_version = stored.schema_version;
    event.data = stored.data;
    return eventsourcing::read_as<read::ProjectEdited>(event)->label_keys;
  };
  EXPECT_EQ(keys_of(kAda, {"sea", "sand"}), keys_of(kBob, {"sand", "sea"}));
  EXPECT_EQ(keys_of(kAda, {"sea"}).front(), campus.cipher.index("sea", "Project.label"));
  EXPECT_NE(keys_of(kAda, {"sea"}), keys_of(kAda, {"Sea"}));
}

TEST(Codecs, LabelsOfTheFirstVersionAreReadInClear) {
  Campus campus;
  eventsourcing::RecordedEvent event;
  event.source = "projects";
  event.type = "ProjectEdited";
  event.data =
      nlohmann::json{{"project_id", kId},
                     {"author", kAda.to_string()},
                     {"card", *campus.cipher.seal(kAda, card_to_json({"N", ""}), "Project.card")},
                     {"labels", {"sea", "sand"}}}
          .dump();
  const auto decoded = eventsourcing::EventCodec<Project>(campus.cipher).decode(event);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(std::get<ProjectEdited>(*decoded).labels, Labels({"sea", "sand"}));
  EXPECT_EQ(std::get<ProjectEdited>(*decoded).card.name, "N");
  EXPECT_EQ(eventsourcing::read_as<read::ProjectEdited>(event)->label_keys,
            (std::vector<std::string>{"sea", "sand"}));
}

TEST(Codecs, ADestroyedKeyErasesTheTextAndLeavesTheFacts) {
  Campus campus;
  live_a_little(campus);
  ASSERT_TRUE(campus.cipher.destroy(kBob).ok());
  int written = 0;
  for (const auto& event : campus.events()) {
    if (const auto comment = eventsourcing::EventCodec<Comments>(campus.cipher).decode(event)) {
      EXPECT_EQ(std::get<CommentAdded>(*comment).text, "");
      EXPECT_EQ(std::get<CommentAdded>(*comment).comment_id, 1);
      ++written;
    }
    const auto advice = eventsourcing::EventCodec<Advice>(campus.cipher).decode(event);
    if (advice && std::holds_alternative<AdviceGiven>(*advice)) {
      EXPECT_EQ(*advice, Advice::Event(AdviceGiven{kAdvice, ""}));
      ++written;
    }
  }
  EXPECT_EQ(written, 2);
}

TEST(Codecs, DataThatBreaksItsSchemaIsDamageAndNotPassedOver) {
  eventsourcing::RecordedEvent recorded;
  recorded.type = "VoteCast";
  recorded.data = R"({"project_id":"x"})";
  EXPECT_THROW(eventsourcing::EventCodec<Vote>{}.decode(recorded), eventsourcing::CodecFailed);
}

TEST(Codecs, ReadEveryEventThatWasEverStored) {
  EXPECT_THAT((test_support::unread_golden_events<EveryEvent>(TIDELINE_SOURCE_DIR, "projects")),
              IsEmpty());
}

TEST(Codecs, ReadEveryCardThatWasEverSealed) {
  const auto cards = test_support::golden_objects(TIDELINE_SOURCE_DIR, "projects", "Card");
  for (const std::string& card : cards) EXPECT_TRUE(card_from_json(card)) << card;
  EXPECT_EQ(card_to_json(card_from_json(cards.back()).value()), cards.back());
}

TEST(Contracts, WhatOthersReadOfOurEventsIsThere) {
  Campus campus;
  live_a_little(campus);
  const auto contracts = test_support::contracts_with_producer(TIDELINE_SOURCE_DIR, "projects");
  EXPECT_THAT(contracts, ::testing::Not(IsEmpty())) << "nobody reads the events of projects";
  EXPECT_THAT(test_support::broken_promises(contracts, campus.events()), IsEmpty());
}

TEST(Contracts, ARenamedFieldIsNoticedAndItsConsumersAreNamed) {
  Campus campus;
  live_a_little(campus);
  auto events = campus.events();
  for (auto& event : events) {
    const auto at = event.data.find("\"author\"");
    if (at != std::string::npos) event.data.replace(at, 8, "\"writer\"");
  }
  const auto contracts = test_support::contracts_with_producer(TIDELINE_SOURCE_DIR, "projects");
  const auto broken = test_support::broken_promises(contracts, events);
  EXPECT_THAT(broken, ::testing::Contains(::testing::HasSubstr("scoring")));
}

}  // namespace
}  // namespace tideline::projects
