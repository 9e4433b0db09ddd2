// The tables of GraphProjection on a real PostgreSQL: whatever the interleaving of the logs and
// wherever flushes fall, they end the same; both sides of every relation agree; a query of a
// partitioned table touches one partition.

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <regex>
#include <set>

#include "social-graph/domain/counts.hpp"
#include "social-graph/projections/contact_queries.hpp"
#include "social-graph/projections/follow_queries.hpp"
#include "social-graph/projections/group_queries.hpp"
#include "social-graph/projections/moment_setting_queries.hpp"
#include "social-graph/projections/tag_queries.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/tests/integration/graph_database.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using eventsourcing::RecordedEvent;
using sql::PersonSince;
using sql::Slice;
using sql::Transaction;
using sql::Window;

const std::vector<std::string> kUsers{"ada", "bob", "eve", "dan", "007"};
constexpr int kLong = 100;

class GraphTables : public GraphDatabase {
 protected:
  void SetUp() override {
    for (const auto& user_id : kUsers) know(user_id);
  }

  // A random history by real commands; many of them are refused, which is as good.
  void live(std::uint32_t seed, int steps) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t limit) { return random() % limit; };
    std::vector<std::string> tags;
    std::vector<std::string> groups;
    for (const auto& user_id : kUsers) {
      tags.push_back(service.create_tag(user_id, "tag of " + user_id));
      groups.push_back(service.create_group(user_id, "group of " + user_id, below(2) == 0));
    }
    for (int step = 0; step < steps; ++step) {
      service.clock.advance(std::chrono::microseconds(below(2)));  // some in one microsecond
      const std::string& me = kUsers[below(kUsers.size())];
      const std::string& other = kUsers[below(kUsers.size())];
      const std::string& tag = tags[below(tags.size())];
      const std::string group = "/v1/groups/" + groups[below(groups.size())];
      switch (below(16)) {
        case 0:
        case 1:
          service.post("/v1/contact-requests", me, {{"user_id", other}});
          break;
        case 2:
          service.post("/v1/contact-requests/" + other + "/accept", me);
          break;
        case 3:
          service.post("/v1/contact-requests/" + other + "/decline", me);
          service.put("/v1/follows/me", me,
                      {{"counts_shown_to", below(2) == 0 ? "contacts" : "nobody"}});
          break;
        case 4:
          service.remove("/v1/contact-requests/" + other, me);
          service.put("/v1/contacts/" + other + "/remark", me,
                      {{"remark", "remark " + std::to_string(step)}});
          if (below(4) == 0) service.remove("/v1/contact-suggestions/" + other, me);
          break;
        case 5:
          service.remove("/v1/contacts/" + other, me);
          if (below(2) == 0) service.remove("/v1/contacts/" + other + "/remark", me);
          break;
        case 6:
          service.put("/v1/follows/" + other, me);
          break;
        case 7:
          service.remove("/v1/follows/" + other, me);
          break;
        case 8:
        case 9:
          service.put("/v1/tags/" + tag + "/contacts/" + other, me);
          break;
        case 10:
          service.remove("/v1/tags/" + tag + "/contacts/" + other, me);
          break;
        case 11:
          service.put("/v1/moment-settings/" + other, me,
                      {{"hides_other", below(2) == 0}, {"hidden_from_other", below(2) == 0}});
          break;
        case 12:
          if (below(2) == 0) {
            service.put("/v1/blocks/" + other, me);
          } else {
            service.remove("/v1/blocks/" + other, me);
          }
          break;
        case 13:
          service.put(group + "/admins/" + other, me);
          service.remove(group + "/members/" + other, me);
          service.remove(group + "/invitations/me", me);
          break;
        case 14:
          service.post(group + "/members", me);
          service.post(group + "/invitations", me, {{"user_id", other}});
          if (below(3) == 0) service.put(group + "/creator", me, {{"user_id", other}});
          if (below(3) == 0) {
            service.put(group + "/name", me, {{"name", "name " + std::to_string(below(9))}});
            service.put(group + "/history", me, {{"history", "from_start"}});
          }
          break;
        default:
          if (below(3) == 0) service.remove(group + "/members/me", me);
          if (below(25) == 0) service.remove(group, me);
          if (below(25) == 0) service.remove("/v1/tags/" + tag, me);
      }
    }
  }

  // After a random history, so that there is something to be seen.
  void make_a_ring_of_contacts() {
    for (std::size_t i = 0; i < kUsers.size(); ++i) {
      const std::string& me = kUsers[i];
      const std::string& other = kUsers[(i + 1) % kUsers.size()];
      service.remove("/v1/blocks/" + other, me);
      service.remove("/v1/blocks/" + me, other);
      project();  // routes ask the tables who blocks whom
      service.clock.advance(std::chrono::days(31));
      service.post("/v1/contact-requests", me, {{"user_id", other}});
      service.post("/v1/contact-requests/" + me + "/accept", other);
      service.put("/v1/follows/" + other, me);
      service.put("/v1/tags/" + service.create_tag(me, "ring") + "/contacts/" + other, me);
    }
  }

  std::string dump() {
    return read([](Transaction& transaction) {
      std::string text;
      for (const char* table :
           {"person_block", "contact", "contact_remark", "dismissed_suggestion", "follow",
            "follow_count", "follow_setting", "tag", "tag_member", "moment_setting", "social_group",
            "social_group_size", "group_member"}) {
        const auto rows = transaction.execute(std::string("SELECT held::text FROM ") + table +
                                              " AS held ORDER BY 1");
        text += std::string(table) + "\n";
        for (const auto& row : rows) text += row.text(0) + "\n";
      }
      return text;
    });
  }
  void empty_tables() {
    write(
        "TRUNCATE person_block, contact, contact_remark, dismissed_suggestion, follow,"
        " follow_count, follow_setting, tag, tag_member, moment_setting, social_group,"
        " social_group_size, group_member");
  }
  std::vector<std::vector<RecordedEvent>> logs() {
    std::vector<std::vector<RecordedEvent>> all;
    for (std::uint32_t log = 0; log < service.store.logs(); ++log) {
      all.push_back(*service.store.read_log(core::LogIndex(log), core::LogPosition(0), 100'000));
    }
    return all;
  }
};

TEST_F(GraphTables, AllInterleavingsOfTheLogsEndTheSame) {
  live(1, 600);
  project();
  const std::string expected = dump();
  ASSERT_GT(std::count(expected.begin(), expected.end(), '\n'), 60);
  const auto history = logs();
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    empty_tables();
    GraphProjection model;
    std::vector<std::size_t> next(history.size(), 0);
    std::set<std::size_t> open;
    for (std::size_t log = 0; log < history.size(); ++log) {
      if (!history[log].empty()) open.insert(log);
    }
    while (!open.empty()) {
      const std::size_t log = *std::next(open.begin(), static_cast<long>(random() % open.size()));
      // Runs of one log, so that others fall far behind.
      for (std::size_t run = 1 + random() % 40; run > 0 && open.contains(log); --run) {
        model.apply(history[log][next[log]++]);
        if (next[log] == history[log].size()) open.erase(log);
      }
      if (random() % 4 == 0) flush(model);
    }
    flush(model);
    EXPECT_EQ(dump(), expected);
  }
}

