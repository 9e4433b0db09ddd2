#include "http/routing/router.hpp"

#include <gtest/gtest.h>

#include "core/clock.hpp"
#include "http/messages/json.hpp"
#include "http/routing/event_stream.hpp"
#include "support/plain_seal.hpp"

namespace tideline::http {
namespace {

using std::chrono::minutes;

const core::AccountId kAda(core::AccountId::Bytes{1});

// Tokens are "<role>": good for fifteen minutes from the start of time.
class WordVerifier final : public TokenVerifier {
 public:
  core::Result<VerifiedToken> verify(std::string_view bearer, core::Timestamp) override {
    ++calls;
    if (bearer == "down") return core::unavailable("the key server at 10.0.0.1");
    if (bearer == "bad") return core::invalid_input("signature");
    return VerifiedToken{{kAda, {"user", std::string(bearer)}}, core::Timestamp(minutes(15))};
  }
  int calls = 0;
};

class RouterTest : public ::testing::Test {
 protected:
  RouterTest()
      : clock(core::Timestamp()),
        verifier(std::make_shared<WordVerifier>()),
        router(verifier, clock) {
    const auto name = [](std::string_view text) {
      return [text = std::string(text)](const Request& asked) {
        std::string body = text;
        for (const auto& [key, value] : asked.path_parameters) body += " " + key + "=" + value;
        return Response::text(200, "text/plain", body);
      };
    };
    router.add(Method::Get, "/v1/moments", Access::Public, name("list"));
    router.add(Method::Post, "/v1/moments", Access::SignedIn, name("publish"));
    router.add(Method::Get, "/v1/moments/{id}", Access::Public, name("one"));
    router.add(Method::Get, "/v1/moments/recent", Access::Public, name("recent"));
    router.add(Method::Put, "/v1/moments/{id}/images/{image}", Access::Operator, name("image"));
  }

  Response send(Method method, std::string path, std::string token = "") {
    request = Request();
    request.method = method;
    request.path = std::move(path);
    if (!token.empty()) request.headers.add("Authorization", token);
    return router.dispatch(request);
  }

  core::ManualClock clock;
  std::shared_ptr<WordVerifier> verifier;
  Router router;
  Request request;
};

TEST_F(RouterTest, FindsByMethodAndSegments) {
  EXPECT_EQ(send(Method::Get, "/v1/moments").body, "list");
  EXPECT_EQ(request.route_template, "/v1/moments");
  EXPECT_EQ(send(Method::Get, "/v1/moments/7").body, "one id=7");
  EXPECT_EQ(request.route_template, "/v1/moments/{id}");
  EXPECT_EQ(request.param("id"), "7");
  EXPECT_EQ(send(Method::Get, "/v1/moments/recent").body, "recent");
  EXPECT_EQ(send(Method::Put, "/v1/moments/7/images/b c", "Bearer operator").body,
            "image id=7 image=b c");
}

TEST_F(RouterTest, DoesNotKnowOtherPaths) {
  for (const char* path : {"/", "/v1", "/v1/moments/", "/v1/moments//images/b", "/v1/moments/7/x",
                           "/V1/moments", "//v1/moments"}) {
    EXPECT_EQ(send(Method::Get, path).status, 404) << path;
    EXPECT_EQ(request.route_template, "") << path;
  }
  EXPECT_EQ(send(Method::Get, "/" + std::string(16000, '/')).status, 404);
}

TEST_F(RouterTest, SaysWhichMethodsAPathHas) {
  const Response refused = send(Method::Delete, "/v1/moments");
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.headers.find("Allow"), "OPTIONS, GET, HEAD, POST");
  const Response options = send(Method::Options, "/v1/moments/7");
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.headers.find("Allow"), "OPTIONS, GET, HEAD");
}

TEST_F(RouterTest, AnswersHeadFromGet) {
  EXPECT_EQ(send(Method::Head, "/v1/moments").body, "list");
  EXPECT_EQ(send(Method::Head, "/v1/moments/7/images/b").status, 405);
}

