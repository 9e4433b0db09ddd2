#include "core/encoding.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tideline::core {
namespace {

TEST(Encodings, GiveTheirBytesBack) {
  EXPECT_TRUE(rc::check("round trips", [](const Bytes& bytes) {
    RC_ASSERT(from_hex(to_hex(bytes)) == bytes);
    RC_ASSERT(from_base32(to_base32(bytes)) == bytes);
    RC_ASSERT(from_base64url(to_base64url(bytes)) == bytes);
  }));
}

TEST(Encodings, ReadOnlyWhatTheyWouldWrite) {
  EXPECT_TRUE(rc::check("a value has one text", [] {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("abAB012347-_=f+/ ")));
    if (const auto bytes = from_hex(text)) RC_ASSERT(to_hex(*bytes) == text);
    if (const auto bytes = from_base32(text)) RC_ASSERT(to_base32(*bytes) == text);
    if (const auto bytes = from_base64url(text)) RC_ASSERT(to_base64url(*bytes) == text);
  }));
}

TEST(Encodings, AreReadIntoThePlaceThatFits) {
  EXPECT_TRUE(rc::check("as the decoder without a place", [] {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("abc27")));
    const auto place = *rc::gen::inRange<std::size_t>(0, 12);
    Bytes bytes(place);
    const auto of_hex = from_hex(text);
    RC_ASSERT(read_hex(text, bytes) == (of_hex && of_hex->size() == place));
    if (of_hex && of_hex->size() == place) RC_ASSERT(bytes == *of_hex);
    const auto of_base32 = from_base32(text);
    RC_ASSERT(read_base32(text, bytes) == (of_base32 && of_base32->size() == place));
    if (of_base32 && of_base32->size() == place) RC_ASSERT(bytes == *of_base32);
  }));
}

// RFC 4648, section 10.
TEST(Encodings, MatchTheStandardsExamples) {
  EXPECT_EQ(to_hex(as_bytes("foobar")), "666f6f626172");
  EXPECT_EQ(to_base32(as_bytes("f")), "my");
  EXPECT_EQ(to_base32(as_bytes("foobar")), "mzxw6ytboi");
  EXPECT_EQ(to_base64url(as_bytes("fooba")), "Zm9vYmE");
  EXPECT_EQ(to_base64url(Bytes{0xfb, 0xff}), "-_8");
  EXPECT_EQ(to_hex({}), "");
}

TEST(Encodings, RefuseWhatIsCutOrFilledUp) {
  EXPECT_FALSE(from_hex("abc").has_value());
  EXPECT_FALSE(from_hex("AB").has_value());
  EXPECT_FALSE(from_base32("a").has_value());
  EXPECT_FALSE(from_base32("mz").has_value()) << "filling bits that are not zero";
  EXPECT_FALSE(from_base64url("Zg==").has_value());
  EXPECT_FALSE(from_base64url("Zh").has_value());
}

}  // namespace
}  // namespace tideline::core
