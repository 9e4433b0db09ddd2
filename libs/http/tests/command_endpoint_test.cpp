#include "http/routing/command_endpoint.hpp"

#include <gtest/gtest.h>

#include "eventsourcing/store/in_memory_event_store.hpp"
#include "http/messages/json.hpp"
#include "http/routing/deferred_response.hpp"

namespace tideline::http {
namespace {

namespace es = eventsourcing;

// The smallest aggregate: it counts.
struct Counter {
  static constexpr std::uint32_t kEventsMax = 100;

  struct Counted {};
  using Event = Counted;
  using State = int;
  struct Count {};
  using Command = Count;
  static State evolve(State state, const Event&) { return state + 1; }
  static es::Decision<Event> decide(const State& state, const Command&) {
    if (state >= 3) return es::Rejection{es::RejectionKind::Conflict, "full", "it counts to three"};
    return es::Decision<Event>::of({});
  }
};

struct CounterCodec {
  static es::NewEvent encode(const Counter::Event&) { return {"Counted", {}, "{}", {}}; }
  static std::optional<Counter::Event> decode(const es::RecordedEvent&) {
    return Counter::Counted{};
  }
};

enum class Way { Waiting, Later };

class CommandEndpointTest : public ::testing::TestWithParam<Way> {
 protected:
  CommandEndpointTest()
      : clock(core::Timestamp()),
        random(7),
        store("feed", 4, clock, random),
        endpoint(store, clock) {
    request.method = Method::Post;
    request.path = "/v1/counters/a";
    request.route_template = "/v1/counters/{id}";
    request.request_id = "r-1";
    request.correlation_id = "c-1";
  }

  Response count() {
    const auto body = [this](es::CommandSession& session) -> es::CommandResult {
      auto loaded = session.load<Counter>(core::StreamId("counter-a"), CounterCodec());
      auto decision = Counter::decide(loaded.state, Counter::Count());
      if (decision.rejected()) return decision.rejection();
      if (auto others = std::exchange(before_append, nullptr)) others();
      session.stage(loaded, decision.events(), CounterCodec());
      return es::Answer{201, R"({"counted":true})", "/v1/counters/a", loaded.stream};
    };
    return send(body);
  }

  Response send(const CommandEndpoint::Body& body) {
    if (GetParam() == Way::Waiting) return endpoint.run(request, body);
    for (request.attempt = 0;; ++request.attempt) {
      const Response later = endpoint.answer(request, body);
      if (!later.deferred) return later;
      if (auto given = later.deferred->take()) return std::move(*given);
    }
  }

  core::ManualClock clock;
  core::SeededRandom random;
  es::InMemoryEventStore store;
  CommandEndpoint endpoint;
  Request request;
  std::function<void()> before_append;  // once
};

TEST_P(CommandEndpointTest, AStepThatIsRejectedOrFailsEndsTheCommand) {
  const auto rejected = send([](es::CommandSession&) -> es::CommandResult {
    throw es::Rejected({es::RejectionKind::Forbidden, "not-yours", "it is another's"});
  });
  EXPECT_EQ(rejected.status, 403);
  const auto failed = send([](es::CommandSession&) -> es::CommandResult {
    throw core::Failed(core::unavailable("the database is away"));
  });
  EXPECT_EQ(failed.status, 503);
  EXPECT_TRUE(failed.headers.find("Retry-After"));
  EXPECT_EQ(count().status, 201) << "nothing was appended";
}

TEST_P(CommandEndpointTest, AnswersWithVersionAndPosition) {
  const Response response = count();
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.body, R"({"counted":true})");
  EXPECT_EQ(response.headers.find("Content-Type"), "application/json");
  EXPECT_EQ(response.headers.find("Location"), "/v1/counters/a");
  EXPECT_EQ(response.headers.find("ETag"), "\"1\"");
  const auto positions = es::PositionVector::from_token(*response.headers.find(kPositionHeader));
  ASSERT_TRUE(positions);
  EXPECT_FALSE(positions->empty());
}

TEST_P(CommandEndpointTest, JoinsTheClientsToken) {
  es::PositionVector seen;
  seen.raise("social-graph", core::LogIndex(3), core::LogPosition(9));
  request.headers.set(kPositionHeader, seen.to_token());
  const Response response = count();
  const auto positions = es::PositionVector::from_token(*response.headers.find(kPositionHeader));
  ASSERT_TRUE(positions);
  EXPECT_TRUE(positions->covers(seen));
  EXPECT_EQ(positions->services().size(), 2);
}

TEST_P(CommandEndpointTest, OneThatChangesNothingOnAnEmptyStreamHasATokenThatAsksForNothing) {
  const auto body = [](es::CommandSession& session) -> es::CommandResult {
    auto loaded = session.load<Counter>(core::StreamId("counter-a"), CounterCodec());
    return es::Answer{200, "", "", loaded.stream};
  };
  for (const std::string key : {"", "k", "k"}) {
    if (!key.empty()) request.headers.set("Idempotency-Key", key);
    const Response response = send(body);
    EXPECT_EQ(response.status, 200);
    const auto token = response.headers.find(kPositionHeader);
    ASSERT_TRUE(token) << key;
    const auto positions = es::PositionVector::from_token(*token);
    ASSERT_TRUE(positions);
    EXPECT_TRUE(positions->empty());
  }
}

TEST_P(CommandEndpointTest, RepeatsTheStoredAnswer) {
  request.headers.set("Idempotency-Key", "k");
  EXPECT_EQ(count().headers.find("ETag"), "\"1\"");
  const Response again = count();
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.headers.find("ETag"), "\"1\"");
  EXPECT_TRUE(again.headers.find(kPositionHeader));
}

