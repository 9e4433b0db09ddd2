// How a server stops: what has arrived is answered, whatever the moment.
#include "http/server/server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "http/server/wire_format.hpp"
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

TEST(Retire, SaysThatItStopsAndStaysUntilNothingIsUnderWay) {
  RunningServer running;
  TestClient before(running.port());
  ASSERT_TRUE(before.send(get("/hello")));
  EXPECT_EQ(before.answer().header(kStoppingHeader), "");
  TestClient working(running.port());
  ASSERT_TRUE(working.send(get("/wait")));
  ASSERT_TRUE(running.gate.wait_for_visitors(1));

  std::atomic<bool> is_over{false};
  std::thread retiring([&] {
    running.server->retire(milliseconds(0), milliseconds(10'000));
    is_over = true;
  });
  EXPECT_TRUE(eventually([&] {
    TestClient late(running.port());
    return late.send(get("/hello")) && late.answer().header(kStoppingHeader) == "1";
  })) << "the port is open";
  EXPECT_FALSE(is_over);
  running.gate.open();
  const auto waited = working.answer();
  EXPECT_EQ(waited.body, "waited");
  EXPECT_EQ(waited.header("Connection"), "close");
  EXPECT_EQ(waited.header(kStoppingHeader), "1");
  retiring.join();
}

TEST(Retire, LastsAsLongAsItIsToldToAndNoLonger) {
  RunningServer running;
  const auto begun = std::chrono::steady_clock::now();
  running.server->retire(milliseconds(30), milliseconds(10'000));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, milliseconds(30));
  TestClient working(running.port());
  ASSERT_TRUE(working.send(get("/wait")));
  ASSERT_TRUE(running.gate.wait_for_visitors(1));
  running.server->retire(milliseconds(0), milliseconds(50));
  EXPECT_TRUE(TestClient(running.port()).connected());
}

// Is told of a malformed request on the reactor's thread, and keeps it there.
class HoldingObserver final : public RequestObserver {
 public:
  void on_request(const RequestRecord& record) override {
    if (record.status == 400) gate.pass();
  }
  Gate gate;
};

// The only reactor has read nothing of it when the drain begins.
TEST(Drain, AnswersWhateverHasArrived) {
  const core::SystemClock clock;
  Router router(nullptr, clock);
  router.add(Method::Get, "/hello", Access::Public,
             [](const Request&) { return Response::text(200, "text/plain", "hello"); });
  HoldingObserver observer;
  ServerOptions options;
  options.reactor_threads = 1;
  Server server(options, router, clock, &observer);
  ASSERT_TRUE(server.start().ok());
  std::vector<std::unique_ptr<TestClient>> clients;
  // The one that will hold the reactor comes first: then a drain looks at the others before it
  // waits for this one.
  TestClient malformed(server.port());
  ASSERT_TRUE(malformed.send(get("/hello")));
  ASSERT_EQ(malformed.answer().body, "hello");
  for (int i = 0; i < 30; ++i) {
    clients.push_back(std::make_unique<TestClient>(server.port()));
    ASSERT_TRUE(clients.back()->send(get("/hello")));
    ASSERT_EQ(clients.back()->answer().body, "hello");
  }
  ASSERT_TRUE(malformed.send("?\r\n\r\n"));
  ASSERT_TRUE(observer.gate.wait_for_visitors(1));
  for (const auto& client : clients) {
    ASSERT_TRUE(client->send(get("/hello")));
    ASSERT_TRUE(eventually([&] { return client->handed_over(); }));
  }
  bool drained = false;
  std::thread owner([&] { drained = server.drain(milliseconds(10'000)); });
  EXPECT_TRUE(eventually([&] { return !TestClient(server.port()).connected(); }));
  observer.gate.open();
  for (const auto& client : clients) {
    EXPECT_EQ(client->answer().body, "hello");
    EXPECT_TRUE(client->ended());
  }
  owner.join();
  EXPECT_TRUE(drained);
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
