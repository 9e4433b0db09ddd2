// Streams of events over real sockets: order, slowness, ends from either side.
#include "http/routing/event_stream.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "running_server.hpp"
#include "test_client.hpp"

namespace tideline::http::testing {
namespace {

using std::chrono::milliseconds;

std::string listen(std::string_view name, std::string_view fields = "") {
  return get("/events/" + std::string(name), fields);
}

TEST(Event, BecomesLines) {
  EXPECT_EQ(to_wire(Event{"7", "moment", "a"}), "id: 7\nevent: moment\ndata: a\n\n");
  EXPECT_EQ(to_wire(Event{"", "", ""}), "data: \n\n");
  // Whatever ends a line for the client must not end the event's data, nor begin another field.
  EXPECT_EQ(to_wire(Event{"", "", "a\r\nid: 9\rb\nc\n"}),
            "data: a\ndata: id: 9\ndata: b\ndata: c\ndata: \n\n");
}

TEST(EventDeathTest, HasAnIdOfOneLine) {
  EXPECT_DEATH((void)to_wire(Event{"7\ndata: forged", "", ""}), "one line");
}

TEST(EventStream, IsBounded) {
  EventStream stream(100);
  int taken = 0;
  while (stream.send({"", "", std::string(40, 'a')})) ++taken;
  EXPECT_EQ(taken, 2);
  EXPECT_FALSE(stream.is_open());
  EXPECT_EQ(stream.take().state, EventStream::State::Overrun);
}

TEST(EventStream, SendsWhatWasMissedAndWhatComes) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(client.send(listen("ann", "Last-Event-ID: 41\r\n")));
  const Answer head = client.receive_head();
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Type"), "text/event-stream");
  EXPECT_EQ(head.header("Transfer-Encoding"), "chunked");
  EXPECT_EQ(head.header("Content-Length"), "");
  EXPECT_EQ(head.header("Connection"), "close");
  EXPECT_EQ(client.read_until("\n\n\r\n"),
            "29\r\nid: 41+1\nevent: missed\ndata: while away\n\n\r\n");
  EXPECT_EQ(running.server->streams(), 1);
  EXPECT_EQ(running.listeners.send_to_all("43"), 1);
  EXPECT_EQ(client.read_until("\n\n\r\n"), "12\r\nid: 43\ndata: ann\n\n\r\n");
  running.listeners.last().lock()->close();
  EXPECT_EQ(client.read_until("\r\n\r\n"), "0\r\n\r\n");
  EXPECT_TRUE(client.ended());
  EXPECT_TRUE(eventually([&] { return running.server->streams() == 0; }));
  EXPECT_EQ(running.observer.entries().size(), 1);
}

TEST(EventStream, HasNoChunksForHttp10AndNoneForHead) {
  RunningServer running;
  TestClient old(running.port());
  ASSERT_TRUE(old.send("GET /events/old HTTP/1.0\r\n\r\n"));
  EXPECT_EQ(old.receive_head().header("Transfer-Encoding"), "");
  running.listeners.send_to_all("1");
  running.listeners.last().lock()->close();
  EXPECT_EQ(old.read_until("\n\n"), "id: 1\ndata: old\n\n");
  EXPECT_TRUE(old.ended());
  TestClient head(running.port());
  ASSERT_TRUE(head.send("HEAD /events/x HTTP/1.1\r\nHost: h\r\n\r\n" + get("/echo/next")));
  EXPECT_EQ(head.receive_head().status, 200);
  EXPECT_EQ(head.answer().body, "next");
  EXPECT_EQ(running.server->streams(), 0);
}

TEST(EventStream, ShowsThatItIsAlive) {
  ServerOptions options;
  options.heartbeat_interval = milliseconds(30);
  RunningServer running(options);
  TestClient client(running.port());
  ASSERT_TRUE(client.send(listen("ann")));
  client.receive_head();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.read_until("\n\n\r\n"), "3\r\n:\n\n\r\n");
}

