// Answers that are given later, over real sockets: nobody waits for them but their connections.
#include "http/routing/deferred_response.hpp"

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

TEST(DeferredResponse, KeepsNoWorkerBusy) {
  constexpr std::size_t kClients = 50;
  RunningServer running(one_worker());
  std::vector<std::unique_ptr<TestClient>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<TestClient>(running.port()));
    ASSERT_TRUE(clients.back()->send(get("/late/" + std::to_string(i))));
    ASSERT_TRUE(eventually([&] { return running.deferred.owed() == i + 1; }));
  }
  EXPECT_EQ(running.server->requests_in_flight(), kClients);
  TestClient other(running.port());
  ASSERT_TRUE(other.send(get("/hello")));
  EXPECT_EQ(other.answer().body, "hello") << "the one worker is free";
  running.deferred.give();
  for (std::size_t i = 0; i < kClients; ++i) {
    EXPECT_EQ(clients[i]->answer().body, std::to_string(i) + "/0");
  }
  EXPECT_TRUE(eventually([&] { return running.server->requests_in_flight() == 0; }));
  EXPECT_EQ(running.observer.count(200), kClients + 1);
}

TEST(DeferredResponse, DoesNotGoOutWhenItIsGoodNoLonger) {
  RunningServer running(one_worker());
  TestClient client(running.port());
  const auto answer_good_until = [&](std::chrono::nanoseconds until) {
    EXPECT_TRUE(client.send(get("/late/a")));
    EXPECT_TRUE(eventually([&] { return running.deferred.owed() == 1; }));
    auto response = Response::text(200, "text/plain", "of before");
    response.good_until = until;
    const auto deferred = running.deferred.last();
    running.deferred.forget();
    deferred->give(std::move(response));
    return client.answer();
  };
  EXPECT_EQ(answer_good_until(core::time_since_boot() + std::chrono::hours(1)).body, "of before");
  const auto refused = answer_good_until(core::time_since_boot() - milliseconds(1));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.body.find("of before"), std::string::npos);
}

// What is held for the next answer's sake could be held while the process stands still.
TEST(DeferredResponse, IsNotHeldWhenItIsGoodForAWhileOnly) {
  RunningServer running(one_worker());
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/dated") + get("/wait")));
  ASSERT_TRUE(running.gate.wait_for_visitors(1));
  EXPECT_EQ(running.observer.count(200), 1U) << "it was sent before the next one was looked at";
  running.gate.open();
  EXPECT_EQ(client.answer().body, "dated");
  EXPECT_EQ(client.answer().body, "waited");
}

TEST(DeferredResponse, MayAskForAnotherAttempt) {
  RunningServer running(one_worker());
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/late/a")));
  for (int attempt = 0; attempt < 3; ++attempt) {
    ASSERT_TRUE(eventually([&] { return running.deferred.owed() == 1; }));
    running.deferred.retry();
  }
  ASSERT_TRUE(eventually([&] { return running.deferred.owed() == 1; }));
  running.deferred.give();
  EXPECT_EQ(client.answer().body, "a/3");
}

TEST(DeferredResponse, KeepsTheOrderOfWhatWasSentAhead) {
  RunningServer running(one_worker());
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/late/a") + get("/hello") + get("/late/b") + get("/echo/c")));
  ASSERT_TRUE(eventually([&] { return running.deferred.owed() == 1; }));
  running.deferred.give();
  EXPECT_EQ(client.answer().body, "a/0");
  EXPECT_EQ(client.answer().body, "hello");
  ASSERT_TRUE(eventually([&] { return running.deferred.owed() == 1; }));
  running.deferred.give();
  EXPECT_EQ(client.answer().body, "b/0");
  EXPECT_EQ(client.answer().body, "c");
}

TEST(DeferredResponse, HoldsNothingBack) {
  RunningServer running(one_worker());
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/hello") + get("/late/a")));
  EXPECT_EQ(client.answer().body, "hello");
  running.deferred.give();
  EXPECT_EQ(client.answer().body, "a/0");
}

TEST(DeferredResponse, IsDroppedWithItsClient) {
  RunningServer running(one_worker());
  {
    TestClient gone(running.port());
    ASSERT_TRUE(gone.send(get("/late/gone")));
    ASSERT_TRUE(eventually([&] { return running.deferred.owed() == 1; }));
    gone.reset();
  }
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/late/here")));
  ASSERT_TRUE(eventually([&] { return running.deferred.owed() == 2; }));
  running.deferred.give();
  EXPECT_EQ(client.answer().body, "here/0");
  EXPECT_TRUE(eventually([&] { return running.server->requests_in_flight() == 0; }));
}

TEST(DeferredResponse, IsAwaitedByADrain) {
  RunningServer running(one_worker());
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/late/a")));
  ASSERT_TRUE(eventually([&] { return running.deferred.owed() == 1; }));
  EXPECT_FALSE(running.server->drain(milliseconds(50))) << "it is still owed";
  running.deferred.give();
  EXPECT_TRUE(running.server->drain(milliseconds(10'000)));
  const auto answer = client.answer();
  EXPECT_EQ(answer.body, "a/0");
  EXPECT_EQ(answer.header("Connection"), "close");
}

TEST(DeferredResponse, MayComeAfterTheServersEnd) {
  std::shared_ptr<DeferredResponse> owed;
  {
    RunningServer running(one_worker());
    TestClient client(running.port());
    ASSERT_TRUE(client.send(get("/late/a")));
    ASSERT_TRUE(eventually([&] { return running.deferred.owed() == 1; }));
    owed = running.deferred.last();
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
    auto deferred = std::make_shared<DeferredResponse>();
    if (seen.attempt < 2) {
      deferred->retry();
    } else {
      deferred->give(with_position(seen));
    }
    return Response::defer(deferred);
  });
  const Response response = router.dispatch(request);
  EXPECT_FALSE(response.deferred);
  EXPECT_EQ(response.body, "2");
  EXPECT_EQ(response.headers.find(kPositionHeader), "sealed open");
}

TEST_F(LateRoute, SealsWhatIsGivenLater) {
  std::shared_ptr<DeferredResponse> deferred;
  add([&](const Request& seen) {
    if (seen.attempt == 1) return with_position(seen);
    deferred = std::make_shared<DeferredResponse>();
    return Response::defer(deferred);
  });
  const Response response = router.dispatch(request);
  ASSERT_EQ(response.deferred, deferred);
  deferred->retry();
  const Response given = response.deferred->finish();
  EXPECT_EQ(given.body, "1");
  EXPECT_EQ(given.headers.find(kPositionHeader), "sealed open") << "opened once, sealed once";
}

TEST_F(LateRoute, PassesOnWhatAnotherAttemptThrows) {
  std::shared_ptr<DeferredResponse> deferred;
  add([&](const Request& seen) -> Response {
    if (seen.attempt == 1) throw std::runtime_error("no more");
    deferred = std::make_shared<DeferredResponse>();
    return Response::defer(deferred);
  });
  const Response response = router.dispatch(request);
  deferred->retry();
  EXPECT_THROW((void)response.deferred->finish(), std::runtime_error);
}

TEST(DeferredResponseDeathTest, IsGivenOnce) {
  DeferredResponse deferred;
  deferred.retry();
  EXPECT_DEATH(deferred.give(Response::no_content()), "answered once");
}

}  // namespace
}  // namespace tideline::http::testing
