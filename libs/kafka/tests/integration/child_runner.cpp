#include "child_runner.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "core/check.hpp"

namespace tideline::kafka::testing {
namespace {

constexpr const char* kSettings = "TIDELINE_TEST_CHILD";

nlohmann::json to_json(const PublishedService& service, const ChildOptions& options) {
  return {{"service", service.name},
          {"conninfo", service.options.conninfo},
          {"brokers", PublishedService::brokers()},
          {"group", options.group},
          {"poison_every", options.poison_every},
          {"point", static_cast<int>(options.point)},
          {"nth", options.nth},
          {"signal", options.signal}};
}

// Runs in the child.
int run(const nlohmann::json& settings) {
  postgres::DatabaseOptions database_options;
  database_options.conninfo = settings.at("conninfo");
  // Of one that is frozen while it holds the rows.
  database_options.idle_in_transaction_timeout = 1500ms;
  postgres::PooledDatabase database(database_options);
  int passings_left = settings.at("nth");
  const int signal = settings.at("signal");
  const auto point = static_cast<projections::RunnerPoint>(settings.at("point").get<int>());
  RunningProjection::Options options;
  options.group = settings.at("group");
  options.poison_every = settings.at("poison_every");
  options.reached = [&](projections::RunnerPoint reached) {
    if (reached == point && --passings_left == 0) kill(getpid(), signal);
  };
  RunningProjection running(settings.at("service"), database, settings.at("brokers"), options);
  std::string goal;
  if (!std::getline(std::cin, goal)) return 2;
  const auto wanted = eventsourcing::PositionVector::from_token(goal);
  if (!wanted || !running.runner().applied().wait_for(*wanted, kDeadline)) return 3;
  if (!options.group.empty()) return 0;
  // What others have committed counts as applied before this process has loaded it.
  if (!running.runner().in_memory().wait_for(*wanted, kDeadline)) return 3;
  const CountedTotals memory = running.memory();
  const CountedTotals table = read_totals(database);
  if (memory == table) return 0;
  std::cerr << "memory " << memory << "; table " << table << "\n";
  return 4;
}

// Not a test of its own: what a child runs.
TEST(ProjectionChild, Runs) {
  const char* settings = std::getenv(kSettings);
  if (settings == nullptr) GTEST_SKIP() << "run by other tests, in a process of its own";
  std::_Exit(run(nlohmann::json::parse(settings)));
}

}  // namespace

ChildRunner::ChildRunner(const PublishedService& service, const ChildOptions& options) {
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "no socket");
  std::string setting = std::string(kSettings) + "=" + to_json(service, options).dump();
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  environment.push_back(setting.data());
  environment.push_back(nullptr);
  const char* const arguments[] = {"runner", "--gtest_filter=ProjectionChild.Runs", nullptr};
  pid_ = fork();
  CHECK(pid_ >= 0, "no child");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(ends[0], STDIN_FILENO);
    execve("/proc/self/exe", const_cast<char* const*>(arguments), environment.data());
    _exit(127);
  }
  close(ends[0]);
  goal_socket_ = ends[1];
}

ChildRunner::~ChildRunner() {
  close(goal_socket_);
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void ChildRunner::tell_goal(const eventsourcing::PositionVector& goal) {
  const std::string line = goal.to_token() + "\n";
  // One that has died meanwhile is found by wait().
  ::send(goal_socket_, line.data(), line.size(), MSG_NOSIGNAL);
}

void ChildRunner::send(int signal) { kill(pid_, signal); }

int ChildRunner::wait() {
  int status = 0;
  const bool changed = eventually([&] { return waitpid(pid_, &status, WNOHANG | WUNTRACED) > 0; });
  EXPECT_TRUE(changed) << "the child neither ends nor stops";
  if (changed && !WIFSTOPPED(status)) pid_ = -1;
  return status;
}

}  // namespace tideline::kafka::testing