TEST_F(GraphTables, WhatComesAgainChangesNothing) {
  live(2, 1500);
  project();
  const std::string expected = dump();
  GraphProjection again;
  for (const auto& log : logs()) {
    // The older half alone: rows must not fall back to it.
    for (std::size_t i = 0; i < log.size() / 2; ++i) again.apply(log[i]);
    flush(again);
  }
  EXPECT_EQ(dump(), expected);
}

TEST_F(GraphTables, AFailedFlushIsTakenUpAgain) {
  live(3, 50);
  project();
  const std::string expected = dump();
  empty_tables();
  GraphProjection model;
  const auto apply_all = [&] {
    for (const auto& log : logs()) {
      for (const auto& event : log) model.apply(event);
    }
  };
  apply_all();
  const auto failed = database.transact([&](Transaction& transaction) {
    model.flush(transaction);
    transaction.execute("SELECT 1 / 0");
  });
  ASSERT_FALSE(failed.ok());
  const auto loaded = database.transact([&](Transaction& transaction) { model.load(transaction); });
  ASSERT_TRUE(loaded.ok());
  flush(model);
  EXPECT_NE(dump(), expected) << "load() forgets what was not committed";
  apply_all();
  flush(model);
  EXPECT_EQ(dump(), expected);
}

template <class Item>
std::set<AccountId> accounts_of(const Slice<Item>& slice) {
  std::set<AccountId> accounts;
  for (const auto& item : slice.items) accounts.insert(item.account);
  return accounts;
}

