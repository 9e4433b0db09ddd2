#include "http/routing/position_waits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "http/routing/command_endpoint.hpp"
#include "http/server/server.hpp"
#include "running_server.hpp"
#include "test_client.hpp"

namespace tideline::http {
namespace {

namespace es = eventsourcing;
using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;
using testing::eventually;

constexpr std::chrono::minutes kLong(10);

class PositionWaitsTest : public ::testing::Test {
 protected:
  PositionWaitsTest() {
    wanted.raise("feed", core::LogIndex(0), core::LogPosition(5));
    model.reset({"feed"}, {});
  }

  es::PositionVector wanted;
  es::AppliedPositions model;
  PositionWaits waits{3};
};

TEST_F(PositionWaitsTest, ARequestComesBackWhenTheModelHasWhatItWants) {
  const auto one = waits.put_aside(wanted, model, Steady::now() + kLong);
  const auto other = waits.put_aside(wanted, model, Steady::now() + kLong);
  EXPECT_EQ(waits.waiting(), 2U);
  EXPECT_TRUE(model.anybody_waits());
  es::PositionVector some;
  some.raise("feed", core::LogIndex(0), core::LogPosition(4));
  model.advance(some);
  EXPECT_FALSE(one->is_given());
  model.advance(wanted);
  EXPECT_TRUE(one->is_given());
  EXPECT_TRUE(other->is_given());
  EXPECT_EQ(one->take(), std::nullopt) << "its handler is called again";
  EXPECT_EQ(waits.waiting(), 0U);
  EXPECT_FALSE(model.anybody_waits());
}

TEST_F(PositionWaitsTest, OrWhenItsTimeIsOver) {
  const auto patient = waits.put_aside(wanted, model, Steady::now() + kLong);
  const auto hasty = waits.put_aside(wanted, model, Steady::now() + milliseconds(1));
  EXPECT_TRUE(eventually([&] { return hasty->is_given(); }));
  EXPECT_FALSE(patient->is_given());
  EXPECT_EQ(waits.waiting(), 1U);
  model.advance(wanted);
  EXPECT_TRUE(patient->is_given());
}

TEST_F(PositionWaitsTest, OneThatNobodyTellsComesBackAtItsTime) {
  const auto later = waits.put_aside(Steady::now() + kLong);
  const auto soon = waits.put_aside(Steady::now() + milliseconds(1));
  EXPECT_TRUE(eventually([&] { return soon->is_given(); }));
  EXPECT_EQ(soon->take(), std::nullopt) << "its handler is called again";
  EXPECT_FALSE(later->is_given());
  EXPECT_TRUE(waits.put_aside(Steady::now() + kLong));
  EXPECT_TRUE(waits.put_aside(wanted, model, Steady::now() + kLong));
  EXPECT_FALSE(waits.put_aside(Steady::now() + kLong)) << "they count with the others";
}

TEST_F(PositionWaitsTest, OrAtOnceWhenItIsThere) {
  model.advance(wanted);
  EXPECT_TRUE(waits.put_aside(wanted, model, Steady::now() + kLong)->is_given());
  EXPECT_EQ(waits.waiting(), 0U);
}

TEST_F(PositionWaitsTest, NoMoreWaitThanMay) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(waits.put_aside(wanted, model, Steady::now() + kLong));
  EXPECT_FALSE(waits.put_aside(wanted, model, Steady::now() + kLong));
  model.advance(wanted);
  EXPECT_TRUE(waits.put_aside(wanted, model, Steady::now() + kLong));
}

TEST_F(PositionWaitsTest, ARequestWaitsAsLongAsItMayAndNoLonger) {
  Request patient;
  patient.position_waits = &waits;
  EXPECT_THROW(await_positions(patient, wanted, {model}), AnsweredLater);
  PositionWaits at_once{3, milliseconds(0)};
  Request hasty;
  hasty.position_waits = &at_once;
  EXPECT_FALSE(await_positions(hasty, wanted, {model}));
}

TEST_F(PositionWaitsTest, WhatStillWaitsAtTheEndIsForgotten) {
  {
    PositionWaits ending;
    ending.put_aside(wanted, model, Steady::now() + kLong);
  }
  EXPECT_FALSE(model.anybody_waits());
  model.advance(wanted);
}

// Every request comes back once, whoever is first: the model or the deadline.
TEST_F(PositionWaitsTest, EveryRequestComesBackOnce) {
  PositionWaits many(4096);
  std::vector<std::shared_ptr<DeferredResponse>> given;
  std::jthread applier([&](const std::stop_token& stop) {
    for (std::uint64_t position = 1; !stop.stop_requested(); ++position) {
      es::PositionVector reached;
      reached.raise("feed", core::LogIndex(0), core::LogPosition(position));
      model.advance(reached);
      std::this_thread::yield();
    }
  });
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    es::PositionVector soon = model.current();
    soon.raise("feed", core::LogIndex(0),
               core::LogPosition(soon.at("feed", core::LogIndex(0)).value() + i % 3));
    given.push_back(
        many.put_aside(soon, model, Steady::now() + std::chrono::microseconds(i % 100)));
    ASSERT_TRUE(given.back());
  }
  EXPECT_TRUE(eventually([&] {
    return std::all_of(given.begin(), given.end(), [](const auto& one) { return one->is_given(); });
  }));
  EXPECT_EQ(many.waiting(), 0U);
}

