// Bodies that are larger than the server takes of all, on routes that take them: who may send one,
// how much of them there is at once, and that it goes back however the request ends.
#include <gtest/gtest.h>
#include <malloc.h>

#include "http/server/body_budget.hpp"
#include "http/server/request_reader.hpp"
#include "running_server.hpp"
#include "test_client.hpp"

namespace tideline::http::testing {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMiB = 1024 * 1024;

TEST(BodyBudget, IsSpentAndGoesBack) {
  BodyBudget budget(10, 2);
  auto first = budget.take("ada", 6);
  ASSERT_TRUE(first);
  EXPECT_EQ(budget.take("ben", 5).problem().status, 503);
  EXPECT_TRUE(budget.take("ben", 5).problem().headers.find("Retry-After"));
  {
    const auto second = budget.take("ada", 4);
    ASSERT_TRUE(second);
    const auto third = budget.take("ada", 0);
    EXPECT_EQ(third.problem().status, 429) << "the share comes before the bytes";
    EXPECT_TRUE(third.problem().headers.find("Retry-After"));
    EXPECT_EQ(budget.taken(), 10U);
  }
  EXPECT_EQ(budget.taken(), 6U);
  BodyBudget::Permit moved = std::move(*first);
  EXPECT_EQ(budget.taken(), 6U);
  BodyBudget::Permit over = budget.take("ada", 1).value();
  over = std::move(moved);
  EXPECT_EQ(budget.taken(), 6U) << "what was assigned over has gone back";
  over.give_back();
  over.give_back();
  EXPECT_EQ(budget.taken(), 0U);
  EXPECT_FALSE(budget.take("ben", 11)) << "never more than there is";
}

TEST(RequestReader, AsksOnceTheHeadIsSound) {
  std::vector<std::optional<std::size_t>> asked;
  const auto read = [&](const std::string& fields, const std::string& body, int refusal) {
    asked.clear();
    RequestReader reader(
        {10, 2000, 20, 300},
        [&](const Request& head, std::optional<std::size_t> length) -> std::optional<Problem> {
          EXPECT_EQ(head.path, "/echo");
          EXPECT_TRUE(head.header("Host"));
          asked.push_back(length);
          if (refusal == 0) return std::nullopt;
          return problem(refusal, "no", "No", "no");
        });
    const std::string bytes = post(fields, body);
    const auto step = reader.advance(bytes);
    if (step.progress == Progress::Refused) return reader.refusal().status;
    EXPECT_EQ(step.progress, Progress::Complete);
    return static_cast<int>(reader.take().body.size());
  };
  using Asked = std::vector<std::optional<std::size_t>>;
  EXPECT_EQ(read("Content-Length: 10\r\n", std::string(10, 'x'), 403), 10);
  EXPECT_EQ(asked, Asked());
  EXPECT_EQ(read("Content-Length: 11\r\n", std::string(11, 'x'), 0), 11);
  EXPECT_EQ(asked, Asked{11});
  EXPECT_EQ(read("Content-Length: 11\r\n", "", 403), 403) << "before any of the body has come";
  EXPECT_EQ(read("Content-Length: 11\r\nContent-Length: 11\r\n", "", 0), 400);
  EXPECT_EQ(asked, Asked()) << "its head is not sound";
  EXPECT_EQ(read("Transfer-Encoding: chunked\r\n", "b\r\nhello world\r\n0\r\n\r\n", 411), 411);
  EXPECT_EQ(asked, Asked{std::nullopt});
}

// Tokens are the names of accounts.
class NameVerifier final : public TokenVerifier {
 public:
  core::Result<VerifiedToken> verify(std::string_view bearer, core::Timestamp now) override {
    if (bearer == "bad") return core::invalid_input("signature");
    core::AccountId::Bytes bytes{};
    std::copy_n(bearer.begin(), std::min(bearer.size(), bytes.size()), bytes.begin());
    return VerifiedToken{{core::AccountId(bytes)}, now + std::chrono::hours(1)};
  }
};

class LargeBody : public ::testing::Test {
 protected:
  LargeBody() : router(std::make_shared<NameVerifier>(), clock) {
    const auto size = [](const Request& request) {
      return Response::text(200, "text/plain", std::to_string(request.body.size()));
    };
    const RouteLimits large{.body_bytes_max = 20 * kMiB};
    router.add(Method::Post, "/documents/{name}", Access::SignedIn, size, large);
    router.add(Method::Post, "/open", Access::Public, size, large);
    router.add(Method::Post, "/echo", Access::SignedIn, size);
    router.add(
        Method::Post, "/wait", Access::SignedIn,
        [this](const Request& request) {
          gate.pass();
          return Response::text(200, "text/plain", std::to_string(request.body.size()));
        },
        large);
    router.add(
        Method::Post, "/throw", Access::SignedIn,
        [](const Request&) -> Response { throw std::runtime_error("no"); }, large);
  }
  ~LargeBody() override {
    gate.open();
    if (server) server->stop();
  }

