// The server over real sockets: statuses and endings, keep-alive, limits of time and number, drain.
#include "http/server.hpp"

#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <string>
#include <thread>
#include <vector>

#include "running_server.hpp"
#include "test_client.hpp"

namespace tideline::http::testing {
namespace {

using std::chrono::milliseconds;

std::string get(std::string_view target, std::string_view fields = "") {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n";
}
std::string post(std::string_view fields, std::string_view body) {
  return "POST /echo HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n" + std::string(body);
}

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

TEST(Server, ClosesAfterTooMuchPipelining) {
  ServerOptions options;
  options.pipelined_bytes_max = 200;
  RunningServer running(options);
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/wait")));
  ASSERT_TRUE(running.gate.wait_for_visitors(1));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(client.send(get("/echo/" + std::to_string(i))));
  // The kernel has handed everything over once the client's send buffer is empty.
  ASSERT_TRUE(eventually([&] {
    int unsent = 1;
    return ioctl(client.descriptor(), SIOCOUTQ, &unsent) == 0 && unsent == 0;
  }));
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

TEST(Server, ClosesAfterEveryFramingErrorAndSaysProblemJson) {
  RunningServer running;
  const std::vector<std::pair<std::string, int>> cases{
      {"GET / HTTP/1.1\n\n", 400},
      {"BREW / HTTP/1.1\r\nHost: h\r\n\r\n", 501},
      {"GET / HTTP/3.0\r\nHost: h\r\n\r\n", 505},
      {get("/" + std::string(9000, 'a')), 414},
      {get("/", "X: " + std::string(17000, 'a') + "\r\n"), 431},
      {post("Content-Length: 1048577\r\n", ""), 413},
      {post("Content-Length: 1\r\nContent-Length: 1\r\n", "a"), 400},
      {post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400},
      {post("Transfer-Encoding: chunked\r\n", "zz\r\n"), 400},
      {"POST /echo HTTP/1.0\r\n\r\n", 411}};
  for (const auto& [bytes, status] : cases) {
    TestClient client(running.port());
    // What follows a framing error must never be taken for a request.
    client.send(bytes + get("/hello"));
    const auto answer = client.receive();
    ASSERT_TRUE(answer) << bytes.substr(0, 60);
    EXPECT_EQ(answer->status, status) << bytes.substr(0, 60);
    EXPECT_EQ(answer->header("Content-Type"), "application/problem+json");
    EXPECT_EQ(answer->header("Connection"), "close");
    EXPECT_EQ(Json::parse(answer->body)["status"], status);
    EXPECT_FALSE(client.receive()) << bytes.substr(0, 60);
    EXPECT_TRUE(client.ended()) << bytes.substr(0, 60);
  }
}

TEST(Server, HidesWhatAHandlerThrows) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(client.send(get("/throw") + get("/hello")));
  const auto answer = client.answer();
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body.find("secret"), std::string::npos);
  EXPECT_EQ(client.answer().body, "hello");
  const auto entries = running.observer.entries();
  ASSERT_FALSE(entries.empty());
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

TEST(Server, TimesOutASlowHeadAndASlowBody) {
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

TEST(Server, ClosesAnIdleConnectionWithoutAWord) {
  ServerOptions options;
  options.idle_timeout = milliseconds(100);
  RunningServer running(options);
  TestClient silent(running.port());
  EXPECT_FALSE(silent.receive());
  EXPECT_TRUE(silent.ended());
  TestClient once(running.port());
  ASSERT_TRUE(once.send(get("/hello")));
  EXPECT_EQ(once.answer().status, 200);
  EXPECT_TRUE(once.ended());
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

TEST(Server, RefusesBeforeWorkBeginsWhenTheQueueIsFull) {
  ServerOptions options;
  options.worker_threads = 1;
  options.queued_requests_max = 1;
  RunningServer running(options);
  TestClient working(running.port());
  ASSERT_TRUE(working.send(get("/wait")));
  ASSERT_TRUE(running.gate.wait_for_visitors(1));
  TestClient queued(running.port());
  ASSERT_TRUE(queued.send(get("/echo/queued")));
  ASSERT_TRUE(eventually([&] { return running.server->requests_in_hand() == 2; }));
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

TEST(Server, TakesNoMoreConnectionsThanItMay) {
  ServerOptions options;
  options.connections_max = 2;
  RunningServer running(options);
  TestClient first(running.port());
  TestClient second(running.port());
  ASSERT_TRUE(first.send(get("/hello")) && second.send(get("/hello")));
  ASSERT_TRUE(first.receive() && second.receive());
  TestClient third(running.port());
  EXPECT_TRUE(third.ended());
  first.hang_up();
  EXPECT_TRUE(eventually([&] {
    TestClient again(running.port());
    return again.send(get("/hello")) && again.receive().has_value();
  }));
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
