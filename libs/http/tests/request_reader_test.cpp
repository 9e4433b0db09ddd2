// Framing without sockets: every shape of request, however it is cut into pieces.
#include "http/server/request_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tideline::http {
namespace {

constexpr FramingLimits kLimits{1000, 2000, 20, 300};

struct Reading {
  std::vector<Request> requests;
  std::vector<bool> keep_alive;
  int refused = 0;  // status, 0 = not refused
};

// Feeds `bytes` in pieces of `piece` bytes, as a connection would.
Reading read_all(std::string_view bytes, std::size_t piece, FramingLimits limits = kLimits) {
  RequestReader reader(limits);
  Reading reading;
  std::string inbox;
  while (!bytes.empty()) {
    inbox.append(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (;;) {
      const auto step = reader.advance(inbox);
      inbox.erase(0, step.consumed);
      if (step.progress == Progress::Refused) {
        reading.refused = reader.refusal().status;
        return reading;
      }
      if (step.progress != Progress::Complete) break;
      reading.keep_alive.push_back(reader.keep_alive());
      reading.requests.push_back(reader.take());
    }
  }
  return reading;
}

struct Refusal {
  const char* name;
  std::string bytes;
  int status;
};

std::ostream& operator<<(std::ostream& out, const Refusal& refusal) { return out << refusal.name; }

class RefusedRequest : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusedRequest, IsRefusedHoweverItIsCut) {
  const auto& [name, bytes, status] = GetParam();
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    const Reading reading = read_all(bytes, piece);
    ASSERT_EQ(reading.refused, status) << "in pieces of " << piece;
    ASSERT_TRUE(reading.requests.empty()) << "in pieces of " << piece;
    if (piece > 64) piece += 97;
  }
}

std::string post(std::string_view fields, std::string_view body = "") {
  return "POST /a HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n" + std::string(body);
}
std::string get(std::string_view target) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n\r\n";
}
std::string many_fields(int count) {
  std::string fields;
  for (int i = 0; i < count; ++i) fields += "X-" + std::to_string(i) + ": v\r\n";
  return fields;
}
std::string with_nul(std::string text) {
  const std::size_t at = text.find('@');
  text[at] = '\0';
  return text;
}

