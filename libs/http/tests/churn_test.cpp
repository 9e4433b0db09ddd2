// Clients that come and go while requests are in flight: no answer may ever reach another client.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "running_server.hpp"
#include "test_client.hpp"

namespace tideline::http::testing {
namespace {

constexpr unsigned kThreads = 4;
constexpr int kRequests = 50'000;

// TIDELINE_CHURN_REQUESTS=640000 makes a long run of it.
int requests_wanted() {
  const char* text = std::getenv("TIDELINE_CHURN_REQUESTS");
  const int wanted = text == nullptr ? kRequests : std::atoi(text);
  EXPECT_GT(wanted, 0) << "TIDELINE_CHURN_REQUESTS is a number of requests";
  return wanted;
}

struct Tally {
  std::atomic<int> sent{0};
  std::atomic<int> answered{0};
  std::atomic<int> misdelivered{0};
  std::atomic<int> lost{0};
};

// Every other one is answered by another thread than the one that handles it.
bool comes_late(int request) { return request % 2 == 1; }

std::string request_for(const std::string& id, int request) {
  return get((comes_late(request) ? "/late/" : "/echo/") + id, "X-Request-Id: " + id + "\r\n");
}

// One connection: some requests, and in half of the cases an end before all answers are there.
void visit(std::uint16_t port, const std::string& name, std::mt19937& random, Tally& tally) {
  TestClient client(port);
  ASSERT_TRUE(client.connected());
  const int requests = 1 + static_cast<int>(random() % 4);
  const int awaited = random() % 2 == 0 ? requests : static_cast<int>(random() % requests);
  std::string bytes;
  for (int i = 0; i < requests; ++i) bytes += request_for(name + "-" + std::to_string(i), i);
  tally.sent += requests;
  if (!client.send(bytes)) return;
  for (int i = 0; i < awaited; ++i) {
    const std::string id = name + "-" + std::to_string(i);
    const auto answer = client.receive();
    if (!answer) {
      ++tally.lost;
      return;
    }
    ++tally.answered;
    if (answer->body != id + (comes_late(i) ? "/0" : "") || answer->header("X-Request-Id") != id)
      ++tally.misdelivered;
  }
  if (awaited < requests && random() % 2 == 0) client.reset();
}

TEST(Churn, EveryAnswerReachesWhoAsked) {
  ServerOptions options;
  options.worker_threads = 4;
  RunningServer running(options);
  Tally tally;
  const int wanted = requests_wanted();
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937 random(thread + 1);
      for (int i = 0; tally.sent < wanted; ++i) {
        visit(running.port(), std::to_string(thread) + "-" + std::to_string(i), random, tally);
      }
    });
  }
  std::jthread giving([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      running.deferred.give();
      std::this_thread::yield();
    }
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(tally.sent, wanted);
  EXPECT_GT(tally.answered, wanted / 3);
  EXPECT_EQ(tally.misdelivered, 0);
  EXPECT_EQ(tally.lost, 0);
  EXPECT_TRUE(eventually([&] { return running.server->connections() == 0; }));
  EXPECT_TRUE(eventually([&] { return running.observer.closed() == running.observer.opened(); }));
}

// The dangerous case made certain: the client is gone and its descriptor number taken by another
// before the handler ends.
TEST(Churn, ALateAnswerDoesNotReachTheNextClient) {
  ServerOptions options;
  options.worker_threads = 2;
  RunningServer running(options);
  {
    TestClient gone(running.port());
    ASSERT_TRUE(gone.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n"));
    ASSERT_TRUE(running.gate.wait_for_visitors(1));
    gone.reset();
  }
  std::vector<std::unique_ptr<TestClient>> next;
  for (int i = 0; i < 20; ++i) {
    next.push_back(std::make_unique<TestClient>(running.port()));
    ASSERT_TRUE(next.back()->send(get("/echo/" + std::to_string(i))));
    ASSERT_EQ(next.back()->answer().body, std::to_string(i));
  }
  running.gate.open();
  ASSERT_TRUE(eventually([&] {
    for (const auto& entry : running.observer.entries()) {
      if (entry.route_template == "/wait") return true;
    }
    return false;
  }));
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(next[static_cast<std::size_t>(i)]->send(get("/echo/again-" + std::to_string(i))));
    ASSERT_EQ(next[static_cast<std::size_t>(i)]->answer().body, "again-" + std::to_string(i));
  }
}

TEST(Churn, DescriptorsAreGivenBack) {
  RunningServer running;
  const auto lowest_free = [] {
    const int descriptor = dup(0);
    close(descriptor);
    return descriptor;
  };
  const int before = lowest_free();
  for (int i = 0; i < 200; ++i) {
    TestClient client(running.port());
    ASSERT_TRUE(client.send(get("/echo/" + std::to_string(i))));
    ASSERT_EQ(client.answer().body, std::to_string(i));
  }
  EXPECT_TRUE(eventually([&] { return lowest_free() == before; }));
}

}  // namespace
}  // namespace tideline::http::testing
