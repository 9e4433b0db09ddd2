// Ratings on a real PostgreSQL: in any interleaving of the raters' streams, with crashes between
// two flushes, sums, means and order are those of the ratings that stand.

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <random>
#include <regex>
#include <set>

#include "eventsourcing/events/event_codec.hpp"
#include "scoring/domain/rating.hpp"
#include "scoring/projections/events_by_hand.hpp"
#include "scoring/projections/rating_projection.hpp"
#include "scoring/projections/rating_queries.hpp"
#include "scoring/tests/histories.hpp"
#include "scoring/tests/integration/scoring_database.hpp"

namespace tideline::scoring {
namespace {

namespace es = eventsourcing;

constexpr std::uint8_t kRaters = 20;
constexpr std::uint8_t kSubjects = 9;  // of each kind

RatingSubject person(std::uint8_t number) {
  return {RatingKind::Person, account_with(static_cast<std::uint8_t>(100 + number)).to_string()};
}
RatingSubject project(std::uint8_t number) {
  std::string id(26, '0');
  id.at(24) = static_cast<char>('0' + number);
  return {RatingKind::Project, id};
}

using Given = std::map<std::pair<core::AccountId, RatingSubject>, std::int64_t>;

// Streams of one event after the other; the last ones are what stands.
struct RatingHistory {
  std::vector<std::vector<es::RecordedEvent>> streams;
  Given standing;

  explicit RatingHistory(std::mt19937_64& random) {
    EventMaker make;
    for (std::uint8_t rater = 1; rater <= kRaters; ++rater) {
      for (std::uint8_t number = 0; number < kSubjects; ++number) {
        for (const RatingSubject& subject : {person(number), project(number)}) {
          if (random() % 3 == 0) continue;
          add(make, random, account_with(rater), subject);
        }
      }
    }
  }
  void add(EventMaker& make, std::mt19937_64& random, const core::AccountId& rater,
           const RatingSubject& subject) {
    auto& stream = streams.emplace_back();
    Rating::State state;
    for (auto times = random() % 5 + 1; times > 0; --times) {
      const auto decision =
          Rating::decide(state, RateSubject{rater, subject, account_with(99),
                                            static_cast<std::int64_t>(random() % 5 + 1)});
      for (const Rating::Event& event : decision.events()) {
        const auto encoded = eventsourcing::EventCodec<Rating>{}.encode(event);
        stream.push_back(make.make("scoring", encoded.type, at("2026-05-20T09:00:00.000000Z"),
                                   nlohmann::json::parse(encoded.data)));
        state = Rating::evolve(state, event);
      }
    }
    standing[{rater, subject}] = state.stars;
  }