INSTANTIATE_TEST_SUITE_P(
    RequestLine, RefusedRequest,
    ::testing::Values(Refusal{"BareLineFeed", "GET / HTTP/1.1\nHost: h\n\n", 400},
                      Refusal{"BareLineFeedLater", "GET / HTTP/1.1\r\nHost: h\n\r\n", 400},
                      Refusal{"BareCarriageReturn", "GET / HTTP/1.1\rHost: h\r\n\r\n", 400},
                      Refusal{"TwoEmptyLinesAhead", "\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
                              400},
                      Refusal{"NoVersion", "GET /\r\n\r\n", 400},
                      Refusal{"TwoSpaces", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
                      Refusal{"SpaceInTarget", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", 400},
                      Refusal{"Tab", "GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n", 400},
                      Refusal{"LowerCaseVersion", "GET / http/1.1\r\nHost: h\r\n\r\n", 400},
                      Refusal{"Version2", "GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505},
                      Refusal{"Version09", "GET / HTTP/0.9\r\nHost: h\r\n\r\n", 505},
                      Refusal{"Preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
                      Refusal{"UnknownMethod", "BREW / HTTP/1.1\r\nHost: h\r\n\r\n", 501},
                      Refusal{"LowerCaseMethod", "get / HTTP/1.1\r\nHost: h\r\n\r\n", 501},
                      Refusal{"Connect", "CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n", 501},
                      Refusal{"Trace", "TRACE / HTTP/1.1\r\nHost: h\r\n\r\n", 501},
                      Refusal{"MethodNoToken", "G@T / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
                      Refusal{"TlsHello", std::string("\x16\x03\x01\x02\x00\x01", 6), 400},
                      Refusal{"LongLine", get("/" + std::string(300, 'a')), 414},
                      Refusal{"EndlessLine", "GET /" + std::string(3000, 'a'), 414}));

INSTANTIATE_TEST_SUITE_P(
    Target, RefusedRequest,
    ::testing::Values(
        Refusal{"Relative", get("a"), 400}, Refusal{"Star", get("*"), 400},
        Refusal{"DotDot", get("/a/../b"), 400}, Refusal{"EncodedDotDot", get("/a/%2e%2E/b"), 400},
        Refusal{"Dot", get("/./b"), 400}, Refusal{"EncodedSlash", get("/a%2fb"), 400},
        Refusal{"EncodedNul", get("/a%00"), 400}, Refusal{"EncodedLineFeed", get("/a%0a"), 400},
        Refusal{"BadEscape", get("/a%zz"), 400}, Refusal{"CutEscape", get("/a%2"), 400},
        Refusal{"InvalidUtf8", get("/a%ff"), 400},
        Refusal{"InvalidUtf8Query", get("/a?b=%c0%80"), 400}, Refusal{"Fragment", get("/a#b"), 400},
        Refusal{"Backslash", get("/a\\b"), 400}, Refusal{"RawUtf8", get("/\xc3\xa4"), 400},
        Refusal{"OtherScheme", get("ftp://h/a"), 400},
        Refusal{"UserInfo", get("http://user@h/a"), 400},
        Refusal{"NoAuthority", get("http:///a"), 400}));

INSTANTIATE_TEST_SUITE_P(
    Fields, RefusedRequest,
    ::testing::Values(
        Refusal{"NoHost", "GET / HTTP/1.1\r\n\r\n", 400},
        Refusal{"EmptyHost", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400},
        Refusal{"TwoHosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400},
        Refusal{"HostWithPath", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
        Refusal{"TwoHostsIn10", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400},
        Refusal{"FoldedLine", post("X: a\r\n b\r\n"), 400},
        Refusal{"FoldedFirstLine", "GET / HTTP/1.1\r\n Host: h\r\n\r\n", 400},
        Refusal{"SpaceBeforeColon", post("X : a\r\n"), 400},
        Refusal{"NoColon", post("XYZ\r\n"), 400}, Refusal{"NoName", post(": a\r\n"), 400},
        Refusal{"Nul", with_nul(post("X: a@b\r\n")), 400},
        Refusal{"Escape", post("X: a\x1b[1m\r\n"), 400},
        Refusal{"Delete", post("X: a\x7f\r\n"), 400},
        Refusal{"TooManyFields", post(many_fields(20)), 431},
        Refusal{"LongField", post("X: " + std::string(2000, 'a') + "\r\n"), 431},
        Refusal{"EndlessField", "GET / HTTP/1.1\r\nX: " + std::string(4000, 'a'), 431},
        Refusal{"OddExpect", post("Expect: coffee\r\nContent-Length: 1\r\n", "x"), 417}));

INSTANTIATE_TEST_SUITE_P(
    Smuggling, RefusedRequest,
    ::testing::Values(
        Refusal{"LengthAndChunked",
                post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400},
        Refusal{"ChunkedAndLength",
                post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"), 400},
        Refusal{"TwoLengths", post("Content-Length: 1\r\nContent-Length: 2\r\n", "xy"), 400},
        Refusal{"SameLengthTwice", post("Content-Length: 1\r\nContent-Length: 1\r\n", "x"), 400},
        Refusal{"LengthList", post("Content-Length: 1, 1\r\n", "x"), 400},
        Refusal{"NegativeLength", post("Content-Length: -1\r\n"), 400},
        Refusal{"PlusLength", post("Content-Length: +1\r\n", "x"), 400},
        Refusal{"HexLength", post("Content-Length: 0x1\r\n", "x"), 400},
        Refusal{"EmptyLength", post("Content-Length:\r\n"), 400},
        Refusal{"HugeLength", post("Content-Length: 99999999999999999999999\r\n"), 413},
        Refusal{"LargeLength", post("Content-Length: 1001\r\n"), 413},
        Refusal{"TwoEncodings",
                post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400},
        Refusal{"Gzip", post("Transfer-Encoding: gzip\r\n"), 501},
        Refusal{"GzipChunked", post("Transfer-Encoding: gzip, chunked\r\n"), 501},
        Refusal{"ChunkedIdentity", post("Transfer-Encoding: chunked, identity\r\n"), 501},
        Refusal{"QuotedChunked", post("Transfer-Encoding: \"chunked\"\r\n"), 501},
        Refusal{"ChunkedIn10", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                400},
        Refusal{"NoLengthIn10", "POST / HTTP/1.0\r\n\r\n", 411}));

INSTANTIATE_TEST_SUITE_P(
    Chunks, RefusedRequest,
    ::testing::Values(
        Refusal{"NoNumber", post("Transfer-Encoding: chunked\r\n", "x\r\n\r\n"), 400},
        Refusal{"Negative", post("Transfer-Encoding: chunked\r\n", "-1\r\n\r\n"), 400},
        Refusal{"HexPrefix", post("Transfer-Encoding: chunked\r\n", "0x1\r\na\r\n0\r\n\r\n"), 400},
        Refusal{"Overflow",
                post("Transfer-Encoding: chunked\r\n", "10000000000000001\r\na\r\n0\r\n\r\n"), 400},
        Refusal{"LongerThanSaid", post("Transfer-Encoding: chunked\r\n", "1\r\nab\r\n0\r\n\r\n"),
                400},
        Refusal{"BareLineFeed", post("Transfer-Encoding: chunked\r\n", "1\na\n0\n\n"), 400},
        Refusal{"Large",
                post("Transfer-Encoding: chunked\r\n", "3e9\r\n" + std::string(1001, 'a') + "\r\n"),
                413},
        Refusal{"EndlessExtension",
                post("Transfer-Encoding: chunked\r\n", "1;" + std::string(3000, 'a')), 400}));

struct Accepted {
  const char* name;
  std::string bytes;
  std::string path;
  std::string body;
  bool keep_alive;
};

std::ostream& operator<<(std::ostream& out, const Accepted& accepted) {
  return out << accepted.name;
}

class AcceptedRequest : public ::testing::TestWithParam<Accepted> {};

TEST_P(AcceptedRequest, IsReadTwiceOverHoweverItIsCut) {
  const Accepted& expected = GetParam();
  const std::string twice = expected.bytes + expected.bytes;
  for (std::size_t piece = 1; piece <= twice.size(); ++piece) {
    const Reading reading = read_all(twice, piece);
    ASSERT_EQ(reading.refused, 0) << "in pieces of " << piece;
    ASSERT_EQ(reading.requests.size(), 2) << "in pieces of " << piece;
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_EQ(reading.requests[i].path, expected.path);
      ASSERT_EQ(reading.requests[i].body, expected.body) << "in pieces of " << piece;
      ASSERT_EQ(reading.keep_alive[i], expected.keep_alive);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, AcceptedRequest,
    ::testing::Values(
        Accepted{"Get", get("/a"), "/a", "", true},
        Accepted{"EmptyLineAhead", "\r\n" + get("/a"), "/a", "", true},
        Accepted{"AbsoluteForm", get("http://example.org:80/a/b?c"), "/a/b", "", true},
        Accepted{"AbsoluteWithoutPath", get("HTTPS://example.org"), "/", "", true},
        Accepted{"Decoded", get("/a%20b/%c3%a4+"), "/a b/\xc3\xa4+", "", true},
        Accepted{"ManySlashes", get("/" + std::string(200, '/')), "/" + std::string(200, '/'), "",
                 true},
        Accepted{"Close", "GET /a HTTP/1.1\r\nHost: h\r\nConnection: foo, Close\r\n\r\n", "/a", "",
                 false},
        Accepted{"Http10", "GET /a HTTP/1.0\r\n\r\n", "/a", "", false},
        Accepted{"Http10KeepAlive", "GET /a HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "/a", "",
                 true},
        Accepted{"Body", post("Content-Length: 5\r\n", "he\r\no"), "/a", "he\r\no", true},
        Accepted{"EmptyBody", post("Content-Length: 0\r\n"), "/a", "", true},
        Accepted{"NoLength", post(""), "/a", "", true},
        Accepted{"Chunked",
                 post("Transfer-Encoding: CHUNKED\r\n", "3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n"),
                 "/a", "abc0123456789", true},
        Accepted{"LineFeedsInChunk",
                 post("Transfer-Encoding: chunked\r\n", "9\r\n\n\n\n\na\n\nb\n\r\n0\r\n\r\n"), "/a",
                 "\n\n\n\na\n\nb\n", true},
        Accepted{"NoChunks", post("Transfer-Encoding: chunked\r\n", "0\r\n\r\n"), "/a", "", true},
        Accepted{"NoChunksAndTrailer", post("Transfer-Encoding: chunked\r\n", "0\r\nX: y\r\n\r\n"),
                 "/a", "", true},
        Accepted{"ChunkExtension",
                 post("Transfer-Encoding: chunked\r\n", "1;a=b\r\nx\r\n0;c\r\n\r\n"), "/a", "x",
                 true},
        Accepted{
            "Trailer",
            post("Transfer-Encoding: chunked\r\n", "1\r\nx\r\n0\r\nAuthorization: late\r\n\r\n"),
            "/a", "x", true},
        Accepted{"OptionsStar", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "*", "", true},
        Accepted{"AsManyFieldsAsAllowed", post(many_fields(19)), "/a", "", true}));

TEST(RequestReader, DropsTrailers) {
  const Reading reading =
      read_all(post("Transfer-Encoding: chunked\r\n", "0\r\nAuthorization: late\r\n\r\n"), 7);
  ASSERT_EQ(reading.requests.size(), 1);
  EXPECT_FALSE(reading.requests[0].header("Authorization"));
}

TEST(RequestReader, KeepsFieldsAndQueryInOrder) {
  const Reading reading = read_all(
      "GET /a?x=1&y&x=%41+b&&z= HTTP/1.1\r\nHost: h\r\nX-One:  a\t \r\nx-one: b\r\n\r\n", 100);
  ASSERT_EQ(reading.requests.size(), 1);
  const Request& request = reading.requests[0];
  EXPECT_EQ(request.query("x"), "1");
  EXPECT_EQ(request.query("y"), "");
  EXPECT_EQ(request.query("z"), "");
  EXPECT_FALSE(request.query("q"));
  EXPECT_EQ(request.query_parameters[2].second, "A b");
  EXPECT_EQ(request.header("X-ONE"), "a");
  EXPECT_EQ(request.headers.count("x-One"), 2);
}

TEST(RequestReader, AsksForTheBodyOnce) {
  RequestReader reader(kLimits);
  const std::string head = post("Expect: 100-Continue\r\nContent-Length: 2\r\n");
  EXPECT_EQ(reader.advance(head).progress, Progress::NeedBody);
  EXPECT_TRUE(reader.take_continue());
  EXPECT_FALSE(reader.take_continue());
  EXPECT_EQ(reader.advance("xy").progress, Progress::Complete);
}

TEST(RequestReader, DoesNotAskForABodyThatIsThere) {
  RequestReader reader(kLimits);
  EXPECT_EQ(reader.advance(post("Expect: 100-continue\r\nContent-Length: 2\r\n", "x")).progress,
            Progress::NeedBody);
  EXPECT_FALSE(reader.take_continue());
}

TEST(RequestReader, StaysRefused) {
  RequestReader reader(kLimits);
  EXPECT_EQ(reader.advance("GET\n").progress, Progress::Refused);
  EXPECT_EQ(reader.advance(get("/a")).progress, Progress::Refused);
}

TEST(RequestReader, TakesABodyOfExactlyTheLimit) {
  const std::string body(1000, 'b');
  const Reading plain = read_all(post("Content-Length: 1000\r\n", body), 64);
  ASSERT_EQ(plain.requests.size(), 1);
  EXPECT_EQ(plain.requests[0].body, body);
  const Reading chunked =
      read_all(post("Transfer-Encoding: chunked\r\n", "3e8\r\n" + body + "\r\n0\r\n\r\n"), 64);
  ASSERT_EQ(chunked.requests.size(), 1);
  EXPECT_EQ(chunked.requests[0].body, body);
}

}  // namespace
}  // namespace tideline::http
