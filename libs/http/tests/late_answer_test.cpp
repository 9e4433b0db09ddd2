// Answers that are given later, over real sockets: nobody waits for them but their connections.
#include "http/late_answer.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "running_server.hpp"
#include "test_client.hpp"

namespace tideline::http::testing {
namespace {

using std::chrono::milliseconds;

ServerOptions one_worker() {
  ServerOptions options;
  options.worker_threads = 1;
  options.queued_requests_max = 4;
  return options;
}

TEST(LateAnswer, KeepsNoWorkerBusy) {
  constexpr std::size_t kClients = 50;
  RunningServer running(one_worker());
  std::vector<std::unique_ptr<TestClient>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<TestClient>(running.port()));
    ASSERT_TRUE(clients.back()->send(get("/late/" + std::to_string(i))));
    ASSERT_TRUE(eventually([&] { return running.late.owed() == i + 1; }));
  }
  EXPECT_EQ(running.server->requests_in_hand(), kClients);
  TestClient other(running.port());
  ASSERT_TRUE(other.send(get("/hello")));
  EXPECT_EQ(other.answer().body, "hello") << "the one worker is free";
  running.late.give();
  for (std::size_t i = 0; i < kClients; ++i) {
    EXPECT_EQ(clients[i]->answer().body, std::to_string(i) + "/0");
  }
  EXPECT_TRUE(eventually([&] { return running.server->requests_in_hand() == 0; }));
  EXPECT_EQ(running.observer.count(200), kClients + 1);
}

TEST(LateAnswer, DoesNotGoOutWhenItIsGoodNoLonger) {
  RunningServer running(one_worker());
  TestClient client(running.port());
  const auto answer_good_until = [&](std::chrono::nanoseconds until) {
    EXPECT_TRUE(client.send(get("/late/a")));
    EXPECT_TRUE(eventually([&] { return running.late.owed() == 1; }));
    auto response = Response::text(200, "text/plain", "of before");
    response.good_until = until;
    const auto late = running.late.last();
    running.late.forget();
    late->give(std::move(response));
    return client.answer();
  };
  EXPECT_EQ(answer_good_until(core::time_since_boot() + std::chrono::hours(1)).body, "of before");
  const auto refused = answer_good_until(core::time_since_boot() - milliseconds(1));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.body.find("of before"), std::string::npos);
}

// What is held for the next answer's sake could be held while the process stands still.
TEST(LateAnswer, IsNotHeldWhenItIsGoodForAWhileOnly) {
  RunningServer running(one_worker());
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/dated") + get("/wait")));
  ASSERT_TRUE(running.gate.wait_for_visitors(1));
  EXPECT_EQ(running.observer.count(200), 1U) << "it was sent before the next one was looked at";
  running.gate.open();
  EXPECT_EQ(client.answer().body, "dated");
  EXPECT_EQ(client.answer().body, "waited");
}

TEST(LateAnswer, MayAskForAnotherAttempt) {
  RunningServer running(one_worker());
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/late/a")));
  for (int attempt = 0; attempt < 3; ++attempt) {
    ASSERT_TRUE(eventually([&] { return running.late.owed() == 1; }));
    running.late.ask_again();
  }
  ASSERT_TRUE(eventually([&] { return running.late.owed() == 1; }));
  running.late.give();
  EXPECT_EQ(client.answer().body, "a/3");
}

TEST(LateAnswer, KeepsTheOrderOfWhatWasSentAhead) {
  RunningServer running(one_worker());
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/late/a") + get("/hello") + get("/late/b") + get("/echo/c")));
  ASSERT_TRUE(eventually([&] { return running.late.owed() == 1; }));
  running.late.give();
  EXPECT_EQ(client.answer().body, "a/0");
  EXPECT_EQ(client.answer().body, "hello");
  ASSERT_TRUE(eventually([&] { return running.late.owed() == 1; }));
  running.late.give();
  EXPECT_EQ(client.answer().body, "b/0");
  EXPECT_EQ(client.answer().body, "c");
}

TEST(LateAnswer, HoldsNothingBack) {
  RunningServer running(one_worker());
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/hello") + get("/late/a")));
  EXPECT_EQ(client.answer().body, "hello");
  running.late.give();
  EXPECT_EQ(client.answer().body, "a/0");
}