  // All events, those of a stream in their order.
  std::vector<es::RecordedEvent> interleaved(std::mt19937_64& random) const {
    std::vector<std::size_t> turns;
    for (std::size_t i = 0; i < streams.size(); ++i)
      turns.insert(turns.end(), streams[i].size(), i);
    std::shuffle(turns.begin(), turns.end(), random);
    std::vector<std::size_t> next(streams.size());
    std::vector<es::RecordedEvent> events;
    for (const std::size_t turn : turns) events.push_back(streams[turn][next[turn]++]);
    return events;
  }
};

RatingTotal total_of(const Given& standing, const RatingSubject& subject) {
  RatingTotal total;
  for (const auto& [given, stars] : standing) {
    if (given.second != subject) continue;
    ++total.ratings;
    total.stars += stars;
  }
  return total;
}

class RatingTablesTest : public ::testing::Test {
 protected:
  void flush(RatingProjection& projection) {
    const auto flushed =
        database.transact([&](sql::Transaction& transaction) { projection.flush(transaction); });
    ASSERT_TRUE(flushed.ok()) << flushed.error().message;
    projection.flushed();
  }
  // Flushed now and then, and now and then thrown away and taken up at the last flush.
  void take(const std::vector<es::RecordedEvent>& events, std::mt19937_64& random) {
    RatingProjection projection;
    std::size_t committed = 0;
    int crashes = 10;
    for (std::size_t next = 0; next < events.size();) {
      projection.apply(events[next++]);
      if (random() % 40 == 0) {
        flush(projection);
        committed = next;
      } else if (crashes > 0 && random() % 60 == 0) {
        --crashes;
        projection = RatingProjection{};
        next = committed;
      }
    }
    flush(projection);
  }
  template <class Work>
  auto read(const Work& work) {
    return database.read(work).value();
  }
  std::vector<RatedSubject> pages(RatingKind kind, int limit) {
    std::vector<RatedSubject> all;
    std::optional<RatingPlace> after;
    while (true) {
      const auto slice = read([&](sql::Transaction& transaction) {
        return list_rated(transaction, kind, std::nullopt, after, limit);
      });
      all.insert(all.end(), slice.items.begin(), slice.items.end());
      if (!slice.more_after) return all;
      after = slice.items.back().place;
      const auto back = read([&](sql::Transaction& transaction) {
        return list_rated(transaction, kind, after, std::nullopt, static_cast<int>(all.size()));
      });
      EXPECT_EQ(ids_of(back.items, back.items.size()), ids_of(all, all.size() - 1))
          << "what is ahead of a place";
      const auto nearest = read([&](sql::Transaction& transaction) {
        return list_rated(transaction, kind, after, std::nullopt, 2);
      });
      EXPECT_EQ(ids_of(nearest.items, 2),
                (std::vector{all[all.size() - 3].place.id, all[all.size() - 2].place.id}))
          << "what is immediately ahead of a place";
    }
  }
  static std::vector<std::string> ids_of(const std::vector<RatedSubject>& subjects,
                                         std::size_t first) {
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < first; ++i) ids.push_back(subjects.at(i).place.id);
    return ids;
  }
  void expect_order(RatingKind kind, const Given& standing) {
    std::vector<std::pair<double, std::string>> expected;
    for (std::uint8_t number = 0; number < kSubjects; ++number) {
      const RatingSubject subject = kind == RatingKind::Person ? person(number) : project(number);
      const RatingTotal total = total_of(standing, subject);
      if (total.ratings > 0) expected.emplace_back(-total.bayesian_mean(), subject.id);
    }
    std::sort(expected.begin(), expected.end());
    const auto listed = pages(kind, 4);
    ASSERT_EQ(listed.size(), expected.size());
    for (std::size_t i = 0; i < listed.size(); ++i) {
      EXPECT_EQ(listed[i].place.id, expected[i].second) << i;
      EXPECT_EQ(listed[i].total.bayesian_mean(), -expected[i].first) << i;
    }
  }
  std::size_t partitions_touched(const std::string& table, std::string_view sql,
                                 const sql::Params& params) {
    const auto plan = database.query("EXPLAIN (COSTS OFF) " + std::string(sql), params).value();
    const std::regex partition("\\bon (" + table + "_[0-9]+)\\b");
    std::set<std::string> touched;
    for (const auto& row : plan) {
      std::smatch match;
      const std::string line = row.text(0);
      if (std::regex_search(line, match, partition)) touched.insert(match[1]);
    }
    return touched.size();
  }

