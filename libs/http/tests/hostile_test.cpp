// Clients that mean no good, over real sockets. The table of their answers is in docs/http.md.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "running_server.hpp"
#include "test_client.hpp"

namespace tideline::http::testing {
namespace {

using std::chrono::milliseconds;

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) all.append(text);
  return all;
}

std::string with_byte(std::string text, char byte) {
  text[text.find('@')] = byte;
  return text;
}

std::string chunked(std::string_view body) { return post("Transfer-Encoding: chunked\r\n", body); }

std::string json(std::string_view body) {
  return "POST /json HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

struct Attack {
  const char* name;
  std::string bytes;
  int status;
};

std::ostream& operator<<(std::ostream& out, const Attack& attack) { return out << attack.name; }

class BrokenFraming : public ::testing::TestWithParam<Attack> {};

// What follows a framing error must never be taken for a request.
TEST_P(BrokenFraming, IsAnsweredOnceAndClosed) {
  RunningServer running;
  TestClient client(running.port());
  client.send(GetParam().bytes + get("/echo/smuggled"));
  const auto answer = client.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, GetParam().status);
  EXPECT_EQ(answer->header("Content-Type"), "application/problem+json");
  EXPECT_EQ(answer->header("Connection"), "close");
  EXPECT_EQ(Json::parse(answer->body)["status"], GetParam().status);
  EXPECT_FALSE(client.receive());
  EXPECT_TRUE(client.ended());
  for (const auto& entry : running.observer.entries())
    EXPECT_NE(entry.route_template, "/echo/{id}");
  TestClient other(running.port());
  ASSERT_TRUE(other.send(get("/hello")));
  EXPECT_EQ(other.answer().body, "hello");
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, BrokenFraming,
    ::testing::Values(
        Attack{"ManySlashes", get(repeated("/", 20'000)), 414},
        Attack{"ManyFields", get("/hello", repeated("X: y\r\n", 100'000)), 431},
        Attack{"LargeField", get("/hello", "X: " + repeated("a", 100'000)), 431},
        Attack{"NegativeLength", post("Content-Length: -1\r\n", ""), 400},
        Attack{"SameLengthTwice", post("Content-Length: 1\r\nContent-Length: 1\r\n", "a"), 400},
        Attack{"TwoLengths", post("Content-Length: 1\r\nContent-Length: 30\r\n", "a"), 400},
        Attack{"HugeLength", post("Content-Length: 18446744073709551616\r\n", ""), 413},
        Attack{"LargeLength", post("Content-Length: 1048577\r\n", ""), 413},
        Attack{"HugeChunk", chunked("ffffffffffffffff\r\na"), 413},
        Attack{"OverflowingChunk", chunked("10000000000000000\r\na"), 400},
        Attack{"LargeBodyInChunks",
               chunked(repeated("10000\r\n" + std::string(65536, 'a') + "\r\n", 17)), 413},
        Attack{"EndlessExtension", chunked("1;" + repeated("a", 100'000)), 400},
        Attack{"EndlessTrailer", chunked("0\r\n" + repeated("X: y\r\n", 100'000)), 400}));

INSTANTIATE_TEST_SUITE_P(
    Ambiguities, BrokenFraming,
    ::testing::Values(
        Attack{"LengthAndChunked",
               post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400},
        Attack{"ChunkedTwice",
               post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
               400},
        Attack{"ChunkedAndIdentity", post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"),
               501},
        Attack{"XChunked", post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), 501},
        Attack{"VerticalTab",
               post("Transfer-Encoding: \x0b"
                    "chunked\r\n",
                    "0\r\n\r\n"),
               400},
        Attack{"BlankBeforeColon", post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"), 400},
        Attack{"BlankBeforeName", post(" Transfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400},
        Attack{"FoldedChunked", post("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n"), 400},
        Attack{"BareLineFeeds", "GET /hello HTTP/1.1\nHost: h\n\n", 400},
        Attack{"BareLineFeedInField", get("/hello", "X: a\nTransfer-Encoding: chunked\r\n"), 400},
        Attack{"BareCarriageReturnInField", get("/hello", "X: a\rContent-Length: 9\r\n"), 400},
        Attack{"NulInTarget", with_byte(get("/he@lo"), '\0'), 400},
        Attack{"NulInField", with_byte(get("/hello", "X: a@b\r\n"), '\0'), 400},
        Attack{"ControlByteInField", with_byte(get("/hello", "X: a@b\r\n"), '\x01'), 400},
        Attack{"DeleteInField", with_byte(get("/hello", "X: a@b\r\n"), '\x7f'), 400},
        Attack{"BareLineFeedInChunkSize", chunked("1\na\r\n0\r\n\r\n"), 400},
        Attack{"BareLineFeedAfterChunk", chunked("1\r\na\n0\r\n\r\n"), 400},
        Attack{"BareLineFeedInExtension", chunked("1;a\nb\r\na\r\n0\r\n\r\n"), 400},
        Attack{"BareCarriageReturnInExtension", chunked("1;a\rb\r\na\r\n0\r\n\r\n"), 400},
        Attack{"OtherBytesAfterChunk", chunked("1\r\naXX0\r\n\r\n"), 400},
        Attack{"BareLineFeedInTrailer", chunked("0\r\nX: y\n\r\n"), 400},
        Attack{"BareLineFeedsAtTheEnd", chunked("0\r\n\n"), 400},
        Attack{"SignedChunk", chunked("+1\r\na\r\n0\r\n\r\n"), 400},
        Attack{"PrefixedChunk", chunked("0x1\r\na\r\n0\r\n\r\n"), 400},
        Attack{"BlankBeforeChunkSize", chunked(" 1\r\na\r\n0\r\n\r\n"), 400},
        Attack{"BlankAfterChunkSize", chunked("1 \r\na\r\n0\r\n\r\n"), 400},
        Attack{"TwoHosts", get("/hello", "Host: i\r\n"), 400},
        Attack{"ChunkedIn10", "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
               400},
        Attack{"NoLengthIn10", "POST /echo HTTP/1.0\r\n\r\n", 411},
        Attack{"Tls", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), 400},
        Attack{"Http2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
        Attack{"UnknownMethod", "BREW /hello HTTP/1.1\r\nHost: h\r\n\r\n", 501}));

class OddBody : public ::testing::TestWithParam<Attack> {};

// The framing is sound: the connection goes on.
TEST_P(OddBody, IsRefusedAndTheNextRequestAnswered) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(client.send(GetParam().bytes + get("/hello")));
  EXPECT_EQ(client.answer().status, GetParam().status);
  EXPECT_EQ(client.answer().body, "hello");
}

INSTANTIATE_TEST_SUITE_P(
    Json, OddBody,
    ::testing::Values(Attack{"Deep", json(repeated("[", 100'000)), 400},
                      Attack{"DeepObjects", json(repeated("{\"a\":", 100'000)), 400},
                      Attack{"DuplicateKeys", json("{\"a\":1,\"a\":2}"), 400},
                      Attack{"InvalidUtf8", json("{\"a\":\"\xff\"}"), 400},
                      Attack{"LoneSurrogate", json("{\"a\":\"\\ud800\"}"), 400},
                      Attack{"Nul", json(std::string("{}\0", 3)), 400},
                      Attack{"HugeNumber", json("{\"a\":1e999}"), 400},
                      Attack{"EmptyBody", json(""), 400}, Attack{"NoObject", json("[]"), 422}));

TEST(Hostile, ManySlashesAndSegmentsAreNoWorkForTheRouter) {
  ServerOptions options;
  options.request_line_bytes_max = options.head_bytes_max = 64 * 1024;
  RunningServer running(options);
  TestClient client(running.port());
  for (const auto& target :
       {repeated("/", 20'000), repeated("/a", 20'000), repeated("/%61", 9000)}) {
    ASSERT_TRUE(client.send(get(target)));
    EXPECT_EQ(client.answer().status, 404);
  }
}

TEST(Hostile, ARequestCutInTwoAnywhereIsReadTheSame) {
  RunningServer running;
  const std::string bytes = get("/echo/first") +
                            chunked("3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-Late: no\r\n\r\n") +
                            get("/echo/last");
  TestClient client(running.port());
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    ASSERT_TRUE(client.send(std::string_view(bytes).substr(0, cut)));
    ASSERT_TRUE(eventually([&] { return client.handed_over(); }));
    ASSERT_TRUE(client.send(std::string_view(bytes).substr(cut)));
    ASSERT_EQ(client.answer().body, "first") << "cut at " << cut;
    ASSERT_EQ(client.answer().body, "abc0123456789") << "cut at " << cut;
    ASSERT_EQ(client.answer().body, "last") << "cut at " << cut;
  }
}

TEST(Hostile, AClientMayReadByteByByte) {
  RunningServer running;
  const std::string body(60'000, 'b');
  TestClient client(running.port(), 2048);
  ASSERT_TRUE(client.send(post("Content-Length: 60000\r\n", body)));
  client.read_at_most(1);
  EXPECT_EQ(client.answer().body, body);
}

TEST(Hostile, SlowLorisesAreClosedAndOthersServed) {
  constexpr std::size_t kLorises = 300;
  ServerOptions options;
  options.header_timeout = milliseconds(1000);
  RunningServer running(options);
  std::vector<std::unique_ptr<TestClient>> lorises;
  for (std::size_t i = 0; i < kLorises; ++i) {
    lorises.push_back(std::make_unique<TestClient>(running.port()));
    ASSERT_TRUE(lorises.back()->send("GET /hello HTTP/1.1\r\n"));
  }
  TestClient good(running.port());
  std::size_t served = 0;
  while (running.observer.count(408) < kLorises) {
    ASSERT_LT(++served, 100'000u);
    ASSERT_TRUE(good.send(get("/hello")));
    ASSERT_EQ(good.answer().body, "hello");
    lorises[served % kLorises]->send("X: y\r\n");
  }
  for (const auto& loris : lorises) EXPECT_EQ(loris->answer().status, 408);
  EXPECT_TRUE(eventually([&] { return running.server->connections() == 1; }));
}

TEST(Hostile, ClientsThatEndInTheMiddleLeaveNothingBehind) {
  RunningServer running;
  const std::vector<std::string> beginnings{"",
                                            "G",
                                            "GET /hello HTTP/1.1\r\n",
                                            post("Content-Length: 10\r\n", "12345"),
                                            chunked("5\r\n123"),
                                            get("/large")};
  for (int round = 0; round < 10; ++round) {
    for (const std::string& bytes : beginnings) {
      TestClient halved(running.port());
      ASSERT_TRUE(halved.send(bytes));
      halved.end_sending();
      TestClient dropped(running.port());
      ASSERT_TRUE(dropped.send(bytes));
      dropped.reset();
      const bool answered = bytes.starts_with("GET /large");
      EXPECT_NE(halved.ended(), answered);
    }
  }
  EXPECT_TRUE(eventually([&] { return running.server->connections() == 0; }));
  EXPECT_TRUE(eventually([&] { return running.server->requests_in_flight() == 0; }));
  TestClient good(running.port());
  ASSERT_TRUE(good.send(get("/hello")));
  EXPECT_EQ(good.answer().body, "hello");
}

std::size_t allocated_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(Hostile, AnIdleConnectionHoldsNoBodyOfItsLastRequest) {
  constexpr std::size_t kClients = 60;
  const std::string body(1024 * 1024, ' ');
  RunningServer running;
  const std::size_t before = allocated_bytes();
  std::vector<std::unique_ptr<TestClient>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<TestClient>(running.port()));
    ASSERT_TRUE(clients.back()->send(json(body)));
    ASSERT_EQ(clients.back()->answer().status, 400);
  }
  EXPECT_EQ(running.server->connections(), kClients);
  EXPECT_LT(allocated_bytes(), before + kClients * body.size() / 4);
}

// A process of its own: server and clients together would need more descriptors than one may have.
class IdleCrowd {
 public:
  // Before any thread runs.
  IdleCrowd() {
    EXPECT_EQ(pipe(to_child_.data()), 0);
    EXPECT_EQ(pipe(from_child_.data()), 0);
    child_ = fork();
    if (child_ == 0) be_the_crowd();
    close(to_child_[0]);
    close(from_child_[1]);
  }
  ~IdleCrowd() {
    if (to_child_[1] >= 0) leave();
    waitpid(child_, nullptr, 0);
    close(from_child_[0]);
  }
  IdleCrowd(const IdleCrowd&) = delete;
  IdleCrowd& operator=(const IdleCrowd&) = delete;

  // How many have connected.
  int come(std::uint16_t port, int count) {
    const std::array<int, 2> order{port, count};
    int connected = 0;
    EXPECT_EQ(write(to_child_[1], order.data(), sizeof order), static_cast<ssize_t>(sizeof order));
    EXPECT_EQ(read(from_child_[0], &connected, sizeof connected),
              static_cast<ssize_t>(sizeof connected));
    return connected;
  }
  void leave() { close(std::exchange(to_child_[1], -1)); }

 private:
  [[noreturn]] void be_the_crowd() const {
    close(to_child_[1]);
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    std::array<int, 2> order{};
    if (read(to_child_[0], order.data(), sizeof order) != sizeof order) _exit(1);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(order[0]));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int connected = 0;
    while (connected < order[1]) {
      const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
      if (connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) break;
      ++connected;
    }
    if (write(from_child_[1], &connected, sizeof connected) != sizeof connected) _exit(1);
    char end = 0;
    _exit(static_cast<int>(read(to_child_[0], &end, 1)));
  }

  std::array<int, 2> to_child_{};
  std::array<int, 2> from_child_{};
  pid_t child_ = -1;
};

TEST(Hostile, TenThousandIdleConnectionsCostOthersNothing) {
  IdleCrowd crowd;
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  // A descriptor a connection and what the rest of the process needs; fewer where fewer may be.
  const auto affordable = static_cast<int>(std::min<rlim_t>(limit.rlim_max, 1'000'000)) - 600;
  const int count = std::min(10'000, affordable);
  ASSERT_GT(count, 1000) << "too few descriptors for this test";
  ServerOptions options;
  options.connections_max = static_cast<std::size_t>(count) + 2;
  options.connections_per_source_max = options.connections_max;
  options.first_byte_timeout = std::chrono::seconds(120);
  RunningServer running(options);
  TestClient before(running.port());
  ASSERT_TRUE(before.send(get("/hello")));
  EXPECT_EQ(before.answer().status, 200);
  ASSERT_EQ(crowd.come(running.port(), count), count);
  EXPECT_TRUE(eventually(
      [&] { return running.server->connections() == static_cast<std::size_t>(count) + 1; }));
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(before.send(get("/echo/" + std::to_string(i))));
    ASSERT_EQ(before.answer().body, std::to_string(i));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
  TestClient after(running.port());
  ASSERT_TRUE(after.send(get("/hello")));
  EXPECT_EQ(after.answer().status, 200);
  crowd.leave();
  EXPECT_TRUE(eventually([&] { return running.server->connections() == 2; }));
}

}  // namespace
}  // namespace tideline::http::testing