TEST(EventStream, EndsWithItsClient) {
  RunningServer running;
  for (const bool rudely : {false, true}) {
    TestClient client(running.port());
    ASSERT_TRUE(client.send(listen("ann")));
    client.receive_head();
    const auto stream = running.listeners.last();
    EXPECT_FALSE(stream.expired());
    if (rudely) {
      client.reset();
    } else {
      client.end_sending();
    }
    EXPECT_TRUE(eventually([&] { return stream.expired(); }));
  }
  EXPECT_EQ(running.server->streams(), 0);
  EXPECT_EQ(running.listeners.send_to_all("1"), 0);
}

TEST(EventStream, DropsASlowClientWithoutWaitingForIt) {
  RunningServer running;
  running.stream_bytes_max = 64 * 1024;
  TestClient slow(running.port(), 4096);
  ASSERT_TRUE(slow.send(listen("slow")));
  slow.receive_head();
  const auto stream = running.listeners.last();
  TestClient quick(running.port());
  ASSERT_TRUE(quick.send(listen("quick")));
  quick.receive_head();
  const std::string id(1000, 'i');
  std::size_t rounds = 0;
  while (running.listeners.send_to_all(id) == 2) {
    ASSERT_LT(++rounds, 100'000u);
    EXPECT_FALSE(quick.read_until("\n\n\r\n").empty());
  }
  EXPECT_TRUE(eventually([&] { return stream.expired(); }));
  EXPECT_TRUE(eventually([&] { return running.server->connections() == 1; }));
  EXPECT_EQ(running.listeners.send_to_all("last"), 1);
  EXPECT_NE(quick.read_until("id: last\ndata: quick\n\n\r\n"), "");
}

// It takes nothing at all, but too little comes for the buffer to run over.
TEST(EventStream, DropsAClientThatDoesNotTakeAnEventInTime) {
  ServerOptions options;
  options.write_timeout = milliseconds(100);
  RunningServer running(options);
  running.stream_bytes_max = 64 * 1024 * 1024;
  TestClient slow(running.port(), 4096);
  ASSERT_TRUE(slow.send(listen("slow")));
  slow.receive_head();
  const auto stream = running.listeners.last();
  ASSERT_TRUE(stream.lock()->send({"", "", std::string(32 * 1024 * 1024, 'x')}));
  EXPECT_TRUE(eventually([&] { return stream.expired(); }));
}

TEST(EventStream, KeepsTheOrderOfEachSender) {
  constexpr int kSenders = 4;
  constexpr int kEvents = 2000;
  RunningServer running;
  running.stream_bytes_max = 16 * 1024 * 1024;
  TestClient client(running.port());
  ASSERT_TRUE(client.send(listen("ann")));
  client.receive_head();
  std::vector<std::thread> senders;
  for (int sender = 0; sender < kSenders; ++sender) {
    senders.emplace_back([&running, sender, stream = running.listeners.last().lock()] {
      for (int i = 0; i < kEvents; ++i) {
        EXPECT_TRUE(stream->send({std::to_string(sender), std::to_string(i), "x"}));
      }
    });
  }
  for (std::thread& sender : senders) sender.join();
  running.listeners.last().lock()->close();
  std::vector<int> next(kSenders, 0);
  for (int i = 0; i < kSenders * kEvents; ++i) {
    client.read_until("id: ");
    const int sender = std::stoi(client.read_until("\n"));
    client.read_until("event: ");
    ASSERT_EQ(std::stoi(client.read_until("\n")), next[static_cast<std::size_t>(sender)]++);
  }
  client.read_until("0\r\n\r\n");
  EXPECT_TRUE(client.ended());
}

TEST(EventStream, IsRefusedWhereThereAreTooMany) {
  ServerOptions options;
  options.streams_max = 1;
  RunningServer running(options);
  TestClient first(running.port());
  ASSERT_TRUE(first.send(listen("first")));
  first.receive_head();
  TestClient second(running.port());
  ASSERT_TRUE(second.send(listen("second")));
  const Answer refused = second.answer();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_TRUE(running.listeners.last().expired());
  first.hang_up();
  EXPECT_TRUE(eventually([&] { return running.server->streams() == 0; }));
  ASSERT_TRUE(second.send(listen("second")));
  EXPECT_EQ(second.receive_head().status, 200);
}

// Tokens are names of accounts.
class NameVerifier final : public TokenVerifier {
 public:
  core::Result<VerifiedToken> verify(std::string_view bearer, core::Timestamp now) override {
    const core::AccountId account(
        core::AccountId::Bytes{static_cast<std::uint8_t>(bearer.front())});
    return VerifiedToken{{account, {"user"}}, now + std::chrono::hours(1)};
  }
};

TEST(EventStream, IsRefusedToTheAccountThatHasItsShare) {
  core::SystemClock clock;
  Router router(std::make_shared<NameVerifier>(), clock);
  router.add(Method::Get, "/mine", Access::SignedIn, [](const Request&) {
    return Response::event_stream(std::make_shared<EventStream>(1024));
  });
  ServerOptions options;
  options.streams_per_account_max = 2;
  Server server(options, router, clock);
  ASSERT_TRUE(server.start().ok());
  const auto status_of = [](TestClient& client, const std::string& name) {
    EXPECT_TRUE(client.send(get("/mine", "Authorization: Bearer " + name + "\r\n")));
    return client.receive_head().status;
  };
  TestClient first(server.port());
  TestClient second(server.port());
  TestClient third(server.port());
  TestClient of_another(server.port());
  EXPECT_EQ(status_of(first, "ada"), 200);
  EXPECT_EQ(status_of(second, "ada"), 200);
  EXPECT_EQ(status_of(third, "ada"), 429);
  EXPECT_EQ(status_of(of_another, "ben"), 200);
  EXPECT_EQ(server.streams(), 3);
  first.hang_up();
  EXPECT_TRUE(eventually([&] {
    TestClient again(server.port());
    return status_of(again, "ada") == 200;
  }));
}

TEST(EventStream, EndsBehindWhatWasSentWhenTheServerDrains) {
  RunningServer running;
  TestClient client(running.port());
  ASSERT_TRUE(client.send(listen("ann")));
  client.receive_head();
  running.listeners.send_to_all("1");
  EXPECT_TRUE(running.server->drain(milliseconds(10'000)));
  EXPECT_EQ(client.read_until("0\r\n\r\n"), "11\r\nid: 1\ndata: ann\n\n\r\n0\r\n\r\n");
  EXPECT_TRUE(client.ended());
}

// Listeners come and go while everyone is sent events: each sees its own and no other's.
TEST(EventStream, ReachesNobodyElseInChurn) {
  constexpr unsigned kThreads = 3;
  constexpr int kVisits = 150;
  RunningServer running;
  std::atomic<bool> over{false};
  std::atomic<int> foreign{0};
  std::atomic<int> seen{0};
  std::thread sender([&] {
    while (!over) running.listeners.send_to_all("e");
  });
  std::vector<std::thread> visitors;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    visitors.emplace_back([&, thread] {
      std::mt19937 random(thread + 1);
      for (int i = 0; i < kVisits; ++i) {
        const std::string name = std::to_string(thread) + "-" + std::to_string(i);
        TestClient client(running.port());
        if (!client.send(listen(name)) || client.receive_head().status != 200) continue;
        for (auto events = random() % 3; events > 0; --events) {
          client.read_until("data: ");
          const std::string data = client.read_until("\n");
          // Who is not run for long enough is dropped as too slow, within a line perhaps.
          if (!data.ends_with('\n')) break;
          ++(data == name + "\n" ? seen : foreign);
        }
        if (random() % 2 == 0) client.reset();
      }
    });
  }
  for (std::thread& visitor : visitors) visitor.join();
  over = true;
  sender.join();
  EXPECT_EQ(foreign, 0);
  EXPECT_GT(seen, 200);
  EXPECT_TRUE(eventually([&] { return running.server->connections() == 0; }));
}

}  // namespace
}  // namespace tideline::http::testing