// With one worker: what waits for a position keeps nobody else waiting.
class WaitingServer : public PositionWaitsTest {
 protected:
  WaitingServer() {
    router.add(Method::Get, "/query", Access::Public, [this](const Request& request) {
      return answer_query(request, {model, other_model}, WhenBehind::Stale, [&] {
        return Response::text(200, "text/plain", std::to_string(request.attempt));
      });
    });
    router.add(Method::Post, "/command", Access::Public, [this](const Request& request) {
      await_models(request, {model});
      return Response::text(200, "text/plain", "done");
    });
    router.add(Method::Get, "/condition", Access::Public, [this](const Request& request) {
      ++asked;
      const bool met = await_condition(request, [this] { return is_met.load(); });
      return Response::text(met ? 200 : 503, "text/plain", std::to_string(request.attempt));
    });
    router.add(Method::Get, "/hello", Access::Public,
               [](const Request&) { return Response::text(200, "text/plain", "hello"); });
    other_model.reset({"feed"}, {});
    server.emplace(ServerOptions{.worker_threads = 1}, router, clock);
    EXPECT_TRUE(server->start().ok());
  }
  std::string with_token(const std::string& request_line) const {
    return request_line +
           " HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nTideline-Position: " + wanted.to_token() +
           "\r\n\r\n";
  }

  core::SystemClock clock;
  Router router{nullptr, clock};
  es::AppliedPositions other_model;
  std::atomic<int> asked{0};
  std::atomic<bool> is_met{false};
  std::optional<Server> server;
};

TEST_F(WaitingServer, AnswersOthersWhileManyRequestsWait) {
  std::vector<std::unique_ptr<testing::TestClient>> waiting;
  for (int i = 0; i < 20; ++i) {
    waiting.push_back(std::make_unique<testing::TestClient>(server->port()));
    ASSERT_TRUE(waiting.back()->send(with_token(i % 2 == 0 ? "GET /query" : "POST /command")));
  }
  ASSERT_TRUE(eventually([&] { return server->requests_waiting() == 20; }));
  testing::TestClient other(server->port());
  ASSERT_TRUE(other.send(testing::get("/hello")));
  EXPECT_EQ(other.answer().body, "hello");
  EXPECT_EQ(server->requests_waiting(), 20U) << "the answer did not wait for their deadline";

  other_model.advance(wanted);
  model.advance(wanted);
  for (int i = 0; i < 20; ++i) {
    const auto answer = waiting[static_cast<std::size_t>(i)]->answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, i % 2 == 0 ? "0" : "done") << "it counts as no other attempt";
    EXPECT_EQ(answer.header(kStaleHeader), "");
  }
}

TEST_F(WaitingServer, AnswersWhatItHasWhenTheTimeIsOver) {
  testing::TestClient query(server->port());
  testing::TestClient command(server->port());
  ASSERT_TRUE(query.send(with_token("GET /query")));
  ASSERT_TRUE(command.send(with_token("POST /command")));
  other_model.advance(wanted);
  const auto stale = query.answer();
  EXPECT_EQ(stale.status, 200);
  EXPECT_EQ(stale.header(kStaleHeader), "true");
  EXPECT_EQ(command.answer().status, 503);
}

TEST_F(WaitingServer, LooksAgainUntilAConditionIsMet) {
  testing::TestClient client(server->port());
  ASSERT_TRUE(client.send(testing::get("/condition")));
  ASSERT_TRUE(eventually([&] { return asked > 2; }));
  testing::TestClient other(server->port());
  ASSERT_TRUE(other.send(testing::get("/hello")));
  EXPECT_EQ(other.answer().body, "hello") << "no worker waits";
  is_met = true;
  const auto answer = client.answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "0") << "it counts as no other attempt";
}

TEST_F(WaitingServer, OrItsTimeIsOver) {
  testing::TestClient client(server->port());
  ASSERT_TRUE(client.send(testing::get("/condition")));
  EXPECT_EQ(client.answer().status, 503);
}

TEST_F(WaitingServer, StopsWhileRequestsWait) {
  testing::TestClient client(server->port());
  ASSERT_TRUE(client.send(with_token("GET /query")));
  ASSERT_TRUE(eventually([&] { return server->requests_waiting() == 1; }));
  server.reset();
  model.advance(wanted);
}

}  // namespace
}  // namespace tideline::http