TEST_F(GraphTables, BothSidesOfEveryRelationAgree) {
  live(4, 900);
  project();
  std::map<AccountId, std::int64_t> counts;
  for (const auto& event : service.events()) {
    const auto read_count = eventsourcing::read_any<ContactCount::Event>(event);
    if (!read_count) continue;
    const auto& changed = std::get<ContactCountChanged>(*read_count);
    counts[changed.account_id] = changed.count;
  }
  const auto seen = read([&](Transaction& transaction) {
    std::size_t relations = 0;
    const Window<AccountId> all{.before = {}, .after = {}, .limit = kLong};
    for (const auto& user_id : kUsers) {
      const AccountId me = service.account(user_id);
      const auto contacts = list_related(transaction, me, Relation::Contact, all);
      EXPECT_EQ(std::ssize(contacts.items), counts[me]) << user_id;
      relations += contacts.items.size();
      for (const AccountId& other : accounts_of(contacts)) {
        EXPECT_TRUE(find_contact(transaction, other, me).has_value());
      }
      for (const AccountId& other :
           accounts_of(list_related(transaction, me, Relation::Incoming, all))) {
        EXPECT_TRUE(
            accounts_of(list_related(transaction, other, Relation::Outgoing, all)).contains(me));
      }
      for (const AccountId& other :
           accounts_of(list_follows(transaction, me, FollowDirection::Following, all))) {
        ++relations;
        EXPECT_TRUE(accounts_of(list_follows(transaction, other, FollowDirection::Followers, all))
                        .contains(me));
      }
      for (const auto list : {SettingList::Hidden, SettingList::HiddenFrom}) {
        for (const AccountId& other : accounts_of(list_settings(transaction, me, list, all))) {
          ++relations;
          EXPECT_TRUE(accounts_of(list_excluding(transaction, other, list, all)).contains(me));
        }
      }
    }
    return relations;
  });
  EXPECT_GT(seen, 10U) << "a history without relations shows nothing";
}

TEST_F(GraphTables, FollowsAreCounted) {
  live(7, 900);
  project();
  make_a_ring_of_contacts();
  project();
  const auto counted = read([&](Transaction& transaction) {
    std::int64_t all = 0;
    const Window<AccountId> whole{.before = {}, .after = {}, .limit = kLong};
    for (const auto& user_id : kUsers) {
      const AccountId me = service.account(user_id);
      const FollowCounts counts = count_follows(transaction, me);
      const auto listed = [&](FollowDirection direction) {
        return std::ssize(list_follows(transaction, me, direction, whole).items);
      };
      EXPECT_EQ(counts.followers, listed(FollowDirection::Followers)) << user_id;
      EXPECT_EQ(counts.following, listed(FollowDirection::Following)) << user_id;
      all += counts.followers;
    }
    return all;
  });
  EXPECT_GE(counted, 5);
}

