// The server over real sockets: statuses, headers, endings, keep-alive.
#include "http/server/server.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "running_server.hpp"
#include "test_client.hpp"

namespace tideline::http::testing {
namespace {

using std::chrono::milliseconds;

TEST(Server, AnswersByteByByte) {
  RunningServer running;
  TestClient client(running.port());
  for (const char byte :
       get("/echo/1") + post("Transfer-Encoding: chunked\r\n", "2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")) {
    ASSERT_TRUE(client.send({&byte, 1}));
  }
  EXPECT_EQ(client.answer().body, "1");
  EXPECT_EQ(client.answer().body, "abc");
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  RunningServer running;
  TestClient client(running.port());
  std::string requests;
  for (int i = 0; i < 500; ++i) requests += get("/echo/" + std::to_string(i));
  ASSERT_TRUE(client.send(requests));
  for (int i = 0; i < 500; ++i) {
    const auto answer = client.receive();
    ASSERT_TRUE(answer);
    ASSERT_EQ(answer->body, std::to_string(i));
  }
}

TEST(Server, HoldsNoAnswerBehindAHandlerThatTakesItsTime) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/hello") + get("/echo/a") + get("/wait") + get("/echo/b")));
  EXPECT_EQ(client.answer().body, "hello");
  EXPECT_EQ(client.answer().body, "a");
  EXPECT_TRUE(eventually([&] { return running.observer.count(200) == 2; }));
  running.gate.open();
  EXPECT_EQ(client.answer().body, "waited");
  EXPECT_EQ(client.answer().body, "b");
  EXPECT_TRUE(eventually([&] { return running.observer.count(200) == 4; }));
}

// More than a socket takes, and more than is held, while the client does not read.
TEST(Server, KeepsTheOrderOfAnswersThatDoNotFit) {
  constexpr std::size_t kRequests = 12;
  RunningServer running;
  TestClient client(running.port());
  std::string requests;
  for (std::size_t i = 0; i < kRequests; ++i) {
    requests += get("/echo/" + std::to_string(i)) + (i % 4 == 1 ? get("/large") : "");
  }
  ASSERT_TRUE(client.send(requests));
  for (std::size_t i = 0; i < kRequests; ++i) {
    EXPECT_EQ(client.answer().body, std::to_string(i));
    if (i % 4 == 1) {
      EXPECT_EQ(client.answer().body.size(), 32U * 1024 * 1024);
    }
  }
}

TEST(Server, ReportsWhatItCouldNotDeliver) {
  RunningServer running;
  {
    TestClient gone(running.port());
    ASSERT_TRUE(gone.send(get("/hello") + get("/large")));
    EXPECT_EQ(gone.answer().body, "hello");
    gone.reset();
  }
  ASSERT_TRUE(eventually([&] { return running.observer.count(200) == 2; }));
  const auto entries = running.observer.entries();
  EXPECT_TRUE(entries[0].delivered) << "it was sent together with one that was not";
  EXPECT_FALSE(entries[1].delivered);
}

TEST(Server, ClosesAfterTooMuchPipelining) {
  ServerOptions options;
  options.pipelined_bytes_max = 200;
  RunningServer running(options);
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/wait")));
  ASSERT_TRUE(running.gate.wait_for_visitors(1));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(client.send(get("/echo/" + std::to_string(i))));
  ASSERT_TRUE(eventually([&] { return client.handed_over(); }));
  running.gate.open();
  EXPECT_EQ(client.answer().body, "waited");
  int answered = 0;
  while (const auto answer = client.receive()) {
    EXPECT_EQ(answer->body, std::to_string(answered));
    ++answered;
  }
  EXPECT_LT(answered, 100);
  EXPECT_TRUE(client.ended());
}

TEST(Server, SendsTheHeadersThatItPromises) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/hello", "X-Request-Id: r-1\r\nX-Correlation-Id: c-1\r\n")));
  const auto answer = client.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->head.substr(0, 17), "HTTP/1.1 200 OK\r\n");
  EXPECT_EQ(answer->header("X-Request-Id"), "r-1");
  EXPECT_EQ(answer->header("X-Correlation-Id"), "c-1");
  EXPECT_EQ(answer->header("Content-Length"), "5");
  EXPECT_EQ(answer->header("Content-Type"), "text/plain");
  EXPECT_EQ(answer->header("Cache-Control"), "no-store");
  EXPECT_EQ(answer->header("Date").size(), 29);
  EXPECT_EQ(answer->header("Connection"), "");
}

TEST(Server, DrawsARequestIdWhereTheClientsIsNotAcceptable) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/hello", "X-Request-Id: " + std::string(129, 'a') + "\r\n")));
  const std::string first = client.answer().header("X-Request-Id");
  EXPECT_EQ(first.size(), 32);
  ASSERT_TRUE(client.send(get("/hello")));
  EXPECT_NE(client.answer().header("X-Request-Id"), first);
}

