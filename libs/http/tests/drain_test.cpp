// How a server stops: what has arrived is answered, whatever the moment.
#include "http/server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "running_server.hpp"
#include "test_client.hpp"

namespace tideline::http::testing {
namespace {

using std::chrono::milliseconds;

TEST(Drain, FinishesWhatHasBegunAndRefusesTheRest) {
  RunningServer running;
  TestClient idle(running.port());
  ASSERT_TRUE(idle.send(get("/hello")));
  ASSERT_TRUE(idle.receive());
  TestClient begun(running.port());
  ASSERT_TRUE(begun.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\na"));
  TestClient working(running.port());
  ASSERT_TRUE(working.send(get("/wait")));
  ASSERT_TRUE(running.gate.wait_for_visitors(1));

  bool drained = false;
  std::thread draining([&] { drained = running.server->drain(milliseconds(10'000)); });
  EXPECT_TRUE(idle.ended());
  EXPECT_TRUE(eventually([&] { return !TestClient(running.port()).connected(); }));
  ASSERT_TRUE(begun.send("b"));
  const auto echoed = begun.answer();
  EXPECT_EQ(echoed.body, "ab");
  EXPECT_EQ(echoed.header("Connection"), "close");
  running.gate.open();
  const auto waited = working.answer();
  EXPECT_EQ(waited.body, "waited");
  EXPECT_EQ(waited.header("Connection"), "close");
  draining.join();
  EXPECT_TRUE(drained);
}

// The reactor may hold a request that it has not handed over, or not even have read it.
TEST(Drain, AnswersWhateverHasArrived) {
  for (int round = 0; round < 100; ++round) {
    ServerOptions options;
    options.worker_threads = 2;
    RunningServer running(options);
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 6; ++i) {
      clients.push_back(std::make_unique<TestClient>(running.port()));
      ASSERT_TRUE(clients.back()->send(get("/echo/first")));
      ASSERT_EQ(clients.back()->answer().body, "first");
    }
    for (const auto& client : clients) ASSERT_TRUE(client->send(get("/echo/second")));
    for (const auto& client : clients) {
      ASSERT_TRUE(eventually([&] { return client->handed_over(); }));
    }
    ASSERT_TRUE(running.server->drain(milliseconds(10'000)));
    for (const auto& client : clients) {
      ASSERT_EQ(client->answer().body, "second") << "in round " << round;
      ASSERT_TRUE(client->ended());
    }
  }
}

TEST(Drain, DoesNotTakeBackWhatASlowClientHasNotReadYet) {
  RunningServer running;
  TestClient slow(running.port(), 4096);
  const std::string body(40'000, 'b');
  ASSERT_TRUE(slow.send(post("Content-Length: 40000\r\n", body)));
  ASSERT_TRUE(eventually([&] { return !running.observer.entries().empty(); }));
  EXPECT_FALSE(running.server->drain(milliseconds(200)));
  running.server->stop();
  EXPECT_EQ(slow.answer().body, body);
  EXPECT_TRUE(slow.ended());
}

TEST(Drain, GivesUpAtItsDeadline) {
  RunningServer running;
  TestClient working(running.port());
  ASSERT_TRUE(working.send(get("/wait")));
  ASSERT_TRUE(running.gate.wait_for_visitors(1));
  EXPECT_FALSE(running.server->drain(milliseconds(50)));
}

TEST(Stop, EndsEveryConnection) {
  auto running = std::make_unique<RunningServer>();
  TestClient idle(running->port());
  TestClient begun(running->port());
  ASSERT_TRUE(begun.send("GET /he"));
  ASSERT_TRUE(eventually([&] { return running->server->connections() == 2; }));
  running->server->stop();
  running->server->stop();
  EXPECT_TRUE(idle.ended());
  EXPECT_TRUE(begun.ended());
  EXPECT_EQ(running->observer.opened(), 2);
  EXPECT_EQ(running->observer.closed(), 2);
  EXPECT_EQ(running->server->connections(), 0);
}

}  // namespace
}  // namespace tideline::http::testing
