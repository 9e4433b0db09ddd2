#include "core/keys.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <string>
#include <vector>

#include "arbitrary.hpp"

namespace tideline::core {
namespace {

// One call of a builder, as text ("vote a b"), and the stream id that it gave. Two calls are the
// same when their texts are.
struct Call {
  std::string said;
  StreamId stream;
};

// From a pool of a few ids, so that different builders meet the same parts.
Call any_call() {
  const std::vector<AccountId> accounts = {AccountId({1}), AccountId({2}), AccountId({1, 1}),
                                           *rc::gen::arbitrary<AccountId>()};
  SeededRandom random(7);
  std::vector<std::string> made;
  for (int i = 0; i < 3; ++i) made.push_back(make_time_ordered_id(Timestamp(), random));
  const AccountId a = *rc::gen::elementOf(accounts);
  const AccountId b = *rc::gen::suchThat(rc::gen::elementOf(accounts),
                                         [&](const AccountId& other) { return other != a; });
  const std::string id = *rc::gen::elementOf(made);
  const std::string other_id = *rc::gen::elementOf(made);
  const Day day(std::chrono::days(*rc::gen::inRange(20000, 20003)));
  const MomentId moment(*rc::gen::inRange<std::uint64_t>(1, 4));
  const CommentId comment(*rc::gen::inRange<std::uint64_t>(1, 4));
  const Timestamp time(std::chrono::microseconds(*rc::gen::inRange(0, 3)));

  const std::string A = a.to_string();
  const std::string B = b.to_string();
  const std::string D = format_day(day);
  switch (*rc::gen::inRange(0, 29)) {
    case 0:
      return {"account " + A, keys::account(a)};
    case 1:
      return {"sign_in " + A + D, keys::sign_in(a, day)};
    case 2:
      return {"session " + id, keys::session(id)};
    case 3:
      return {"view " + A + B + D, keys::profile_view(a, b, day)};
    case 4:
      return {"project " + id, keys::project(id)};
    case 5:
      return {"comments " + id, keys::comments(id)};
    case 6:
      return {"voting " + id, keys::voting(id)};
    case 7:
      return {"vote " + id + A, keys::vote(id, a)};
    case 8:
      return {"contact " + std::min(A, B) + std::max(A, B), keys::contact(a, b)};
    case 9:
      return {"count " + A, keys::contact_count(a)};
    case 10:
      return {"follow " + A + B, keys::follow(a, b)};
    case 11:
      return {"tag " + id, keys::tag(id)};
    case 12:
      return {"tagged " + id + A, keys::tagged(id, a)};
    case 13:
      return {"exclusion " + A + B, keys::exclusion(a, b)};
    case 14:
      return {"group " + id, keys::group(id)};
    case 15:
      return {"member " + id + A, keys::member(id, a)};
    case 16:
      return {"members " + id, keys::member_count(id)};
    case 17:
      return {"moment " + to_string(moment), keys::moment(moment)};
    case 18:
      return {"message " + A + format_iso8601(time), keys::message(a, time)};
    case 19:
      return {"like " + to_string(moment) + A, keys::like(moment, a)};
    case 20:
      return {"comment " + to_string(moment) + " " + to_string(comment),
              keys::comment(moment, comment)};
    case 21:
      return {"reading " + A + format_iso8601(time), keys::reading(a, time)};
    case 22:
      return {"person rating " + A + B, keys::person_rating(a, b)};
    case 23:
      return {"project rating " + A + id, keys::project_rating(a, id)};
    case 24:
      return {"advice " + id + other_id, keys::advice(id, other_id)};
    case 25:
      return {"rules", keys::rules()};
    case 26:
      return {"timeline " + A, keys::timeline_reading(a)};
    case 27:
      return {"documents " + id, keys::documents(id)};
    default:
      return {"adjustment " + id, keys::adjustment(id)};
  }
}

TEST(Keys, AreInjectiveTogether) {
  EXPECT_TRUE(rc::check("two calls give one stream exactly when they are the same call", [] {
    std::map<StreamId, std::string> seen;
    for (int i = 0; i < 60; ++i) {
      const Call call = any_call();
      const auto [entry, added] = seen.emplace(call.stream, call.said);
      RC_ASSERT(entry->second == call.said);
    }
  }));
}

TEST(Keys, APairIsOneStreamWhicheverComesFirst) {
  const AccountId a({1});
  const AccountId b({2});
  EXPECT_EQ(keys::contact(a, b), keys::contact(b, a));
  EXPECT_NE(keys::follow(a, b), keys::follow(b, a));
}

TEST(Keys, ReadAsTheirParts) {
  const AccountId id({0xFF});
  EXPECT_EQ(keys::account(id).value(), "account-74aaaaaaaaaaaaaaaaaaaaaaaa");
  EXPECT_EQ(keys::kind_of(keys::account(id)), "account");
  EXPECT_EQ(keys::kind_of(StreamId("plain")), "plain");
}

TEST(LogOf, NeverChanges) {
  // Part of the data format: these values were written down when it was fixed.
  EXPECT_EQ(log_of("", 1U << 30U).value(), 699787419U);
  EXPECT_EQ(log_of("account-74aaaaaaaaaaaaaaaaaaaaaaaa", 16).value(), 3U);
  EXPECT_EQ(log_of("moment-1", 64).value(), 42U);
}

TEST(LogOf, SpreadsStreamsEvenly) {
  std::vector<int> streams(16, 0);
  for (int i = 0; i < 16000; ++i) ++streams[log_of("moment-" + std::to_string(i), 16).value()];
  for (const int count : streams) {
    EXPECT_GT(count, 850);
    EXPECT_LT(count, 1150);
  }
}

}  // namespace
}  // namespace tideline::core