TEST(LateAnswer, IsDroppedWithItsClient) {
  RunningServer running(one_worker());
  {
    TestClient gone(running.port());
    ASSERT_TRUE(gone.send(get("/late/gone")));
    ASSERT_TRUE(eventually([&] { return running.late.owed() == 1; }));
    gone.reset();
  }
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/late/here")));
  ASSERT_TRUE(eventually([&] { return running.late.owed() == 2; }));
  running.late.give();
  EXPECT_EQ(client.answer().body, "here/0");
  EXPECT_TRUE(eventually([&] { return running.server->requests_in_hand() == 0; }));
}

TEST(LateAnswer, IsAwaitedByADrain) {
  RunningServer running(one_worker());
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/late/a")));
  ASSERT_TRUE(eventually([&] { return running.late.owed() == 1; }));
  EXPECT_FALSE(running.server->drain(milliseconds(50))) << "it is still owed";
  running.late.give();
  EXPECT_TRUE(running.server->drain(milliseconds(10'000)));
  const auto answer = client.answer();
  EXPECT_EQ(answer.body, "a/0");
  EXPECT_EQ(answer.header("Connection"), "close");
}

TEST(LateAnswer, MayComeAfterTheServersEnd) {
  std::shared_ptr<LateAnswer> owed;
  {
    RunningServer running(one_worker());
    TestClient client(running.port());
    ASSERT_TRUE(client.send(get("/late/a")));
    ASSERT_TRUE(eventually([&] { return running.late.owed() == 1; }));
    owed = running.late.last();
    running.server->stop();
    EXPECT_TRUE(client.ended());
  }
  owed->give(Response::no_content());
  EXPECT_TRUE(owed->is_given());
}

// The router's part: what is given before the handler returns is an answer as any other, and a
// handler that is called again may also answer at once, or throw.
class LateRoute : public ::testing::Test {
 protected:
  void add(Handler handler) {
    router.set_position_seal({[](std::string_view token) { return "sealed " + std::string(token); },
                              [](std::string_view) { return std::optional<std::string>("open"); }});
    router.add(Method::Get, "/x", Access::Public, std::move(handler));
    request.path = "/x";
    request.headers.set(kPositionHeader, "sealed before");
  }

  core::SystemClock clock;
  Router router{nullptr, clock};
  Request request;
};

Response with_position(const Request& request) {
  return Response::text(200, "text/plain", std::to_string(request.attempt))
      .header(kPositionHeader, *request.header(kPositionHeader));
}

TEST_F(LateRoute, IsAnsweredAtOnceWhereTheAnswerIsThere) {
  add([](const Request& seen) {
    auto late = std::make_shared<LateAnswer>();
    if (seen.attempt < 2) {
      late->ask_again();
    } else {
      late->give(with_position(seen));
    }
    return Response::later(late);
  });
  const Response response = router.dispatch(request);
  EXPECT_FALSE(response.late);
  EXPECT_EQ(response.body, "2");
  EXPECT_EQ(response.headers.find(kPositionHeader), "sealed open");
}

TEST_F(LateRoute, SealsWhatIsGivenLater) {
  std::shared_ptr<LateAnswer> late;
  add([&](const Request& seen) {
    if (seen.attempt == 1) return with_position(seen);
    late = std::make_shared<LateAnswer>();
    return Response::later(late);
  });
  const Response response = router.dispatch(request);
  ASSERT_EQ(response.late, late);
  late->ask_again();
  const Response given = response.late->finish();
  EXPECT_EQ(given.body, "1");
  EXPECT_EQ(given.headers.find(kPositionHeader), "sealed open") << "opened once, sealed once";
}

TEST_F(LateRoute, PassesOnWhatAnotherAttemptThrows) {
  std::shared_ptr<LateAnswer> late;
  add([&](const Request& seen) -> Response {
    if (seen.attempt == 1) throw std::runtime_error("no more");
    late = std::make_shared<LateAnswer>();
    return Response::later(late);
  });
  const Response response = router.dispatch(request);
  late->ask_again();
  EXPECT_THROW((void)response.late->finish(), std::runtime_error);
}

TEST(LateAnswerDeathTest, IsGivenOnce) {
  LateAnswer late;
  late.ask_again();
  EXPECT_DEATH(late.give(Response::no_content()), "answered once");
}

}  // namespace
}  // namespace tideline::http::testing
