#include "eventsourcing/events/position_vector.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <ostream>

#include "core/encoding.hpp"

namespace tideline::eventsourcing {

std::ostream& operator<<(std::ostream& out, const PositionVector& vector) {
  return out << vector.to_token();
}

namespace {

using core::LogIndex;
using core::LogPosition;

PositionVector any_vector() {
  PositionVector vector;
  const int entries = *rc::gen::inRange(0, 8);
  for (int i = 0; i < entries; ++i) {
    vector.raise(*rc::gen::element<std::string>("accounts", "feed", "social-graph"),
                 LogIndex(*rc::gen::inRange<std::uint32_t>(0, 4)),
                 LogPosition(*rc::gen::inRange<std::uint64_t>(0, 5)));
  }
  return vector;
}

PositionVector joined(PositionVector one, const PositionVector& other) {
  one.join(other);
  return one;
}

std::optional<PositionVector> read(std::string_view text) {
  return PositionVector::from_token(core::to_base64url(core::as_bytes(text)));
}

TEST(PositionVectors, JoinIsALeastUpperBound) {
  EXPECT_TRUE(rc::check("commutative, associative, idempotent, above both", [] {
    const PositionVector a = any_vector();
    const PositionVector b = any_vector();
    const PositionVector c = any_vector();
    RC_ASSERT(joined(a, b) == joined(b, a));
    RC_ASSERT(joined(joined(a, b), c) == joined(a, joined(b, c)));
    RC_ASSERT(joined(a, a) == a);
    RC_ASSERT(joined(a, b).covers(a));
    RC_ASSERT(joined(a, b).covers(b));
  }));
}

TEST(PositionVectors, TokensGiveTheVectorBack) {
  EXPECT_TRUE(rc::check("round trip", [] {
    const PositionVector vector = any_vector();
    RC_ASSERT(PositionVector::from_token(vector.to_token()) == vector);
  }));
  EXPECT_EQ(PositionVector().to_token(), "");
}

TEST(PositionVectors, AnyTextIsReadOnlyIfItWouldBeWrittenSo) {
  EXPECT_TRUE(rc::check("a vector has one token", [] {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab:;,=0123")));
    if (const auto vector = read(text)) {
      RC_ASSERT(vector->to_token() == core::to_base64url(core::as_bytes(text)));
    }
  }));
}

TEST(PositionVectors, RefuseWhatIsNoToken) {
  EXPECT_TRUE(read("feed:0=1,2=3;scoring:1=1").has_value());
  for (const char* text :
       {"feed", "feed:", ":0=1", "feed:0=1;", "feed:0=1,", ";feed:0=1", "feed:0=0", "feed:1=1,0=1",
        "feed:0=1,0=2", "scoring:0=1;feed:0=1", "feed:0=1;feed:1=1", "Feed:0=1", "feed:00=1",
        "feed:0=01", "feed:-1=1", "feed:0=99999999999999999999999", "feed:0=1 "}) {
    EXPECT_FALSE(read(text).has_value()) << text;
  }
  EXPECT_FALSE(PositionVector::from_token("not base64!").has_value());
  EXPECT_FALSE(PositionVector::from_token(std::string(70'000, 'A')).has_value());
}

TEST(PositionVectors, RaiseNeverLowers) {
  PositionVector vector;
  vector.raise("feed", LogIndex(1), LogPosition(5));
  vector.raise("feed", LogIndex(1), LogPosition(3));
  EXPECT_EQ(vector.at("feed", LogIndex(1)), LogPosition(5));
  EXPECT_EQ(vector.at("feed", LogIndex(0)), LogPosition(0));
  EXPECT_EQ(vector.at("scoring", LogIndex(1)), LogPosition(0));
  PositionVector nothing;
  nothing.raise("feed", LogIndex(0), LogPosition(0));
  EXPECT_TRUE(nothing.empty());
}

TEST(PositionVectors, CoverOnlyWhatTheyName) {
  PositionVector reader;
  reader.raise("feed", LogIndex(0), LogPosition(5));
  PositionVector wanted;
  wanted.raise("feed", LogIndex(0), LogPosition(5));
  EXPECT_TRUE(reader.covers(wanted));
  wanted.raise("scoring", LogIndex(0), LogPosition(9));
  EXPECT_TRUE(reader.covers(wanted)) << "a service that the reader does not consume";
  wanted.raise("feed", LogIndex(1), LogPosition(1));
  EXPECT_FALSE(reader.covers(wanted)) << "another log of a service that it consumes";
}

}  // namespace
}  // namespace tideline::eventsourcing
