// Answers that are read piece by piece while they are sent, over real sockets.
#include "http/messages/body_source.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>

#include "running_server.hpp"
#include "test_client.hpp"

namespace tideline::http::testing {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMiB = 1024 * 1024;
constexpr std::size_t kPiece = 256 * 1024;

class PulledBody : public ::testing::Test {
 protected:
  PulledBody() : router(nullptr, clock) {
    router.add(Method::Get, "/file/{mib}", Access::Public, [this](const Request& request) {
      return file(std::stoul(std::string(request.param("mib"))) * kMiB);
    });
    router.add(Method::Get, "/hello", Access::Public,
               [](const Request&) { return Response::text(200, "text/plain", "hello"); });
  }
  ~PulledBody() override {
    gate.open();
    if (server) server->stop();
  }

  static char byte_at(std::uint64_t offset) { return static_cast<char>('a' + offset % 23); }
  static std::string bytes(std::uint64_t begin, std::uint64_t end) {
    std::string made;
    made.reserve(end - begin);
    for (; begin < end; ++begin) made.push_back(byte_at(begin));
    return made;
  }

  Response file(std::size_t size) {
    Response response = Response::text(200, "application/octet-stream", "")
                            .header("ETag", "\"hash\"")
                            .header("Accept-Ranges", "bytes");
    response.source = std::make_shared<BodySource>();
    response.source->end = size;
    response.source->read = [this, size,
                             in_use = std::make_shared<InUse>(sources)](std::uint64_t offset) {
      ++reads;
      if (offset >= fails_at) throw std::runtime_error("the database is away");
      if (offset >= waits_at) gate.pass();
      return bytes(offset, std::min<std::uint64_t>(size, offset / kPiece * kPiece + kPiece));
    };
    return response;
  }

  void start() {
    server = std::make_unique<Server>(options, router, clock, &observer);
    ASSERT_TRUE(server->start().ok());
  }

  // Counts the sources that somebody still has.
  struct InUse {
    explicit InUse(std::atomic<int>& all) : count(all) { ++count; }
    ~InUse() { --count; }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;
    std::atomic<int>& count;
  };

  core::SystemClock clock;
  ServerOptions options;
  Gate gate;
  RecordingObserver observer;
  std::atomic<int> sources{0};
  std::atomic<int> reads{0};
  std::atomic<std::uint64_t> fails_at{UINT64_MAX};
  std::atomic<std::uint64_t> waits_at{UINT64_MAX};
  Router router;
  std::unique_ptr<Server> server;
};

TEST_F(PulledBody, ComesWholeAndTheConnectionGoesOn) {
  start();
  TestClient client(server->port());
  // What is sent ahead is answered behind it.
  ASSERT_TRUE(client.send(get("/hello") + get("/file/3") + get("/hello")));
  EXPECT_EQ(client.answer().body, "hello");
  const Answer answer = client.answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.body == bytes(0, 3 * kMiB));
  EXPECT_EQ(client.answer().body, "hello");
  EXPECT_EQ(reads, 12);
  EXPECT_EQ(sources, 0);
  EXPECT_TRUE(eventually([&] { return observer.entries().size() == 3; }));
  for (const auto& entry : observer.entries()) EXPECT_TRUE(entry.delivered);
}

TEST_F(PulledBody, OfARangeNoMoreIsReadThanItNeeds) {
  start();
  TestClient client(server->port());
  const std::uint64_t begin = kPiece + 5;
  ASSERT_TRUE(client.send(get("/file/20", "Range: bytes=" + std::to_string(begin) + "-" +
                                              std::to_string(2 * kPiece) + "\r\n")));
  const Answer answer = client.answer();
  EXPECT_EQ(answer.status, 206);
  EXPECT_TRUE(answer.body == bytes(begin, 2 * kPiece + 1));
  EXPECT_EQ(answer.header("Content-Range"),
            "bytes " + std::to_string(begin) + "-" + std::to_string(2 * kPiece) + "/20971520");
  EXPECT_EQ(reads, 2);
  ASSERT_TRUE(client.send(get("/file/20", "Range: bytes=20971520-\r\n")));
  EXPECT_EQ(client.answer().status, 416);
  ASSERT_TRUE(client.send(get("/file/20", "If-None-Match: \"hash\"\r\n")));
  EXPECT_EQ(client.answer(true).status, 304);
  EXPECT_EQ(reads, 2);
}

TEST_F(PulledBody, HeadTellsItsLengthAndReadsNothing) {
  start();
  TestClient client(server->port());
  ASSERT_TRUE(client.send("HEAD /file/20 HTTP/1.1\r\nHost: h\r\n\r\n" + get("/hello")));
  const Answer answer = client.answer(true);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Content-Length"), std::to_string(20 * kMiB));
  EXPECT_EQ(answer.header("Accept-Ranges"), "bytes");
  EXPECT_EQ(client.answer().body, "hello");
  EXPECT_EQ(reads, 0);
}

TEST_F(PulledBody, EmptyIsAnAnswer) {
  start();
  TestClient client(server->port());
  ASSERT_TRUE(client.send(get("/file/0") + get("/hello")));
  EXPECT_EQ(client.answer().header("Content-Length"), "0");
  EXPECT_EQ(client.answer().body, "hello");
}

