// The client over real sockets, against the server: what comes back, and how it fails.
#include "http/client/client.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

#include "running_server.hpp"

namespace tideline::http::testing {
namespace {

using std::chrono::milliseconds;

// Answers as they come, by a name.
class Answers {
 public:
  Client::Then under(const std::string& name) {
    return [this, name](core::Result<Response> answer) {
      const std::lock_guard lock(mutex_);
      const bool is_first = answers_.emplace(name, std::move(answer)).second;
      EXPECT_TRUE(is_first) << name << " was answered twice";
      changed_.notify_all();
    };
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return answers_.size();
  }
  core::Result<Response> wait_for(const std::string& name) {
    std::unique_lock lock(mutex_);
    const bool came =
        changed_.wait_for(lock, std::chrono::seconds(20), [&] { return answers_.contains(name); });
    if (!came) return core::internal_error("no answer came");
    return answers_.at(name);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, core::Result<Response>> answers_;
};

class ClientTest : public ::testing::Test {
 protected:
  OutgoingRequest to(const std::string& path) const {
    return {"127.0.0.1:" + std::to_string(running.port()), path, {}, {}};
  }
  core::Result<Response> get(Client& client, const OutgoingRequest& request) {
    const std::string name = std::to_string(++asked_);
    client.get(request, answers.under(name));
    return answers.wait_for(name);
  }

  RunningServer running;
  Answers answers;

 private:
  int asked_ = 0;
};

TEST_F(ClientTest, BringsBackStatusFieldsAndBody) {
  Client client;
  const auto hello = get(client, to("/hello"));
  ASSERT_TRUE(hello.ok());
  EXPECT_EQ(hello->status, 200);
  EXPECT_EQ(hello->body, "hello");
  EXPECT_EQ(hello->headers.find("Content-Type"), "text/plain");
  const auto unknown = get(client, to("/nothing"));
  ASSERT_TRUE(unknown.ok());
  EXPECT_EQ(unknown->status, 404);
  EXPECT_EQ(unknown->headers.find("Content-Type"), "application/problem+json");
}

TEST_F(ClientTest, SendsQueryAndFields) {
  Client client;
  OutgoingRequest request = to("/query");
  request.query = {{"p", ""}, {"q", "a b&c=d/\xc3\xa9+%"}};
  request.headers.set("X-Request-Id", "named-by-us");
  const auto answer = get(client, request);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->body, "a b&c=d/\xc3\xa9+%");
  // The server notes a request after its answer has gone.
  ASSERT_TRUE(eventually([&] { return !running.observer.entries().empty(); }));
  EXPECT_EQ(running.observer.entries().at(0).request_id, "named-by-us");
}

TEST_F(ClientTest, KeepsItsConnection) {
  Client client;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(get(client, to("/hello")).ok());
  EXPECT_EQ(running.observer.opened(), 1U);
}

TEST_F(ClientTest, WaitsForManyAtOnceAndGivesEachItsOwn) {
  Client client;
  constexpr int kMany = 200;
  for (int i = 0; i < kMany; ++i) {
    const std::string name = std::to_string(i);
    client.get(to("/late/" + name), answers.under(name));
  }
  ASSERT_TRUE(eventually([&] { return running.deferred.owed() == kMany; }));
  EXPECT_EQ(answers.count(), 0U);
  running.deferred.give();
  for (int i = 0; i < kMany; ++i) {
    const auto answer = answers.wait_for(std::to_string(i));
    ASSERT_TRUE(answer.ok());
    EXPECT_EQ(answer->body, std::to_string(i) + "/0");
  }
}

TEST_F(ClientTest, SaysThatNobodyIsThere) {
  Client client;
  const OutgoingRequest request = to("/hello");
  running.server->stop();
  const auto answer = get(client, request);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, core::ErrorCode::Unavailable);
}

TEST_F(ClientTest, SaysThatThereIsNoAnswerInTime) {
  ClientOptions options;
  options.timeout = milliseconds(50);
  Client client(options);
  const auto answer = get(client, to("/wait"));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, core::ErrorCode::Timeout);
}

TEST_F(ClientTest, TakesNoAnswerThatIsTooLarge) {
  ClientOptions options;
  options.body_bytes_max = 4;
  Client client(options);
  EXPECT_EQ(get(client, to("/echo/1234"))->body, "1234");
  EXPECT_FALSE(get(client, to("/hello")).ok());
}

TEST_F(ClientTest, TakesOnNoMoreThanItsBound) {
  ClientOptions options;
  options.in_flight_max = 2;
  Client client(options);
  client.get(to("/late/one"), answers.under("one"));
  client.get(to("/late/two"), answers.under("two"));
  const auto refused = get(client, to("/hello"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, core::ErrorCode::Unavailable);
  ASSERT_TRUE(eventually([&] { return running.deferred.owed() == 2; }));
  running.deferred.give();
  EXPECT_TRUE(answers.wait_for("one").ok());
  EXPECT_TRUE(answers.wait_for("two").ok());
  EXPECT_TRUE(eventually([&] { return get(client, to("/hello")).ok(); }));
}

TEST_F(ClientTest, TellsEverybodyWhenItEnds) {
  {
    Client client;
    client.get(to("/late/1"), answers.under("1"));
    ASSERT_TRUE(eventually([&] { return running.deferred.owed() == 1; }));
  }
  ASSERT_EQ(answers.count(), 1U);
  EXPECT_FALSE(answers.wait_for("1").ok());
  running.deferred.give();
}

}  // namespace
}  // namespace tideline::http::testing
