// The tables of projects on a real PostgreSQL: whatever the interleaving of the logs and however
// the batches are cut, what is read comes out the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "../campus.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "postgres/connections/database.hpp"
#include "projects/domain/advice.hpp"
#include "projects/domain/comments.hpp"
#include "projects/domain/documents.hpp"
#include "projects/domain/project.hpp"
#include "projects/domain/removal.hpp"
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
               row.sealed_labels + (row.withdrawn ? " withdrawn" : "") + "\n";
        for (const auto& comment : list_comments(transaction, row.id, {}, {}, {}, 1000).items) {
          all += "  " + std::to_string(comment.id) + "<" + std::to_string(comment.parent_id) + " " +
                 (comment.removed ? "removed" : comment.sealed_text) + "\n";
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
      for (const auto& row : list_newest(transaction, {}, {}).items) all += "newest " + row.id;
      for (const auto& label : list_labels(transaction, {}, 100)) {
        all += "label " + label.key + " " + std::to_string(label.projects);
      }
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
    if (i % 2 == 1) campus.run<Project>(keys::project(id), project, WithdrawProject{author});
    if (i == 3) campus.run<Project>(keys::project(id), project, RestoreProject{author});
    if (i == 4) campus.run<Project>(keys::project(id), project, AbandonProject{});
    for (int c = 0; c < i; ++c) {
      campus.run<Comments>(keys::comments(id), eventsourcing::EventCodec<Comments>(campus.cipher),
                           AddComment{id, author, c, false, person(7), "text"});
    }
    for (std::int64_t c = 1; c <= i; c += 2) {
      campus.run<Removal>(
          keys::removal(id, c), eventsourcing::EventCodec<Removal>{},
          RemoveComment{{id, author, c, c - 1, person(7), ""}, campus.clock.now(), author});
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
          " document, voting, vote, label_author, label_use");
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
    EXPECT_EQ(all.size(), 4U) << "the closed one and the withdrawn one are off the board";
    for (std::size_t i = 1; i < all.size(); ++i) EXPECT_GE(all[i - 1].tally, all[i].tally);
    const auto second = list_board(transaction, {}, {}, all[1], 2).items;
    EXPECT_EQ(second[0].project, all[2].project);
    const auto back = list_board(transaction, {}, all[2], {}, 2).items;
    EXPECT_EQ(back[0].project, all[0].project);
    return true;
  });
  EXPECT_TRUE(walked.ok());
}

// What projects are, told by their events one after the other, without tables.
const sql::Window<std::string> kAll{std::nullopt, std::nullopt, 100};

struct PlainProject {
  core::AccountId author;
  std::set<std::string> labels;
  bool withdrawn = false;
  bool abandoned = false;
};

std::map<std::string, PlainProject> plainly(Campus& campus,
                                            const std::vector<RecordedEvent>& events) {
  const eventsourcing::EventCodec<Project> codec(campus.cipher);
  std::map<std::string, PlainProject> projects;
  for (const RecordedEvent& recorded : events) {
    const auto event = codec.decode(recorded);
    if (!event) continue;
    const auto id = std::visit([](const auto& fact) { return fact.project_id; }, *event);
    PlainProject& plain = projects[id];
    if (const auto* created = std::get_if<ProjectCreated>(&*event)) {
      plain.author = created->author;
      plain.labels = {created->labels.names.begin(), created->labels.names.end()};
    } else if (const auto* edited = std::get_if<ProjectEdited>(&*event)) {
      plain.labels = {edited->labels.names.begin(), edited->labels.names.end()};
    } else if (std::holds_alternative<ProjectWithdrawn>(*event)) {
      plain.withdrawn = true;
    } else if (std::holds_alternative<ProjectRestored>(*event)) {
      plain.withdrawn = false;
    } else if (std::holds_alternative<ProjectAbandoned>(*event)) {
      plain.abandoned = true;
    }
  }
  return projects;
}