TEST_F(RouterTest, AsksForATokenWhereTheRouteNeedsOne) {
  const Response nobody = send(Method::Post, "/v1/moments");
  EXPECT_EQ(nobody.status, 401);
  EXPECT_EQ(nobody.headers.find("WWW-Authenticate"), "Bearer realm=\"tideline\"");
  const Response bad = send(Method::Post, "/v1/moments", "Bearer bad");
  EXPECT_EQ(bad.status, 401);
  EXPECT_NE(bad.headers.find("WWW-Authenticate")->find("invalid_token"), std::string_view::npos);
  for (const char* other : {"Basic abc", "Bearer", "Bearer ", "Bearer a b", "Bearer  a", "a"}) {
    EXPECT_EQ(send(Method::Post, "/v1/moments", other).status, 401) << other;
  }
  EXPECT_EQ(send(Method::Post, "/v1/moments", "bearer user").body, "publish");
  EXPECT_EQ(request.account(), kAda);
}

TEST_F(RouterTest, DoesNotLookAtTokensOfPublicRoutes) {
  EXPECT_EQ(send(Method::Get, "/v1/moments", "Bearer bad").status, 200);
  EXPECT_FALSE(request.principal);
  EXPECT_EQ(verifier->calls, 0);
}

TEST_F(RouterTest, KeepsOperatorsRoutesToOperators) {
  EXPECT_EQ(send(Method::Put, "/v1/moments/7/images/b", "Bearer user").status, 403);
  EXPECT_EQ(send(Method::Put, "/v1/moments/7/images/b", "Bearer operator").status, 200);
}

TEST_F(RouterTest, KeepsModeratorsRoutesToModerators) {
  router.add(Method::Get, "/v1/cases", Access::Moderator,
             [](const Request&) { return Response::no_content(); });
  EXPECT_EQ(send(Method::Get, "/v1/cases").status, 401);
  EXPECT_EQ(send(Method::Get, "/v1/cases", "Bearer operator").status, 403);
  EXPECT_EQ(send(Method::Get, "/v1/cases", "Bearer moderator").status, 204);
}

TEST_F(RouterTest, RefusesExpiredTokens) {
  clock.advance(minutes(15));
  EXPECT_EQ(send(Method::Post, "/v1/moments", "Bearer user").status, 401);
}

TEST_F(RouterTest, ARevokedTokenPassesOnlyWhereItsOwnRevocationIsRepeated) {
  router.add(Method::Delete, "/v1/me", Access::RevokedToo,
             [](const Request&) { return Response::no_content(); });
  bool revoked = false;
  router.set_revoked([&](const Principal& who) { return revoked && who.account == kAda; });
  EXPECT_EQ(send(Method::Post, "/v1/moments", "Bearer user").status, 200);
  revoked = true;
  const auto refused = send(Method::Post, "/v1/moments", "Bearer user");
  EXPECT_EQ(refused.status, 401);
  EXPECT_NE(refused.headers.find("WWW-Authenticate")->find("invalid_token"), std::string::npos);
  EXPECT_EQ(send(Method::Put, "/v1/moments/7/images/b", "Bearer operator").status, 401);
  EXPECT_EQ(send(Method::Get, "/v1/moments", "Bearer user").status, 200);
  EXPECT_EQ(send(Method::Delete, "/v1/me", "Bearer user").status, 204);
  EXPECT_EQ(send(Method::Delete, "/v1/me", "Bearer bad").status, 401);
}

TEST_F(RouterTest, NoAnswerIsGoodForLongerThanItsProcess) {
  using std::chrono::nanoseconds;
  EXPECT_FALSE(send(Method::Get, "/v1/moments").good_until);
  router.add(Method::Get, "/v1/dated", Access::Public, [](const Request&) {
    auto response = Response::text(200, "text/plain", "dated");
    response.good_until = nanoseconds(50);
    return response;
  });
  nanoseconds limit(100);
  router.set_good_until([&] { return limit; });
  EXPECT_EQ(send(Method::Get, "/v1/moments").good_until, nanoseconds(100));
  EXPECT_EQ(send(Method::Get, "/v1/dated").good_until, nanoseconds(50));
  limit = nanoseconds(7);
  EXPECT_EQ(send(Method::Get, "/v1/dated").good_until, nanoseconds(7));
}

TEST_F(RouterTest, AStreamEndsWithItsToken) {
  const auto stream = std::make_shared<EventStream>();
  router.add(Method::Get, "/v1/stream", Access::SignedIn,
             [&](const Request&) { return Response::event_stream(stream); });
  bool revoked = false;
  router.set_revoked([&](const Principal&) { return revoked; });
  EXPECT_FALSE(stream->token_ended());
  send(Method::Get, "/v1/stream", "Bearer user");
  EXPECT_FALSE(stream->token_ended());
  revoked = true;
  EXPECT_TRUE(stream->token_ended());
  revoked = false;
  clock.advance(minutes(15));
  EXPECT_TRUE(stream->token_ended());
}