  void start() {
    server = std::make_unique<Server>(options, router, clock, &observer);
    ASSERT_TRUE(server->start().ok());
  }

  static std::string head(const std::string& path, const std::string& who, std::size_t length,
                          const std::string& fields = "") {
    const std::string token = who.empty() ? "" : "Authorization: Bearer " + who + "\r\n";
    return "POST " + path + " HTTP/1.1\r\nHost: h\r\n" + token + fields +
           "Content-Length: " + std::to_string(length) + "\r\n\r\n";
  }

  // A client that has sent the head and so much of the body.
  std::unique_ptr<TestClient> sending(const std::string& path, const std::string& who,
                                      std::size_t length, std::size_t sent) {
    auto client = std::make_unique<TestClient>(server->port());
    EXPECT_TRUE(client->send(head(path, who, length) + std::string(sent, 'x')));
    return client;
  }

  // Once `taken` bytes are.
  void expect_taken(std::size_t taken) {
    EXPECT_TRUE(eventually([&] { return server->large_body_bytes() == taken; }))
        << server->large_body_bytes();
  }

  int refusal(const std::string& path, const std::string& who, std::size_t length,
              const char* source = nullptr) {
    TestClient client(server->port(), 0, source);
    EXPECT_TRUE(client.send(head(path, who, length)));
    const Answer answer = client.answer();
    EXPECT_TRUE(client.ended()) << "what follows is no request";
    if (answer.status == 429 || answer.status == 503) {
      EXPECT_EQ(answer.header("Retry-After"), "5");
    }
    return answer.status;
  }