TEST_F(GraphTables, BothIndexesOfTagsAndGroupsAgree) {
  live(5, 1500);
  make_a_ring_of_contacts();
  project();
  const auto seen = read([&](Transaction& transaction) {
    std::size_t taggings = 0;
    std::size_t memberships = 0;
    const Window<AccountId> people{.before = {}, .after = {}, .limit = kLong};
    const Window<std::string> ids{.before = {}, .after = {}, .limit = kLong};
    std::map<std::string, std::set<AccountId>> members;
    for (const auto& user_id : kUsers) {
      const AccountId me = service.account(user_id);
      std::set<std::pair<std::string, AccountId>> by_tag;
      for (const auto& tag : list_tags(transaction, me, ids).items) {
        const auto tagged = accounts_of(list_tagged(transaction, me, tag.tag_id, people));
        EXPECT_EQ(std::ssize(tagged), tag.contact_count);
        for (const AccountId& account : tagged) by_tag.insert({tag.tag_id, account});
      }
      // The other index, of those who are tagged.
      std::set<std::pair<std::string, AccountId>> by_tagged;
      for (const auto& other : kUsers) {
        const AccountId account = service.account(other);
        for (const auto& tag : list_tagging(transaction, account, ids).items) {
          if (tag.owner == me) by_tagged.insert({tag.tag_id, account});
        }
      }
      EXPECT_EQ(by_tag, by_tagged);
      std::set<std::pair<std::string, AccountId>> by_account;
      for (const auto& other : kUsers) {
        const AccountId account = service.account(other);
        for (const auto& tag : list_tags_on(transaction, me, account, ids).items) {
          by_account.insert({tag.tag_id, account});
        }
      }
      EXPECT_EQ(by_tag, by_account);
      taggings += by_tag.size();
      for (const auto& group : list_groups(transaction, me, Membership::Phase::Member, ids).items) {
        members[group.group_id].insert(me);
      }
    }
    for (const auto& [group_id, expected] : members) {
      EXPECT_EQ(accounts_of(list_members(transaction, group_id, people)), expected);
      EXPECT_EQ(find_group(transaction, group_id)->member_count, std::ssize(expected));
      memberships += expected.size();
    }
    return std::pair{taggings, memberships};
  });
  EXPECT_GE(seen.first, 5U);
  EXPECT_GT(seen.second, 5U);
}

// Explains every statement before it runs it, and keeps which partitions it would touch.
class Explaining final : public Transaction {
 public:
  explicit Explaining(Transaction& inner) : inner_(inner) {}

  sql::Rows execute(std::string_view sql, const sql::Params& params) override {
    for (const auto& row : inner_.execute("EXPLAIN " + std::string(sql), params)) {
      const std::string& line = row.text(0);
      // "on contact_7", and "on contact_7_pkey" for its index.
      static const std::regex partition(" on ((contact|follow)_[0-9]+)");
      std::smatch match;
      if (std::regex_search(line, match, partition)) partitions.insert(match[1]);
      plan += line + "\n";
    }
    return inner_.execute(sql, params);
  }
  void copy_in(std::string_view, std::span<const std::string>,
               std::span<const sql::Params>) override {
    FAIL() << "nothing is copied here";
  }

  std::set<std::string> partitions;
  std::string plan;

 private:
  Transaction& inner_;
};

TEST_F(GraphTables, AQueryOfAPartitionedTableTouchesOnePartition) {
  live(6, 200);
  project();
  const AccountId me = service.account("ada");
  const AccountId other = service.account("bob");
  const sql::Place<AccountId> place{service.clock.now(), other};
  const auto one_partition = [&](const auto& query) {
    const auto partitions = read([&](Transaction& transaction) {
      Explaining explaining(transaction);
      query(explaining);
      EXPECT_EQ(explaining.partitions.size(), 1U) << explaining.plan;
      return explaining.partitions;
    });
    return partitions.empty() ? std::string() : *partitions.begin();
  };
  for (const Window<AccountId>& window :
       {Window<AccountId>{}, Window<AccountId>{place, {}, 20}, Window<AccountId>{{}, place, 20}}) {
    one_partition([&](Transaction& t) { list_related(t, me, Relation::Contact, window); });
    one_partition([&](Transaction& t) { list_follows(t, me, FollowDirection::Followers, window); });
  }
  one_partition([&](Transaction& t) { find_contact(t, me, other); });

  // Seen to fail: the same table without its partition key.
  read([&](Transaction& transaction) {
    Explaining explaining(transaction);
    explaining.execute("SELECT owner FROM contact WHERE other = $1::uuid", {other});
    EXPECT_EQ(explaining.partitions.size(), 16U) << explaining.plan;
    return 0;
  });
}

}  // namespace
}  // namespace tideline::social_graph