class LinkTest : public RouterTest {
 protected:
  LinkTest() : links(std::make_shared<SignedLinks>(test_support::plain_seal(), clock)) {
    clock.advance(minutes(7));
    router.set_signed_links(links);
    router.set_revoked([this](const Principal& who) {
      return who.password_version < revoked_below && who.account == kAda;
    });
    router.add(Method::Get, "/v1/images/{hash}", Access::SignedInOrLink, [](const Request& asked) {
      return Response::text(200, "image/png", asked.account().to_string())
          .header("Cache-Control", "private, max-age=31536000, immutable");
    });
  }

  // As the server reads it.
  Response load(const std::string& link, std::string token = "") {
    request = Request();
    const auto mark = link.find('?');
    request.path = link.substr(0, mark);
    for (auto begin = mark; begin != std::string::npos;) {
      const auto end = link.find('&', begin + 1);
      const std::string one = link.substr(begin + 1, end - begin - 1);
      request.query_parameters.emplace_back(one.substr(0, one.find('=')),
                                            one.substr(one.find('=') + 1));
      begin = end;
    }
    if (!token.empty()) request.headers.add("Authorization", token);
    return router.dispatch(request);
  }

  std::shared_ptr<const SignedLinks> links;
  std::uint64_t revoked_below = 0;
};

TEST_F(LinkTest, ReadsAsWhomItWasMadeForUntilItEnds) {
  const auto link = links->to("/v1/images/b5", kAda);
  const auto read = load(link);
  EXPECT_EQ(read.status, 200);
  EXPECT_EQ(read.body, kAda.to_string());
  EXPECT_TRUE(request.principal->roles.empty());
  // From minute 7 to the end of the half hour after this one.
  EXPECT_EQ(read.headers.find("Cache-Control"), "private, max-age=3180");
  clock.advance(minutes(52));
  EXPECT_EQ(load(link).headers.find("Cache-Control"), "private, max-age=60");
  clock.advance(minutes(1));
  EXPECT_EQ(load(link).status, 401);
}

TEST_F(LinkTest, IsTheSameWithinAHalfHourAndForThisPathAndReaderAlone) {
  const auto link = links->to("/v1/images/b5", kAda);
  clock.advance(minutes(22));
  EXPECT_EQ(links->to("/v1/images/b5", kAda), link);
  clock.advance(minutes(1));
  EXPECT_NE(links->to("/v1/images/b5", kAda), link);
  EXPECT_NE(links->to("/v1/images/b6", kAda), link);
  EXPECT_NE(links->to("/v1/images/b5", core::AccountId(core::AccountId::Bytes{2})), link);
}

TEST_F(LinkTest, OpensNoRouteThatTakesTokensAlone) {
  router.add(Method::Delete, "/v1/images/{hash}", Access::SignedIn,
             [](const Request&) { return Response::no_content(); });
  const auto link = links->to("/v1/moments/7/images/b", kAda);
  request = Request();
  EXPECT_EQ(load(link).status, 405);
  request.method = Method::Put;
  EXPECT_EQ(router.dispatch(request).status, 401);
  load(links->to("/v1/images/b5", kAda));
  request.method = Method::Delete;
  EXPECT_EQ(router.dispatch(request).status, 401);
}

TEST_F(LinkTest, ATokenThatComesAlongCountsAlone) {
  const auto link = links->to("/v1/images/b5", kAda);
  EXPECT_EQ(load(link, "Bearer bad").status, 401);
  const auto read = load(link, "Bearer user");
  EXPECT_EQ(read.headers.find("Cache-Control"), "private, max-age=31536000, immutable");
  EXPECT_EQ(load("/v1/images/b5").status, 401);
}

TEST_F(LinkTest, EndsWithItsAccountAndNotWithAPassword) {
  const auto link = links->to("/v1/images/b5", kAda);
  revoked_below = 8;
  EXPECT_EQ(load(link).status, 200);
  revoked_below = std::uint64_t{1} << 32U;
  EXPECT_EQ(load(link).status, 401);
}

