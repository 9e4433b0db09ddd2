// The tables of projects on a real PostgreSQL: whatever the interleaving of the logs and however
// the batches are cut, what is read comes out the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "../campus.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "postgres/connections/database.hpp"
#include "projects/domain/advice.hpp"
#include "projects/domain/comments.hpp"
#include "projects/domain/documents.hpp"
#include "projects/domain/project.hpp"
#include "projects/domain/vote.hpp"
#include "projects/domain/voting.hpp"
#include "projects/projections/project_queries.hpp"
#include "projects/projections/projects_projection.hpp"
#include "projects/stored_events.hpp"
#include "projects_app.hpp"

namespace tideline::projects {
namespace {

using eventsourcing::RecordedEvent;
using sql::Transaction;

core::AccountId person(int number) { return core::AccountId({static_cast<std::uint8_t>(number)}); }

class ReadModel : public ::testing::Test {
 protected:
  ReadModel() : database_(fresh_projects_database(Campus::kLogs)) {}

  // Applies the events in order, cut into batches by `batch`.
  void project(const std::vector<RecordedEvent>& events, std::size_t batch) {
    ProjectsProjection projection;
    for (std::size_t i = 0; i < events.size(); ++i) {
      projection.apply(events[i]);
      if ((i + 1) % batch != 0 && i + 1 != events.size()) continue;
      const auto flushed =
          database_.transact([&](Transaction& transaction) { projection.flush(transaction); });
      ASSERT_TRUE(flushed.ok()) << flushed.error().message;
      projection.flushed();
    }
  }

  // All that the queries answer, as one text.
  std::string everything(const Campus& campus, const std::vector<std::string>& ids) {
    const auto text = database_.read([&](Transaction& transaction) {
      std::string all;
      for (const ProjectRow& row : find_projects(transaction, ids)) {
        all += row.id + " " + row.author.to_string() + " " + row.sealed_card + " " +
               std::to_string(row.version.value()) + " " + std::to_string(row.comments) + " " +
               row.voting + " " + std::to_string(row.tally) + " " + std::to_string(row.advice) +
               "/" + std::to_string(row.advice_adopted) + " " + row.icon.value_or("no icon") + " " +
               row.sealed_labels + "\n";
        for (const auto& comment : list_comments(transaction, row.id, {}, {}, {}, 1000).items) {
          all += "  " + std::to_string(comment.id) + "<" + std::to_string(comment.parent_id) + "\n";
        }
        for (const auto& document : list_documents(transaction, row.id)) {
          all += "  document " + document.id + " " + document.file.hash + "\n";
        }
        for (const auto& advice : list_advice(transaction, row.id, {}, {}, {}, 1000).items) {
          all += "  advice " + advice.id + " " + advice.adviser.to_string() +
                 (advice.adopted_at ? " " + core::format_iso8601(*advice.adopted_at) : "") + "\n";
        }
      }
      for (const auto& place : list_board(transaction, {}, {}, {}, 1000).items) {
        all += "board " + place.project + " " + std::to_string(place.tally) + "\n";
      }
      const LabelKeys sea{"sea", campus.cipher.index("sea", "Project.label")};
      for (const auto& row : list_by_label(transaction, sea, {}, {}).items) all += "sea " + row.id;
      return all;
    });
    CHECK(text.ok(), "the queries run");
    return *text;
  }