// Random edits, withdrawals and restorations of ten projects by three authors.
void change_standing_at_random(Campus& campus, std::mt19937_64& random) {
  const eventsourcing::EventCodec<Project> codec(campus.cipher);
  std::vector<std::pair<std::string, core::AccountId>> projects;
  for (int step = 0; step < 80; ++step) {
    campus.clock.advance(std::chrono::seconds(1));
    const std::vector<std::string> labels{"sea", "sand", "sun"};
    Labels some;
    for (const auto& label : labels) {
      if (random() % 2 == 0) some.names.push_back(label);
    }
    if (projects.size() < 10 && step % 2 == 0) {
      const auto id = core::make_time_ordered_id(campus.clock.now(), campus.random);
      const auto author = person(static_cast<int>(random() % 3) + 1);
      projects.emplace_back(id, author);
      campus.run<Project>(keys::project(id), codec,
                          CreateProject{id, author, {"P", "", {}}, some, campus.clock.now()});
      continue;
    }
    const auto& [id, author] = projects[random() % projects.size()];
    EditProject edit;
    edit.editor = author;
    edit.labels = some;
    const std::vector<Project::Command> commands{edit, WithdrawProject{author},
                                                 RestoreProject{author}, WithdrawProject{author},
                                                 RestoreProject{author}};
    const bool last = random() % 40 == 0;
    campus.run<Project>(
        keys::project(id), codec,
        last ? Project::Command{AbandonProject{}} : commands[random() % commands.size()]);
  }
}

TEST_F(ReadModel, ListsAndCountsShowWhatAPlainModelShowsInEveryInterleaving) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Campus campus;
    std::mt19937_64 random(seed);
    change_standing_at_random(campus, random);
    const auto cleared = database_.transact([](Transaction& transaction) {
      transaction.execute(
          "TRUNCATE project, project_by_author, project_by_label, voting, label_author, label_use");
    });
    ASSERT_TRUE(cleared.ok());
    project(interleave(campus.events(), seed), 1 + random() % 9);
    const auto plain = plainly(campus, campus.events());
    std::set<std::string> newest;
    std::map<std::string, std::int64_t> uses;
    std::map<std::string, std::set<std::string>> labelled;
    for (const auto& [id, one] : plain) {
      if (one.withdrawn || one.abandoned) continue;
      newest.insert(id);
      for (const auto& label : one.labels) {
        const auto key = campus.cipher.index(label, "Project.label");
        ++uses[key];
        labelled[label].insert(id);
      }
    }
    const auto compared = database_.read([&](Transaction& transaction) {
      const auto ids_of = [](const std::vector<ProjectRow>& rows) {
        std::set<std::string> ids;
        for (const auto& row : rows) ids.insert(row.id);
        return ids;
      };
      const auto found = list_newest(transaction, {}, kAll).items;
      EXPECT_EQ(ids_of(found), newest);
      EXPECT_TRUE(std::is_sorted(found.begin(), found.end(), [](const auto& one, const auto& two) {
        return one.published_at > two.published_at;
      }));
      std::map<std::string, std::int64_t> counted;
      for (const auto& label : list_labels(transaction, {}, 100)) {
        counted[label.key] = label.projects;
      }
      EXPECT_EQ(counted, uses);
      const auto rows = transaction.execute("SELECT count(*) FROM label_use", {});
      EXPECT_EQ(rows.at(0).integer(0), std::ssize(uses)) << "no row is left of an unused label";
      for (const auto& [label, ids] : labelled) {
        const LabelKeys keys{label, campus.cipher.index(label, "Project.label")};
        EXPECT_EQ(ids_of(list_by_label(transaction, keys, {}, kAll).items), ids);
      }
      for (int number = 1; number <= 3; ++number) {
        std::set<std::string> own;
        std::set<std::string> shown;
        for (const auto& [id, one] : plain) {
          if (one.author != person(number)) continue;
          own.insert(id);
          if (!one.withdrawn) shown.insert(id);
        }
        const auto author = person(number);
        EXPECT_EQ(ids_of(list_by_author(transaction, author, {}, kAll).items), shown);
        EXPECT_EQ(ids_of(list_by_author(transaction, author, author, kAll).items), own);
      }
      return true;
    });
    ASSERT_TRUE(compared.ok());
  }
}

TEST_F(ReadModel, TheTextOfARemovedCommentIsInNoTable) {
  Campus campus;
  const auto ids = live(campus);
  auto events = campus.events();
  // The removals come first.
  std::stable_partition(events.begin(), events.end(),
                        [](const auto& event) { return event.type == "CommentRemoved"; });
  project(events, 5);
  const auto checked = database_.read([&](Transaction& transaction) {
    const auto comments = list_comments(transaction, ids[5], {}, {}, {}, 100).items;
    EXPECT_EQ(comments.size(), 5U);
    for (const auto& comment : comments) {
      EXPECT_EQ(comment.removed, comment.id % 2 == 1);
      EXPECT_EQ(comment.parent_id, comment.id - 1);
      EXPECT_EQ(comment.sealed_text == "0.", comment.removed);
    }
    EXPECT_EQ(find_project(transaction, ids[5])->comments, 2);
    return true;
  });
  EXPECT_TRUE(checked.ok());
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