TEST_P(CommandEndpointTest, RefusesAKeyOfAnotherRequest) {
  request.headers.set("Idempotency-Key", "k");
  count();
  const Request first = request;
  request.body = "x";
  EXPECT_EQ(count().status, 422);
  request = first;
  request.path = "/v1/counters/b";
  EXPECT_EQ(count().status, 422);
  request = first;
  request.query_parameters = {{"x", ""}};
  EXPECT_EQ(count().status, 422);
  request = first;
  EXPECT_EQ(count().status, 201);
}

TEST_P(CommandEndpointTest, CountsAgainWithoutAKey) {
  count();
  EXPECT_EQ(count().headers.find("ETag"), "\"2\"");
}

TEST_P(CommandEndpointTest, RefusesMalformedHeaders) {
  for (const std::string& key :
       {std::string(), std::string("a b"), std::string(256, 'a'), std::string("\xc3\xa4")}) {
    request.headers.set("Idempotency-Key", key);
    EXPECT_EQ(count().status, 400) << key;
  }
  request.headers.set("Idempotency-Key", std::string(255, 'a'));
  EXPECT_EQ(count().status, 201);
  request.headers.add("Idempotency-Key", "b");
  EXPECT_EQ(count().status, 400);
  request.headers.remove("Idempotency-Key");
  request.headers.set(kPositionHeader, "!");
  EXPECT_EQ(count().status, 400);
}

TEST_P(CommandEndpointTest, HonoursIfMatch) {
  count();
  request.headers.set("If-Match", "\"1\"");
  EXPECT_EQ(count().headers.find("ETag"), "\"2\"");
  const Response stale = count();
  EXPECT_EQ(stale.status, 412);
  EXPECT_EQ(stale.headers.find("ETag"), "\"2\"");
  for (const char* other : {"\"abc\"", "W/\"2\"", "\"02\"", "\"\""}) {
    request.headers.set("If-Match", other);
    EXPECT_EQ(count().status, 412) << other;
  }
  for (const char* malformed : {"2", "\"2", "\"1\", \"2\"", ""}) {
    request.headers.set("If-Match", malformed);
    EXPECT_EQ(count().status, 400) << malformed;
  }
  request.headers.set("If-Match", "*");
  EXPECT_EQ(count().headers.find("ETag"), "\"3\"");
}

TEST_P(CommandEndpointTest, TakesTheTagOfARead) {
  count();
  request.headers.set("If-Match", "\"1.mEr0vC5tYQ.gz\"");
  EXPECT_EQ(count().headers.find("ETag"), "\"2\"");
  EXPECT_EQ(count().status, 412);
}

TEST_P(CommandEndpointTest, IgnoresNoCondition) {
  const auto answer_about_nothing = [&] {
    return endpoint
        .run(request,
             [](es::CommandSession&) -> es::CommandResult {
               return es::Answer{204, "", "", {}};
             })
        .status;
  };
  EXPECT_EQ(answer_about_nothing(), 204);
  request.headers.set("If-Match", "\"1\"");
  EXPECT_EQ(answer_about_nothing(), 412);
  request.headers.remove("If-Match");
  request.headers.set("If-None-Match", "*");
  EXPECT_EQ(answer_about_nothing(), 400);
}

