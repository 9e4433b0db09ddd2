// A client that has ended its sending and waits for its answer: its socket says "readable" for as
// long as it is watched. The reactor is the server's own, what it tells of is counted.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <map>
#include <mutex>

#include "http/routing/position_waits.hpp"
#include "http/server/connection.hpp"
#include "http/server/reactors.hpp"
#include "running_server.hpp"

namespace tideline::http::testing {
namespace {

// One connection's server. Requests wait until they are let go.
class Host final : public ConnectionHost, public ReadinessListener {
 public:
  explicit Host(std::size_t answer_bytes) {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0);
    EXPECT_EQ(fcntl(ends_[0], F_SETFL, O_NONBLOCK), 0);
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, bell_.data()), 0);
    router_.add(Method::Get, "/", Access::Public, [answer_bytes](const Request&) {
      return Response::text(200, "text/plain", std::string(answer_bytes, 'x'));
    });
    EXPECT_TRUE(reactors_.start(1, *this).ok());
    connection_ = std::make_shared<Connection>(kConnection, ends_[0], nullptr, "", *this);
    connection_->begin();
  }
  ~Host() override {
    reactors_.stop();
    connection_->abort();
    close(bell_[0]);
    close(bell_[1]);
    close(client());
  }

  [[nodiscard]] int client() const { return ends_[1]; }
  [[nodiscard]] Connection& connection() { return *connection_; }
  bool wait_for_request() {
    return eventually([this] {
      std::lock_guard lock(mutex_);
      return task_ != nullptr;
    });
  }
  void let_go() { task_->run(); }
  int told() { return told_of(kConnection); }
  // So many turns of the reactor later.
  bool turns_pass(int turns) {
    if (!ringing_) {
      ringing_ = true;
      EXPECT_EQ(write(bell_[1], "x", 1), 1);
      EXPECT_TRUE(reactors_.watch(kBell, bell_[0]).ok());
    }
    const int before = told_of(kBell);
    return eventually([&] { return told_of(kBell) >= before + turns; });
  }

 private:
  static constexpr std::uint64_t kConnection = 1;
  static constexpr std::uint64_t kBell = 2;  // watched and never read

  int told_of(std::uint64_t id) {
    std::lock_guard lock(mutex_);
    return told_[id];
  }

  void on_turn_begin() override {}
  void on_turn_end() override {}
  void on_readable(std::uint64_t id) override {
    {
      std::lock_guard lock(mutex_);
      ++told_[id];
    }
    if (id == kConnection) connection_->on_readable();
  }

  const ServerOptions& options() const override { return options_; }
  const Router& router() const override { return router_; }
  PositionWaits& position_waits() override { return position_waits_; }
  core::Timestamp now() const override { return clock_.now(); }
  bool retiring() const override { return false; }
  bool draining() const override { return false; }
  std::string draw_request_id() override { return "drawn"; }
  core::TraceContext draw_span(const std::optional<core::TraceContext>& parent) override {
    return parent ? parent->child(random_) : core::TraceContext::start(random_);
  }
  std::optional<Problem> try_open_stream(const Request&) override { return std::nullopt; }
  void stream_ended(const Request&) override {}
  bool try_submit(std::shared_ptr<Task> task) override {
    std::lock_guard lock(mutex_);
    task_ = std::move(task);
    return true;
  }
  Parsed<BodyBudget::Permit> admit_body(const Request&, std::optional<std::size_t>,
                                        const std::string&) override {
    return content_too_large(0);
  }
  void put_aside() override {}
  void resume(std::shared_ptr<Task> task) override { try_submit(std::move(task)); }
  core::Status watch_input(std::uint64_t connection, int descriptor) override {
    return reactors_.watch(connection, descriptor);
  }
  void unwatch_input(std::uint64_t connection, int descriptor) override {
    reactors_.unwatch(connection, descriptor);
  }
  void watch_writable(std::uint64_t, int, bool) override {}
  void release_soon(std::uint64_t) override {}
  void observe(const RequestRecord&) override {}
  void forget(std::uint64_t) override {}
  void on_destroyed(const std::string&) override {}

  const ServerOptions options_;
  core::SystemClock clock_;
  core::SystemRandom random_;
  Router router_{nullptr, clock_};
  PositionWaits position_waits_;
  std::array<int, 2> ends_{};
  std::array<int, 2> bell_{};
  bool ringing_ = false;
  std::mutex mutex_;
  std::map<std::uint64_t, int> told_;
  std::shared_ptr<Task> task_;
  std::shared_ptr<Connection> connection_;
  Reactors reactors_;
};

void ask_and_end(const Host& host) {
  const std::string request = get("/");
  EXPECT_EQ(write(host.client(), request.data(), request.size()),
            static_cast<ssize_t>(request.size()));
  EXPECT_EQ(shutdown(host.client(), SHUT_WR), 0);
}

// What the reactor has told of the connection while a thousand turns have passed.
int told_meanwhile(Host& host) {
  // Whatever was under way has come when the thread has had another turn or two.
  EXPECT_TRUE(host.turns_pass(3));
  const int told = host.told();
  EXPECT_TRUE(host.turns_pass(1000));
  return host.told() - told;
}

TEST(HalfEnd, IsToldOfOnceWhileTheAnswerIsUnderWay) {
  Host host(5);
  ask_and_end(host);
  ASSERT_TRUE(host.wait_for_request());
  ASSERT_TRUE(eventually([&] { return host.told() >= 2; })) << "the request, the end";
  EXPECT_EQ(told_meanwhile(host), 0);

  host.let_go();
  std::string answer;
  std::array<char, 4096> bytes{};
  for (ssize_t got = 0; (got = read(host.client(), bytes.data(), bytes.size())) > 0;) {
    answer.append(bytes.data(), static_cast<std::size_t>(got));
  }
  EXPECT_TRUE(answer.ends_with("\r\n\r\nxxxxx")) << answer;
}

TEST(HalfEnd, IsToldOfOnceWhileTheAnswerIsBeingSent) {
  Host host(16 << 20);  // more than sockets hold
  const std::string request = get("/");
  ASSERT_EQ(write(host.client(), request.data(), request.size()),
            static_cast<ssize_t>(request.size()));
  ASSERT_TRUE(host.wait_for_request());
  host.let_go();
  const int told = host.told();
  EXPECT_EQ(shutdown(host.client(), SHUT_WR), 0);
  ASSERT_TRUE(eventually([&] { return host.told() > told; }));
  EXPECT_EQ(told_meanwhile(host), 0);

  std::size_t received = 0;
  std::array<char, 65536> bytes{};
  for (ssize_t got = 0; (got = read(host.client(), bytes.data(), bytes.size())) > 0;) {
    received += static_cast<std::size_t>(got);
    host.connection().on_writable();
  }
  EXPECT_GT(received, std::size_t{16} << 20);
}

}  // namespace
}  // namespace tideline::http::testing
