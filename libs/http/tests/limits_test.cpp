// The limits of time and number, over real sockets.
#include "http/server/server.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "http/server/shares.hpp"
#include "running_server.hpp"
#include "test_client.hpp"

namespace tideline::http::testing {
namespace {

using std::chrono::milliseconds;

TEST(Limits, TimesOutASlowHeadAndASlowBody) {
  ServerOptions options;
  options.header_timeout = milliseconds(100);
  options.body_timeout = milliseconds(100);
  RunningServer running(options);
  TestClient head(running.port());
  ASSERT_TRUE(head.send("GET /hello HT"));
  EXPECT_EQ(head.answer().status, 408);
  EXPECT_TRUE(head.ended());
  TestClient body(running.port());
  ASSERT_TRUE(body.send(post("Content-Length: 3\r\n", "a")));
  EXPECT_EQ(body.answer().status, 408);
  EXPECT_TRUE(body.ended());
}

// Each byte comes in time for the whole, but one pause is too long; then the other way round.
TEST(Limits, TimesOutAPauseAndATrickle) {
  ServerOptions options;
  options.pause_timeout = milliseconds(100);
  {
    RunningServer running(options);
    TestClient head(running.port());
    ASSERT_TRUE(head.send("GET /hello HT"));
    EXPECT_EQ(head.answer().status, 408);
    TestClient body(running.port());
    ASSERT_TRUE(body.send(post("Content-Length: 3\r\n", "a")));
    EXPECT_EQ(body.answer().status, 408);
  }
  options.pause_timeout = milliseconds(5000);
  options.header_timeout = milliseconds(300);
  RunningServer running(options);
  TestClient trickle(running.port());
  const auto began = std::chrono::steady_clock::now();
  ASSERT_TRUE(trickle.send("GET /hello HTTP/1.1\r\nX: "));
  while (!trickle.hears_within(milliseconds(20))) {
    ASSERT_TRUE(trickle.send("a"));
    ASSERT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
  }
  EXPECT_EQ(trickle.answer().status, 408);
}

TEST(Limits, ClosesASilentConnectionWithoutAWord) {
  ServerOptions options;
  options.first_byte_timeout = milliseconds(100);
  RunningServer running(options);
  TestClient silent(running.port());
  EXPECT_FALSE(silent.receive());
  EXPECT_TRUE(silent.ended());
}

TEST(Limits, ClosesAnIdleConnectionWithoutAWord) {
  ServerOptions options;
  options.idle_timeout = milliseconds(100);
  RunningServer running(options);
  TestClient once(running.port());
  ASSERT_TRUE(once.send(get("/hello")));
  EXPECT_EQ(once.answer().status, 200);
  EXPECT_TRUE(once.ended());
}

TEST(Limits, RefusesBeforeWorkBeginsWhenTheQueueIsFull) {
  ServerOptions options;
  options.worker_threads = 1;
  options.queued_requests_max = 1;
  RunningServer running(options);
  TestClient working(running.port());
  ASSERT_TRUE(working.send(get("/wait")));
  ASSERT_TRUE(running.gate.wait_for_visitors(1));
  TestClient queued(running.port());
  ASSERT_TRUE(queued.send(get("/echo/queued")));
  ASSERT_TRUE(eventually([&] { return running.server->requests_in_flight() == 2; }));
  TestClient refused(running.port());
  ASSERT_TRUE(refused.send(get("/hello")));
  const auto answer = refused.answer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.header("Retry-After"), "1");
  running.gate.open();
  EXPECT_EQ(working.answer().body, "waited");
  EXPECT_EQ(queued.answer().body, "queued");
  ASSERT_TRUE(refused.send(get("/hello")));
  EXPECT_EQ(refused.answer().status, 200);
}

// Of a server that takes two connections; `meanwhile` while it has them.
void expect_a_third_is_refused(
    const RunningServer& running, const std::function<void()>& meanwhile = [] {}) {
  TestClient first(running.port());
  TestClient second(running.port());
  ASSERT_TRUE(first.send(get("/hello")) && second.send(get("/hello")));
  ASSERT_TRUE(first.receive() && second.receive());
  TestClient third(running.port());
  const auto refused = third.answer();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_EQ(refused.header("Connection"), "close");
  EXPECT_TRUE(third.ended());
  meanwhile();
  first.hang_up();
  EXPECT_TRUE(eventually([&] {
    TestClient again(running.port());
    return again.send(get("/hello")) && again.answer().status == 200;
  }));
}

TEST(Limits, TakesNoMoreConnectionsThanItMay) {
  ServerOptions options;
  options.connections_max = 2;
  options.connections_per_source_max = 2;
  const RunningServer running(options);
  expect_a_third_is_refused(running);
}

TEST(Limits, TakesNoMoreConnectionsOfOneAddressThanItsShare) {
  ServerOptions options;
  options.connections_per_source_max = 2;
  const RunningServer running(options);
  expect_a_third_is_refused(running, [&] {
    TestClient elsewhere(running.port(), 0, "127.0.0.2");
    ASSERT_TRUE(elsewhere.send(get("/hello")));
    EXPECT_EQ(elsewhere.answer().status, 200);
  });
}

TEST(Shares, EachHolderHasItsOwnAndGivesItBack) {
  Shares shares(2);
  EXPECT_TRUE(shares.take("ada") && shares.take("ada"));
  EXPECT_FALSE(shares.take("ada"));
  EXPECT_TRUE(shares.take("ben"));
  shares.give_back("ada");
  EXPECT_TRUE(shares.take("ada"));
  EXPECT_FALSE(shares.take("ada"));
  EXPECT_FALSE(Shares(0).take("ada"));
}

}  // namespace
}  // namespace tideline::http::testing