TEST_F(PulledBody, AFailureBeforeTheFirstPieceIs500AndALaterOneEndsTheConnection) {
  start();
  fails_at = 0;
  TestClient client(server->port());
  ASSERT_TRUE(client.send(get("/file/3")));
  EXPECT_EQ(client.answer().status, 500);
  fails_at = 2 * kMiB;
  ASSERT_TRUE(client.send(get("/file/3")));
  EXPECT_FALSE(client.receive());
  EXPECT_TRUE(eventually([&] { return observer.entries().size() == 2; }));
  const auto entry = observer.entries().at(1);
  EXPECT_FALSE(entry.delivered);
  EXPECT_EQ(entry.failure, "the database is away");
  EXPECT_TRUE(eventually([&] { return sources == 0 && server->connections() == 0; }));
}

// One worker: a client that reads slowly, or not at all, must not hold it.
TEST_F(PulledBody, ASlowReaderHoldsAPieceAndNoWorker) {
  constexpr std::size_t kReaders = 40;
  options.worker_threads = 1;
  start();
  const auto allocated = [] {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const std::size_t before = allocated();
  std::vector<std::unique_ptr<TestClient>> readers;
  for (std::size_t i = 0; i < kReaders; ++i) {
    readers.push_back(std::make_unique<TestClient>(server->port(), 4096));
    ASSERT_TRUE(readers.back()->send(get("/file/20")));
    ASSERT_EQ(readers.back()->receive_head().status, 200);
  }
  TestClient other(server->port());
  ASSERT_TRUE(other.send(get("/hello")));
  EXPECT_EQ(other.answer().body, "hello");
  EXPECT_TRUE(eventually([&] { return server->requests_in_flight() == 0; }));
  EXPECT_LT(allocated(), before + kReaders * 2 * kPiece) << "of " << kReaders * 20 << " MiB";
  for (const auto& reader : readers) reader->reset();
  EXPECT_TRUE(eventually([&] { return sources == 0 && server->connections() == 1; }));
}

// The whole takes many times of a write: each piece has its own.
TEST_F(PulledBody, EachPieceHasItsOwnTime) {
  options.write_timeout = milliseconds(400);
  start();
  TestClient slow(server->port(), 32 * 1024);
  ASSERT_TRUE(slow.send(get("/file/20")));
  const auto began = std::chrono::steady_clock::now();
  slow.read_at_most(1);
  ASSERT_EQ(slow.receive_head().status, 200);
  std::size_t got = 0;
  while (got < 20 * kMiB) {
    // A kernel's buffer may hold several pieces, so the pauses are small ones.
    if (got % (512 * 1024) < 8192) {
      pollfd nothing{-1, 0, 0};
      poll(&nothing, 1, 20);
    }
    char bytes[8192];
    const auto count = recv(slow.descriptor(), bytes, sizeof bytes, 0);
    ASSERT_GT(count, 0) << "after " << got;
    got += static_cast<std::size_t>(count);
  }
  EXPECT_GT(std::chrono::steady_clock::now() - began, options.write_timeout);
  TestClient silent(server->port(), 4096);
  ASSERT_TRUE(silent.send(get("/file/20")));
  EXPECT_TRUE(eventually([&] {
    const auto entries = observer.entries();
    return entries.size() == 2 && !entries[1].delivered;
  })) << "who takes nothing of a piece is reset";
  EXPECT_TRUE(eventually([&] { return sources == 0; }));
}

TEST_F(PulledBody, AClientThatGoesAwayLeavesNothingBehind) {
  start();
  for (int round = 0; round < 10; ++round) {
    TestClient dropped(server->port(), 4096);
    ASSERT_TRUE(dropped.send(get("/file/20")));
    ASSERT_EQ(dropped.receive_head().status, 200);
    dropped.reset();
    TestClient halved(server->port());
    ASSERT_TRUE(halved.send(get("/file/2")));
    halved.end_sending();
    EXPECT_EQ(halved.answer().body.size(), 2 * kMiB) << "it may still listen";
    EXPECT_TRUE(halved.ended());
  }
  // While a piece is being read.
  waits_at = kMiB;
  TestClient waiting(server->port());
  ASSERT_TRUE(waiting.send(get("/file/20")));
  ASSERT_TRUE(gate.wait_for_visitors(1));
  waiting.reset();
  gate.open();
  EXPECT_TRUE(eventually([&] { return sources == 0 && server->connections() == 0; }));
  EXPECT_TRUE(eventually([&] { return server->requests_in_flight() == 0; }));
}

TEST_F(PulledBody, ADrainWaitsForItsEnd) {
  start();
  waits_at = kMiB;
  TestClient client(server->port());
  ASSERT_TRUE(client.send(get("/file/3")));
  ASSERT_TRUE(gate.wait_for_visitors(1));
  EXPECT_FALSE(server->drain(milliseconds(30)));
  std::string body;
  std::thread reading([&] { body = client.answer().body; });
  gate.open();
  EXPECT_TRUE(server->drain(std::chrono::seconds(10)));
  reading.join();
  EXPECT_TRUE(body == bytes(0, 3 * kMiB));
}

TEST_F(PulledBody, AStopEndsItWhereverItIs) {
  start();
  TestClient slow(server->port(), 4096);
  ASSERT_TRUE(slow.send(get("/file/20")));
  ASSERT_EQ(slow.receive_head().status, 200);
  server->stop();
  EXPECT_EQ(sources, 0);
}

}  // namespace
}  // namespace tideline::http::testing