  postgres::PooledDatabase database{scoring_database()};
};

TEST_F(RatingTablesTest, AnyInterleavingAndAnyCrashesGiveWhatStands) {
  const std::uint64_t seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const RatingHistory history(random);
  take(history.interleaved(random), random);
  for (std::uint8_t number = 0; number < kSubjects; ++number) {
    for (const RatingSubject& subject : {person(number), project(number)}) {
      const RatingTotal wanted = total_of(history.standing, subject);
      const RatingTotal found =
          read([&](sql::Transaction& transaction) { return find_rating(transaction, subject); });
      EXPECT_EQ(found.ratings, wanted.ratings);
      EXPECT_EQ(found.stars, wanted.stars);
      EXPECT_EQ(found.mean(), wanted.mean());
    }
  }
  for (const auto& [given, stars] : history.standing) {
    EXPECT_EQ(read([&](sql::Transaction& transaction) {
                return find_given(transaction, given.first, given.second);
              }),
              stars);
  }
  expect_order(RatingKind::Person, history.standing);
  expect_order(RatingKind::Project, history.standing);
}

TEST_F(RatingTablesTest, ClosedAccountsLeaveTheOrderAlsoBeforeTheyAreRated) {
  EventMaker make;
  const auto rated = [&](const RatingSubject& subject, std::int64_t stars) {
    const auto encoded =
        eventsourcing::EventCodec<Rating>{}.encode(Rated{account_with(1), subject, stars, 0});
    return make.make("scoring", encoded.type, at("2026-05-20T09:00:00.000000Z"),
                     nlohmann::json::parse(encoded.data));
  };
  const auto closed = [&](std::uint8_t number) {
    return make.closed(static_cast<std::uint8_t>(100 + number), at("2026-05-20T09:00:00.000000Z"));
  };
  RatingProjection projection;
  for (const auto& event : {closed(0), rated(person(0), 5), rated(person(1), 4)}) {
    projection.apply(event);
    flush(projection);
  }
  ASSERT_EQ(pages(RatingKind::Person, 4).size(), 1U);
  EXPECT_EQ(pages(RatingKind::Person, 4).front().place.id, person(1).id);
  projection.apply(closed(1));
  flush(projection);
  EXPECT_TRUE(pages(RatingKind::Person, 4).empty());
}

TEST_F(RatingTablesTest, AWithdrawnProjectIsNeitherListedNorFoundUntilItIsRestored) {
  EventMaker make;
  const auto now = at("2026-05-20T09:00:00.000000Z");
  const auto told = [&](const char* type) {
    return make.make(
        "projects", type, now,
        {{"project_id", project(1).id}, {"author", account_with(99).to_string()}, {"card", "1.x"}});
  };
  const auto encoded =
      eventsourcing::EventCodec<Rating>{}.encode(Rated{account_with(1), project(1), 5, 0});
  RatingProjection projection;
  const auto is_shown = [&](const es::RecordedEvent& event) {
    projection.apply(event);
    flush(projection);
    const bool found = !read([&](sql::Transaction& transaction) {
                          return find_project_authors(transaction, {project(1).id});
                        }).empty();
    EXPECT_EQ(!pages(RatingKind::Project, 4).empty(), found);
    return found;
  };
  projection.apply(told("ProjectCreated"));
  EXPECT_FALSE(is_shown(told("ProjectWithdrawn")));
  EXPECT_FALSE(
      is_shown(make.make("scoring", encoded.type, now, nlohmann::json::parse(encoded.data))));
  EXPECT_TRUE(is_shown(told("ProjectRestored")));
  EXPECT_FALSE(is_shown(told("ProjectWithdrawn")));
}

TEST_F(RatingTablesTest, EachQueryButTheOrderTouchesOnePartition) {
  EXPECT_EQ(partitions_touched("rating", kFindRatingSql, {"person", person(1).id}), 1U);
  EXPECT_EQ(
      partitions_touched("rating_given", kFindGivenSql, {account_with(1), "person", person(1).id}),
      1U);
  // The check sees a plan that touches all.
  EXPECT_EQ(partitions_touched("rating", "SELECT stars FROM rating WHERE kind = $1", {"person"}),
            16U);
}

TEST(RatingPlaceTest, IsReadAsItWasWritten) {
  const RatingPlace place{4'123'456'789, project(3).id};
  EXPECT_EQ(parse_rating_place(place_text(place)), place);
  for (const char* text : {"", "1", "1,", "01,00000000000000000000000003", "x,y", "1,'"}) {
    EXPECT_FALSE(parse_rating_place(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace tideline::scoring