TEST_F(LinkTest, RefusesWhatIsNoLink) {
  const auto link = links->to("/v1/images/b5", kAda);
  const auto replaced = [&](const std::string& old, const std::string& by) {
    std::string changed = link;
    return changed.replace(changed.find(old), old.size(), by);
  };
  EXPECT_EQ(load(replaced("=sealed", "=forged")).status, 401);
  EXPECT_EQ(load(replaced("reader=", "reader=x")).status, 401);
  EXPECT_EQ(load(replaced("expires=", "expires=-")).status, 401);
  EXPECT_EQ(load(replaced("expires=", "expires=9999999999999")).status, 401);
  EXPECT_EQ(load("/v1/images/b5?signature=sealed").status, 401);
  router.set_signed_links(nullptr);
  EXPECT_EQ(load(link).status, 401);
}

TEST_F(RouterTest, IsUnavailableWhenNobodyCanTell) {
  const Response response = send(Method::Post, "/v1/moments", "Bearer down");
  EXPECT_EQ(response.status, 503);
  EXPECT_TRUE(response.headers.find("Retry-After"));
  EXPECT_EQ(response.body.find("10.0.0.1"), std::string::npos);
}

TEST_F(RouterTest, AHandlerLeavesEarlyWithAProblemOrAnError) {
  router.add(Method::Get, "/v1/refused", Access::Public, [](const Request&) -> Response {
    value_of(Parsed<int>(conflict("taken", "it is taken")));
    return Response();
  });
  router.add(Method::Get, "/v1/failed", Access::Public, [](const Request&) -> Response {
    core::value_of(core::Result<int>(core::unavailable("the database at 10.0.0.1")));
    return Response();
  });
  const Response refused = send(Method::Get, "/v1/refused");
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.body.find("taken"), std::string::npos);
  const Response failed = send(Method::Get, "/v1/failed");
  EXPECT_EQ(failed.status, 503);
  EXPECT_EQ(failed.body.find("10.0.0.1"), std::string::npos);
}

TEST_F(RouterTest, ListsItsRoutes) {
  ASSERT_EQ(router.routes().size(), 5);
  EXPECT_EQ(router.routes()[1].path_template, "/v1/moments");
  EXPECT_EQ(router.routes()[1].access, Access::SignedIn);
}

using RouterDeathTest = RouterTest;

TEST_F(RouterDeathTest, RefusesRoutesThatContradict) {
  const auto handler = [](const Request&) { return Response::no_content(); };
  EXPECT_DEATH(router.add(Method::Get, "/v1/moments", Access::Public, handler), "exists");
  EXPECT_DEATH(router.add(Method::Get, "/v1/moments/{key}/x", Access::Public, handler), "one name");
  EXPECT_DEATH(router.add(Method::Get, "v1", Access::Public, handler), "slash");
  EXPECT_DEATH(router.add(Method::Get, "/a{b", Access::Public, handler), "malformed");
  EXPECT_DEATH(router.add(Method::Head, "/a", Access::Public, handler), "router");
  EXPECT_DEATH(Router(nullptr, clock).add(Method::Get, "/a", Access::SignedIn, handler),
               "verifier");
  EXPECT_DEATH((void)request.param("none"), "parameter");
}

TEST(Headers, CompareWithoutCase) {
  Headers headers;
  headers.add("Content-Type", "a");
  headers.add("content-type", "b");
  EXPECT_EQ(headers.find("CONTENT-TYPE"), "a");
  EXPECT_EQ(headers.count("content-Type"), 2);
  headers.set("CONTENT-type", "c");
  EXPECT_EQ(headers.count("content-type"), 1);
  headers.remove("Content-Type");
  EXPECT_EQ(headers.size(), 0);
}

TEST(HeadersDeathTest, CannotBeSplit) {
  Headers headers;
  EXPECT_DEATH(headers.add("X", "a\r\nSet-Cookie: b"), "control");
  EXPECT_DEATH(headers.add("X: a", "b"), "token");
}

TEST(CachingTokenVerifier, VerifiesOnceAndForgetsAtExpiry) {
  const auto inner = std::make_shared<WordVerifier>();
  CachingTokenVerifier cache(inner);
  const core::Timestamp start{};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(cache.verify("user", start).ok());
  EXPECT_EQ(inner->calls, 1);
  EXPECT_FALSE(cache.verify("user", start + minutes(15)).ok());
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(cache.verify("bad", start).ok());
  EXPECT_EQ(inner->calls, 3);
}

TEST(CachingTokenVerifier, IsBounded) {
  const auto inner = std::make_shared<WordVerifier>();
  CachingTokenVerifier cache(inner, 32);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(cache.verify("token" + std::to_string(i), core::Timestamp()).ok());
  }
  EXPECT_LE(cache.size(), 32);
  EXPECT_GT(cache.size(), 0);
}

}  // namespace
}  // namespace tideline::http