  core::SystemClock clock;
  ServerOptions options;
  Gate gate;
  RecordingObserver observer;
  Router router;
  std::unique_ptr<Server> server;
};

TEST_F(LargeBody, IsTakenWholeWhereTheRouteTakesIt) {
  start();
  TestClient client(server->port());
  ASSERT_TRUE(client.send(head("/documents/a", "ada", 20 * kMiB)));
  ASSERT_TRUE(client.send(std::string(20 * kMiB, 'x')));
  EXPECT_EQ(client.answer().body, std::to_string(20 * kMiB));
  expect_taken(0);
  ASSERT_TRUE(client.send(head("/documents/a", "ada", 5) + "small"));
  EXPECT_EQ(client.answer().body, "5") << "the connection goes on";
}

TEST_F(LargeBody, IsRefusedByItsHead) {
  start();
  EXPECT_EQ(refusal("/documents/a", "ada", 20 * kMiB + 1), 413);
  EXPECT_EQ(refusal("/echo", "ada", kMiB + 1), 413);
  EXPECT_EQ(refusal("/nowhere", "ada", kMiB + 1), 413);
  EXPECT_EQ(refusal("/documents/a", "", 2 * kMiB), 401);
  EXPECT_EQ(refusal("/documents/a", "bad", 2 * kMiB), 401);
  EXPECT_EQ(refusal("/documents/a", "bad", 200 * kMiB), 401) << "who it is comes first";
  expect_taken(0);
}

TEST_F(LargeBody, IsAskedForOnlyWhenItIsWanted) {
  start();
  TestClient client(server->port());
  const std::string expect = "Expect: 100-continue\r\n";
  ASSERT_TRUE(client.send(head("/documents/a", "ada", 2 * kMiB, expect)));
  EXPECT_EQ(client.answer().status, 100);
  ASSERT_TRUE(client.send(std::string(2 * kMiB, 'x')));
  EXPECT_EQ(client.answer().status, 200);
  TestClient other(server->port());
  ASSERT_TRUE(other.send(head("/documents/a", "", 2 * kMiB, expect)));
  EXPECT_EQ(other.answer().status, 401);
}

TEST_F(LargeBody, NeedsALength) {
  start();
  TestClient client(server->port());
  ASSERT_TRUE(
      client.send("POST /documents/a HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ada\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n"));
  const std::string chunk = "10000\r\n" + std::string(65536, 'a') + "\r\n";
  for (int i = 0; i < 17; ++i) client.send(chunk);
  EXPECT_EQ(client.answer().status, 411);
  expect_taken(0);
}

TEST_F(LargeBody, EachAccountHasItsShare) {
  start();
  const auto first = sending("/documents/a", "ada", 2 * kMiB, 10);
  const auto second = sending("/documents/b", "ada", 3 * kMiB, 10);
  expect_taken(5 * kMiB);
  EXPECT_EQ(refusal("/documents/c", "ada", 2 * kMiB), 429);
  const auto other = sending("/documents/c", "ben", 2 * kMiB, 10);
  expect_taken(7 * kMiB);
  TestClient small(server->port());
  ASSERT_TRUE(small.send(head("/documents/c", "ada", 5) + "small"));
  EXPECT_EQ(small.answer().status, 200) << "small ones are not counted";
  second->hang_up();
  expect_taken(4 * kMiB);
  const auto again = sending("/documents/d", "ada", 2 * kMiB, 10);
  expect_taken(6 * kMiB);
}

TEST_F(LargeBody, WithoutAnAccountTheAddressHasTheShare) {
  start();
  const auto first = sending("/open", "", 2 * kMiB, 10);
  const auto second = sending("/open", "", 2 * kMiB, 10);
  expect_taken(4 * kMiB);
  EXPECT_EQ(refusal("/open", "ada", 2 * kMiB), 429);
  TestClient elsewhere(server->port(), 0, "127.0.0.2");
  ASSERT_TRUE(elsewhere.send(head("/open", "", 2 * kMiB)));
  expect_taken(6 * kMiB);
}

TEST_F(LargeBody, AllTogetherHaveNoMoreThanTheBudget) {
  options.large_bodies_bytes_max = 8 * kMiB;
  start();
  const auto first = sending("/documents/a", "ada", 6 * kMiB, 10);
  expect_taken(6 * kMiB);
  EXPECT_EQ(refusal("/documents/b", "ben", 3 * kMiB), 503);
  EXPECT_EQ(refusal("/documents/b", "ben", 9 * kMiB), 503);
  const auto fits = sending("/documents/b", "ben", 2 * kMiB, 10);
  expect_taken(8 * kMiB);
}

TEST_F(LargeBody, TheBudgetGoesBackInEveryEnding) {
  options.pause_timeout = milliseconds(300);
  start();
  {
    const auto gone = sending("/documents/a", "ada", 2 * kMiB, 1000);
    expect_taken(2 * kMiB);
    gone->reset();
    expect_taken(0);
  }
  {
    const auto silent = sending("/documents/a", "ada", 2 * kMiB, 1000);
    EXPECT_EQ(silent->answer().status, 408);
    expect_taken(0);
  }
  {
    const auto failing = sending("/throw", "ada", 2 * kMiB, 2 * kMiB);
    EXPECT_EQ(failing->answer().status, 500);
    expect_taken(0);
  }
  {
    const auto waiting = sending("/wait", "ada", 2 * kMiB, 2 * kMiB);
    ASSERT_TRUE(gate.wait_for_visitors(1));
    EXPECT_EQ(server->large_body_bytes(), 2 * kMiB) << "while it is handled";
    waiting->reset();
    gate.open();
    expect_taken(0);
  }
  const auto aborted = sending("/documents/a", "ada", 2 * kMiB, 1000);
  expect_taken(2 * kMiB);
  server->stop();
  EXPECT_EQ(server->large_body_bytes(), 0U);
}

// 3 MiB at 10 MiB/s may take 300 ms more than the 200 ms of any body.
TEST_F(LargeBody, ASlowSenderHasTheTimeOfItsLengthAndNoMore) {
  options.body_timeout = milliseconds(200);
  options.large_body_rate_min = 10 * kMiB;
  start();
  const auto began = std::chrono::steady_clock::now();
  const auto trickle = sending("/documents/a", "ada", 3 * kMiB, 1);
  while (!trickle->hears_within(milliseconds(10))) {
    ASSERT_TRUE(trickle->send("x"));
    ASSERT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
  }
  EXPECT_EQ(trickle->answer().status, 408);
  EXPECT_GE(std::chrono::steady_clock::now() - began, milliseconds(490));
  expect_taken(0);
}

std::size_t allocated() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Bodies that were cut off are let go while their connections are still read.
TEST_F(LargeBody, ARefusedBodyTakesNoMemory) {
  options.pause_timeout = milliseconds(100);
  start();
  const std::size_t before = allocated();
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(sending("/documents/a", "person" + std::to_string(i), 20 * kMiB, 19 * kMiB));
  }
  for (const auto& client : clients) EXPECT_EQ(client->answer().status, 408);
  expect_taken(0);
  EXPECT_LT(allocated(), before + 10 * kMiB);
}

}  // namespace
}  // namespace tideline::http::testing
