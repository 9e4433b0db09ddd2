#include "http/messages/byte_range.hpp"

#include <gtest/gtest.h>

#include "http/messages/body_source.hpp"
#include "http/messages/representation.hpp"

namespace tideline::http {
namespace {

using Range = std::optional<ByteRange>;

TEST(ByteRanges, AreCutAtTheEnd) {
  EXPECT_EQ(parse_byte_range("bytes=0-0", 10), Range({0, 1}));
  EXPECT_EQ(parse_byte_range("bytes=2-5", 10), Range({2, 6}));
  EXPECT_EQ(parse_byte_range("Bytes= 2-", 10), Range({2, 10}));
  EXPECT_EQ(parse_byte_range("bytes=9-99999999999999999999999", 10), Range({9, 10}));
  EXPECT_EQ(parse_byte_range("bytes=-3", 10), Range({7, 10}));
  EXPECT_EQ(parse_byte_range("bytes=-99", 10), Range({0, 10}));
}

TEST(ByteRanges, MayHaveNothingOfWhatThereIs) {
  for (const char* beyond :
       {"bytes=10-", "bytes=10-12", "bytes=-0", "bytes=99999999999999999999999-"}) {
    const Range range = parse_byte_range(beyond, 10);
    ASSERT_TRUE(range) << beyond;
    EXPECT_TRUE(range->empty()) << beyond;
  }
  EXPECT_TRUE(parse_byte_range("bytes=0-", 0)->empty());
}

TEST(ByteRanges, OtherHeadersAskForEverything) {
  for (const char* other :
       {"", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-2", "bytes=1", "bytes=0-1,4-5",
        "items=0-1", "bytes=+1-2", "bytes=1 -2", "bytes=--1", "bytes=1-2-3", "bytes=-1,-2"}) {
    EXPECT_FALSE(parse_byte_range(other, 10)) << other;
  }
}

Response asked(const Parameters& headers, Response response, Method method = Method::Get) {
  Request request;
  request.method = method;
  request.path = "/file";
  for (const auto& [name, value] : headers) request.headers.add(name, value);
  return represent(request, std::move(response));
}

Response file(std::string body = "0123456789") {
  return Response::text(200, "text/plain", std::move(body))
      .header("ETag", "\"hash\"")
      .header("Accept-Ranges", "bytes");
}

TEST(Ranges, OnePartIsAnswered206) {
  const Response part = asked({{"Range", "bytes=2-4"}}, file());
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, "234");
  EXPECT_EQ(part.headers.find("Content-Range"), "bytes 2-4/10");
  EXPECT_EQ(part.headers.find("ETag"), "\"hash\"");
  EXPECT_EQ(part.headers.find("Content-Type"), "text/plain");
}

TEST(Ranges, BeyondTheEndIs416WithTheSize) {
  const Response none = asked({{"Range", "bytes=10-"}}, file());
  EXPECT_EQ(none.status, 416);
  EXPECT_EQ(none.headers.find("Content-Range"), "bytes */10");
  EXPECT_EQ(none.headers.find("Content-Type"), "application/problem+json");
}

TEST(Ranges, AreAskedAfterTheConditions) {
  const Parameters range{{"Range", "bytes=0-0"}};
  const auto with = [&](const char* name, const char* value) {
    Parameters headers = range;
    headers.emplace_back(name, value);
    return asked(headers, file()).status;
  };
  EXPECT_EQ(with("If-None-Match", "\"hash\""), 304);
  EXPECT_EQ(with("If-None-Match", "\"other\""), 206);
  EXPECT_EQ(with("If-Range", "\"hash\""), 206);
  EXPECT_EQ(with("If-Range", "W/\"hash\""), 200) << "a weak tag names no bytes";
  EXPECT_EQ(with("If-Range", "\"other\""), 200);
  EXPECT_EQ(with("If-Range", "\"hash.gz\""), 200);
  EXPECT_EQ(with("If-Range", "Sun, 06 Nov 1994 08:49:37 GMT"), 200);
  EXPECT_EQ(with("If-Match", "\"3\""), 412);
}

TEST(Ranges, AreForThoseThatOfferThemToGetAlone) {
  const Parameters range{{"Range", "bytes=0-0"}};
  Response whole = file();
  whole.headers.remove("Accept-Ranges");
  EXPECT_EQ(asked(range, whole).status, 200);
  EXPECT_EQ(asked(range, file(), Method::Head).status, 200);
  EXPECT_EQ(asked({{"Range", "bytes=0-0"}, {"Range", "bytes=1-1"}}, file()).status, 200);
}

TEST(Ranges, OfATextAreOfItsPlainForm) {
  const std::string text(5000, 'x');
  const Response packed = asked({{"Accept-Encoding", "gzip"}}, file(text));
  EXPECT_EQ(packed.headers.find("Content-Encoding"), "gzip");
  const Response part = asked({{"Accept-Encoding", "gzip"}, {"Range", "bytes=0-1999"}}, file(text));
  EXPECT_EQ(part.body, text.substr(0, 2000));
  EXPECT_FALSE(part.headers.find("Content-Encoding"));
}

TEST(Ranges, OfASourceAreReadFromTheirBegin) {
  const auto response = [] {
    Response made = file("");
    made.source = std::make_shared<BodySource>();
    made.source->end = 10;
    made.source->read = [](std::uint64_t offset) {
      return std::string("0123456789").substr(offset, 4);
    };
    return made;
  };
  const Response part = asked({{"Range", "bytes=3-8"}}, response());
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.headers.find("Content-Range"), "bytes 3-8/10");
  EXPECT_EQ(part.source->take(), "3456");
  EXPECT_EQ(part.source->left(), 2U);
  EXPECT_EQ(part.source->take(), "78");
  EXPECT_EQ(asked({{"If-None-Match", "\"hash\""}}, response()).source, nullptr);
  part.source->begin = 0;
  part.source->read = [](std::uint64_t) { return std::string(); };
  EXPECT_THROW((void)part.source->take(), std::runtime_error);
}

}  // namespace
}  // namespace tideline::http
