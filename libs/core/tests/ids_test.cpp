#include "core/ids.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

#include "arbitrary.hpp"
#include "core/time_ordered_id.hpp"

namespace tideline::core {
namespace {

constexpr Timestamp at_ms(std::int64_t ms) { return Timestamp(std::chrono::milliseconds(ms)); }

TEST(AccountIds, BothTextsGiveTheIdBack) {
  EXPECT_TRUE(rc::check("round trips", [](const AccountId& id) {
    RC_ASSERT(id.to_string().size() == 26U);
    RC_ASSERT(AccountId::parse(id.to_string()) == id);
    RC_ASSERT(AccountId::parse_uuid(id.to_uuid()) == id);
  }));
}

TEST(AccountIds, CompareAsTheirBytes) {
  const auto small =
      rc::gen::container<AccountId::Bytes>(rc::gen::element<std::uint8_t>(0, 1, 255));
  EXPECT_TRUE(rc::check("in any byte", [&] {
    const AccountId::Bytes one = *small;
    AccountId::Bytes other = one;
    other.at(*rc::gen::inRange<std::size_t>(0, other.size())) = *rc::gen::arbitrary<std::uint8_t>();
    RC_ASSERT((AccountId(one) <=> AccountId(other)) == (one <=> other));
    RC_ASSERT((AccountId(one) == AccountId(other)) == (one == other));
  }));
}

TEST(AccountIds, HaveOneTextOnly) {
  const std::string text = AccountId({9, 8, 7}).to_string();
  EXPECT_TRUE(AccountId::parse(text).has_value());
  std::string upper = text;
  upper[0] = 'B';
  EXPECT_FALSE(AccountId::parse(upper).has_value());
  std::string loose = text;
  loose.back() = 'b';  // sets bits that no byte holds
  EXPECT_FALSE(AccountId::parse(loose).has_value());
  EXPECT_FALSE(AccountId::parse(text + "a").has_value());
  EXPECT_FALSE(AccountId::parse("").has_value());
  EXPECT_FALSE(AccountId::parse_uuid("01020304-0506-0708-090a0b0c0d0e0f1011").has_value());
}

TEST(TimeOrderedIds, OrderLikeTheirTimes) {
  EXPECT_TRUE(rc::check("earlier sorts first", [] {
    const auto first = *rc::gen::inRange<std::int64_t>(0, 1LL << 47);
    const auto later = first + *rc::gen::inRange<std::int64_t>(1, 1LL << 40);
    SystemRandom random;
    const std::string one = make_time_ordered_id(at_ms(first), random);
    const std::string two = make_time_ordered_id(at_ms(later), random);
    RC_ASSERT(one < two);
    RC_ASSERT(is_time_ordered_id(one));
    RC_ASSERT(make_uuid_v7(at_ms(first), random) < make_uuid_v7(at_ms(later), random));
  }));
}

TEST(TimeOrderedIds, AreToldFromOtherTexts) {
  SeededRandom random(1);
  const std::string id = make_time_ordered_id(at_ms(1'700'000'000'000), random);
  EXPECT_TRUE(is_time_ordered_id(id));
  EXPECT_FALSE(is_time_ordered_id(id.substr(1)));
  EXPECT_FALSE(is_time_ordered_id(id.substr(0, 25) + "1")) << "bits that no byte holds";
  EXPECT_FALSE(is_time_ordered_id(id.substr(0, 25) + "-"));
  EXPECT_FALSE(is_time_ordered_id(id.substr(0, 25) + "z"));
}

TEST(UuidV7, SaysItsVersionAndVariant) {
  SeededRandom random(1);
  const std::string uuid = make_uuid_v7(at_ms(1), random);
  EXPECT_EQ(uuid.substr(0, 15), "00000000-0001-7");
  EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
}

TEST(MomentIds, HoldTimePartitionAndOrder) {
  EXPECT_TRUE(rc::check("parts come back", [](const AccountId& author, std::uint32_t sequence) {
    const auto ms = *rc::gen::inRange<std::int64_t>(0, 1LL << 41);
    const MomentId id = make_moment_id(at_ms(ms), author, sequence);
    RC_ASSERT(time_of(id) == at_ms(ms));
    RC_ASSERT(author_partition(id) == author.bytes()[0]);
    RC_ASSERT(make_moment_id(at_ms(ms + 1), author, 0) > id);
    RC_PRE(id.value() > 0);
    RC_ASSERT(parse_moment_id(to_string(id)) == id);
  }));
}

TEST(MomentIds, HaveOneTextOnly) {
  for (const char* text :
       {"", "0", "01", "+1", "-1", "1 ", "x", "9223372036854775808", "99999999999999999999"}) {
    EXPECT_FALSE(parse_moment_id(text).has_value()) << text;
  }
  EXPECT_EQ(parse_moment_id("9223372036854775807")->value(), 9223372036854775807U);
}

TEST(CommentIds, LieWithTheirMomentsAuthor) {
  SeededRandom random(7);
  MomentIdSource source(random);
  const AccountId author({0xA5});
  const CommentId first = source.next_comment(at_ms(5), author);
  const CommentId second = source.next_comment(at_ms(6), author);
  EXPECT_LT(first, second);
  EXPECT_EQ(author_partition(MomentId(first.value())), 0xA5);
  EXPECT_EQ(parse_comment_id(to_string(first)), first);
  EXPECT_EQ(parse_comment_id("0"), std::nullopt);
}

TEST(MomentIds, OfOneSourceDifferWithinAMillisecond) {
  SeededRandom random(3);
  MomentIdSource source(random);
  std::set<MomentId> ids;
  for (int i = 0; i < 5000; ++i) ids.insert(source.next(at_ms(5), AccountId({1})));
  EXPECT_EQ(ids.size(), 5000U);
}

}  // namespace
}  // namespace tideline::core