TEST_P(CommandEndpointTest, CountsOnWhatOthersHaveCountedMeanwhile) {
  before_append = [this] { EXPECT_EQ(count().status, 201); };
  const Response response = count();
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.headers.find("ETag"), "\"2\"");
}

TEST_P(CommandEndpointTest, ShowsRejections) {
  for (int i = 0; i < 3; ++i) count();
  const Response response = count();
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(Json::parse(response.body)["type"], "urn:tideline:problem:full");
  const auto status = [](es::RejectionKind kind) {
    return to_response(es::Rejection{kind, "c", "d"}).status;
  };
  EXPECT_EQ(status(es::RejectionKind::Invalid), 422);
  EXPECT_EQ(status(es::RejectionKind::NotFound), 404);
  EXPECT_EQ(status(es::RejectionKind::Forbidden), 403);
}

INSTANTIATE_TEST_SUITE_P(Ways, CommandEndpointTest, ::testing::Values(Way::Waiting, Way::Later),
                         [](const auto& way) {
                           return way.param == Way::Waiting ? "Waiting" : "Later";
                         });

class QueryTest : public ::testing::Test {
 protected:
  QueryTest() {
    wanted.raise("feed", core::LogIndex(0), core::LogPosition(5));
    model.reset({"feed"}, {});
  }
  Response query(WhenBehind when_behind) {
    return answer_query(request, {model}, when_behind,
                        [] { return Response::text(200, "text/plain", "x"); });
  }

  Request request;
  es::PositionVector wanted;
  es::AppliedPositions model;
};

TEST_F(QueryTest, AnswersAtOnceWithoutAToken) { EXPECT_EQ(query(WhenBehind::Refuse).status, 200); }

TEST_F(QueryTest, AnswersFreshWhatIsApplied) {
  request.headers.set(kPositionHeader, wanted.to_token());
  model.advance(wanted);
  const Response response = query(WhenBehind::Refuse);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.find(kPositionHeader), wanted.to_token());
  EXPECT_FALSE(response.headers.find(kStaleHeader));
  EXPECT_NO_THROW(await_models(request, {model}));
}

TEST_F(QueryTest, RefusesOrMarksWhatHasGoneBackDuringTheQuery) {
  request.headers.set(kPositionHeader, wanted.to_token());
  const auto interrupted = [&](WhenBehind when_behind) {
    model.advance(wanted);
    return answer_query(request, {model}, when_behind, [&] {
      model.reset({"feed"}, {});
      return Response::text(200, "text/plain", "x");
    });
  };
  EXPECT_EQ(interrupted(WhenBehind::Refuse).status, 503);
  EXPECT_EQ(interrupted(WhenBehind::Stale).headers.find(kStaleHeader), "true");
}

TEST_F(QueryTest, RefusesOrMarksWhatIsBehind) {
  request.headers.set(kPositionHeader, wanted.to_token());
  const Response refused = query(WhenBehind::Refuse);
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(refused.headers.find("Retry-After"));
  const Response stale = query(WhenBehind::Stale);
  EXPECT_EQ(stale.status, 200);
  EXPECT_EQ(stale.headers.find(kStaleHeader), "true");
}

TEST_F(QueryTest, WhatAQueryRefusesCarriesTheTokenOn) {
  request.headers.set(kPositionHeader, wanted.to_token());
  const auto missing = [&](WhenBehind when_behind) {
    return answer_query(request, {model}, when_behind, []() -> Response { refuse(not_found()); });
  };
  EXPECT_EQ(missing(WhenBehind::Stale).headers.find(kStaleHeader), "true");
  model.advance(wanted);
  const Response response = missing(WhenBehind::Refuse);
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.headers.find(kPositionHeader), wanted.to_token());
}

TEST_F(QueryTest, CommandsAreRefusedWhileTheModelIsBehind) {
  request.headers.set(kPositionHeader, wanted.to_token());
  EXPECT_EQ(answer_of([&] {
              await_models(request, {model});
              return Response();
            }).status,
            503);
}

TEST_F(QueryTest, RefusesAGarbledToken) {
  request.headers.set(kPositionHeader, "!");
  EXPECT_EQ(query(WhenBehind::Stale).status, 400);
}

}  // namespace
}  // namespace tideline::http