  postgres::PooledDatabase database_;
};

// A piece of advice for each way that it may go, `each` of them.
void advise(Campus& campus, const std::string& project, const core::AccountId& author, int each) {
  const eventsourcing::EventCodec<Advice> codec(campus.cipher);
  for (int i = 0; i < 3 * each; ++i) {
    campus.clock.advance(std::chrono::milliseconds(1));
    const AdviceIdentity advice{
        project, author, core::make_time_ordered_id(campus.clock.now(), campus.random), person(8)};
    const auto stream = keys::advice(project, advice.advice_id);
    campus.run<Advice>(stream, codec, GiveAdvice{advice, "text"});
    campus.clock.advance(std::chrono::milliseconds(1));
    if (i % 3 == 1) campus.run<Advice>(stream, codec, AdoptAdvice{author});
    if (i % 3 == 2) campus.run<Advice>(stream, codec, WithdrawAdvice{person(8)});
  }
}

// Projects with edits, comments, advice and votes, as commands make them.
std::vector<std::string> live(Campus& campus) {
  std::vector<std::string> ids;
  const eventsourcing::EventCodec<Project> project(campus.cipher);
  for (int i = 0; i < 6; ++i) {
    campus.clock.advance(std::chrono::seconds(1));
    const auto id = core::make_time_ordered_id(campus.clock.now(), campus.random);
    ids.push_back(id);
    const auto author = person(i % 3 + 1);
    campus.run<Project>(keys::project(id), project,
                        CreateProject{id, author, {"P", "", {}}, {{"sea"}}, campus.clock.now()});
    if (i % 2 == 0) {
      EditProject edit;
      edit.editor = author;
      edit.labels = Labels{{i == 0 ? "sea" : "land", "new"}};
      campus.run<Project>(keys::project(id), project, edit);
    }
    if (i % 3 > 0) {
      campus.run<Project>(keys::project(id), project,
                          ChangeIcon{author, std::string(64, static_cast<char>('0' + i))});
    }
    if (i % 3 > 1) {
      campus.run<Project>(keys::project(id), project, ChangeIcon{author, std::nullopt});
    }
    for (int c = 0; c < i; ++c) {
      campus.run<Comments>(keys::comments(id), eventsourcing::EventCodec<Comments>(campus.cipher),
                           AddComment{id, author, c, person(7), "text"});
    }
    advise(campus, id, author, i);
    for (int d = 0; d < i; ++d) {
      const auto document = core::make_time_ordered_id(campus.clock.now(), campus.random);
      campus.run<Documents>(
          keys::documents(id), eventsourcing::EventCodec<Documents>(campus.cipher),
          AddDocument{
              id, author, author, document, "title", {"text/plain", d, std::string(64, 'a')}});
      if (d % 2 == 1) {
        campus.run<Documents>(keys::documents(id),
                              eventsourcing::EventCodec<Documents>(campus.cipher),
                              RemoveDocument{id, author, author, document});
      }
    }
    campus.run<Voting>(keys::voting(id), eventsourcing::EventCodec<Voting>{},
                       OpenVoting{id, author, author});
    for (int voter = 1; voter <= i + 1; ++voter) {
      const auto stream = keys::vote(id, person(voter));
      campus.run<Vote>(stream, eventsourcing::EventCodec<Vote>{},
                       CastVote{id, author, person(voter), Voting::State::Open});
      if (voter % 3 == 0) {
        campus.run<Vote>(stream, eventsourcing::EventCodec<Vote>{},
                         WithdrawVote{id, author, person(voter), Voting::State::Open});
      }
    }
    if (i == 5) {
      campus.run<Voting>(keys::voting(id), eventsourcing::EventCodec<Voting>{},
                         CloseVoting{id, author, author});
    }
  }
  return ids;
}

// Keeps the order within each log and mixes the logs.
std::vector<RecordedEvent> interleave(std::vector<RecordedEvent> events, std::uint64_t seed) {
  std::vector<std::vector<RecordedEvent>> logs(Campus::kLogs);
  for (auto& event : events) logs[event.log.value()].push_back(std::move(event));
  std::mt19937_64 random(seed);
  std::vector<std::size_t> next(logs.size(), 0);
  std::vector<RecordedEvent> mixed;
  while (mixed.size() < events.size()) {
    const std::size_t log = random() % logs.size();
    if (next[log] < logs[log].size()) mixed.push_back(logs[log][next[log]++]);
  }
  return mixed;
}

TEST_F(ReadModel, EveryInterleavingEndsInTheSameAnswers) {
  Campus campus;
  const auto ids = live(campus);
  const auto events = campus.events();
  project(events, events.size());
  const std::string expected = everything(campus, ids);
  EXPECT_NE(expected.find("board"), std::string::npos);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto cleared = database_.transact([](Transaction& transaction) {
      transaction.execute(
          "TRUNCATE project, project_by_author, project_by_label, comment, advice, advice_count,"
          " document, voting, vote");
    });
    ASSERT_TRUE(cleared.ok());
    project(interleave(events, seed), seed * 3);
    EXPECT_EQ(everything(campus, ids), expected);
  }
}

TEST_F(ReadModel, TheBoardIsOrderedByTallyAndPagesBothWays) {
  Campus campus;
  live(campus);
  project(campus.events(), 1000);
  const auto walked = database_.read([](Transaction& transaction) {
    const auto all = list_board(transaction, {}, {}, {}, 100).items;
    EXPECT_EQ(all.size(), 5U) << "the closed one is off the board";
    for (std::size_t i = 1; i < all.size(); ++i) EXPECT_GE(all[i - 1].tally, all[i].tally);
    const auto second = list_board(transaction, {}, {}, all[1], 2).items;
    EXPECT_EQ(second[0].project, all[2].project);
    const auto back = list_board(transaction, {}, all[2], {}, 2).items;
    EXPECT_EQ(back[0].project, all[0].project);
    return true;
  });
  EXPECT_TRUE(walked.ok());
}

TEST_F(ReadModel, AdviceIsCountedAndPagesBothWays) {
  Campus campus;
  const auto ids = live(campus);
  project(campus.events(), 7);
  const auto walked = database_.read([&](Transaction& transaction) {
    const auto found = find_project(transaction, ids[2]);
    EXPECT_EQ(found->advice, 4) << "two of six were withdrawn";
    EXPECT_EQ(found->advice_adopted, 2);
    const auto all = list_advice(transaction, ids[2], {}, {}, {}, 100).items;
    EXPECT_EQ(all.size(), 4U);
    for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LT(all[i - 1].given_at, all[i].given_at);
    const auto adopted = [](const AdviceRow& row) { return row.adopted_at.has_value(); };
    EXPECT_EQ(std::count_if(all.begin(), all.end(), adopted), 2);
    const auto middle = list_advice(transaction, ids[2], {}, {}, all[0].id, 2);
    EXPECT_EQ(middle.items.front().id, all[1].id);
    EXPECT_TRUE(middle.more_before && middle.more_after);
    const auto first = list_advice(transaction, ids[2], {}, all[2].id, {}, 2);
    EXPECT_EQ(first.items.front().id, all[0].id);
    EXPECT_FALSE(first.more_before);
    return true;
  });
  EXPECT_TRUE(walked.ok());
}

TEST_F(ReadModel, WhatBelongsToAProjectLiesInOnePartition) {
  const auto plans = database_.read([](Transaction& transaction) {
    std::vector<std::string> texts;
    for (const char* sql :
         {"SELECT * FROM project WHERE id = 'a'", "SELECT * FROM comment WHERE project_id = 'a'",
          "SELECT * FROM advice WHERE project_id = 'a' AND id > 'b' ORDER BY id LIMIT 21",
          "SELECT * FROM advice_count WHERE project_id = 'a'",
          "SELECT * FROM document WHERE project_id = 'a' AND id = 'b'",
          "SELECT * FROM voting WHERE project_id = 'a'",
          "SELECT * FROM vote WHERE project_id = 'a'",
          "SELECT * FROM project_by_label WHERE label_key = 'a'",
          "SELECT * FROM project_by_author WHERE author = "
          "'00000000-0000-0000-0000-000000000000'"}) {
      std::string plan;
      for (const auto& row : transaction.execute("EXPLAIN " + std::string(sql), {})) {
        plan += row.text(0) + "\n";
      }
      texts.push_back(plan);
    }
    return texts;
  });
  ASSERT_TRUE(plans.ok());
  for (const std::string& plan : *plans) {
    EXPECT_EQ(plan.find("Append"), std::string::npos) << plan;
  }
}

}  // namespace
}  // namespace tideline::projects