TEST(Server, AnswersHeadWithoutBody) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(
      client.send("HEAD /hello HTTP/1.1\r\nHost: h\r\n\r\nHEAD /no HTTP/1.1\r\nHost: h\r\n\r\n" +
                  get("/echo/7")));
  const auto head = client.answer(true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Length"), "5");
  EXPECT_EQ(client.answer(true).status, 404);
  EXPECT_EQ(client.answer().body, "7");
}

TEST(Server, AnswersWithoutContent) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(client.send("DELETE /thing HTTP/1.1\r\nHost: h\r\n\r\n" +
                          std::string("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n")));
  const auto deleted = client.answer();
  EXPECT_EQ(deleted.status, 204);
  EXPECT_EQ(deleted.header("Content-Length"), "");
  EXPECT_EQ(client.answer().status, 204);
}

TEST(Server, SaysContinueBeforeTheBody) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(client.send(post("Expect: 100-continue\r\nContent-Length: 3\r\n", "")));
  EXPECT_EQ(client.answer().status, 100);
  ASSERT_TRUE(client.send("abc"));
  EXPECT_EQ(client.answer().body, "abc");
}

TEST(Server, RefusesAnAnnouncedLargeBodyInsteadOfSayingContinue) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(client.send(post("Expect: 100-continue\r\nContent-Length: 2000000\r\n", "")));
  EXPECT_EQ(client.answer().status, 413);
  EXPECT_TRUE(client.ended());
}

TEST(Server, HidesWhatAHandlerThrows) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/throw") + get("/hello")));
  const auto answer = client.answer();
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body.find("secret"), std::string::npos);
  EXPECT_EQ(client.answer().body, "hello");
  ASSERT_TRUE(eventually([&] { return running.observer.entries().size() == 2; }));
  const auto entries = running.observer.entries();
  EXPECT_EQ(entries[0].failure, "secret of the house");
  EXPECT_EQ(entries[0].route_template, "/throw");
}

TEST(Server, ClosesWhenTheClientWantsIt) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/hello", "Connection: close\r\n") + get("/hello")));
  const auto answer = client.answer();
  EXPECT_EQ(answer.header("Connection"), "close");
  EXPECT_FALSE(client.receive());
  EXPECT_TRUE(client.ended());
}

// It should not have, but its answer is not to be lost with the connection.
TEST(Server, AnswersAClientThatSendsMoreBehindItsLastRequest) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/echo/last", "Connection: close\r\n") + get("/echo/more")));
  ASSERT_EQ(client.answer().body, "last");
  EXPECT_TRUE(client.ended());
  // Not torn down, or the second would fail.
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(client.send(get("/echo/more")));
}

TEST(Server, KeepsHttp10OpenOnlyOnRequest) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(client.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
  EXPECT_EQ(client.answer().header("Connection"), "keep-alive");
  ASSERT_TRUE(client.send("GET /hello HTTP/1.0\r\n\r\n"));
  EXPECT_EQ(client.answer().header("Connection"), "close");
  EXPECT_TRUE(client.ended());
}

TEST(Server, AnswersAClientThatHasEndedItsSending) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/wait") + get("/echo/2")));
  client.end_sending();
  ASSERT_TRUE(running.gate.wait_for_visitors(1));
  running.gate.open();
  EXPECT_EQ(client.answer().body, "waited");
  EXPECT_EQ(client.answer().body, "2");
  EXPECT_TRUE(client.ended());
}

TEST(Server, DropsAClientThatDoesNotRead) {
  ServerOptions options;
  options.write_timeout = milliseconds(100);
  options.worker_threads = 1;
  RunningServer running(options);
  TestClient slow(running.port());
  ASSERT_TRUE(slow.send(get("/large")));
  // The only worker is free meanwhile.
  TestClient other(running.port());
  ASSERT_TRUE(other.send(get("/hello")));
  EXPECT_EQ(other.answer().body, "hello");
  ASSERT_TRUE(eventually([&] {
    for (const auto& entry : running.observer.entries()) {
      if (entry.route_template == "/large") return !entry.delivered;
    }
    return false;
  }));
  EXPECT_FALSE(slow.receive());
}

TEST(Server, SendsALargeAnswerWhole) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/large") + get("/echo/after")));
  EXPECT_EQ(client.answer().body.size(), 32u * 1024 * 1024);
  EXPECT_EQ(client.answer().body, "after");
}

TEST(Server, SaysWhyItDoesNotStart) {
  RunningServer running;
  ServerOptions options;
  options.port = running.port();
  Server second(options, running.router, running.clock);
  const auto status = second.start();
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find(std::to_string(running.port())), std::string::npos);
  options.address = "nowhere";
  Server third(options, running.router, running.clock);
  EXPECT_FALSE(third.start().ok());
}

}  // namespace
}  // namespace tideline::http::testing
