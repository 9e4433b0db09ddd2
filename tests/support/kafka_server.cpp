#include "support/kafka_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace tideline::test_support {
namespace {

constexpr const char* kScript = TIDELINE_SOURCE_DIR "/deploy/parts/kafka";

[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "Kafka for tests: %s\n", what.c_str());
  std::abort();
}

// Two different ports that were free a moment ago.
std::array<int, 2> free_ports() {
  std::array<int, 2> ports{};
  std::array<int, 2> probes{};
  for (std::size_t i = 0; i < ports.size(); ++i) {
    probes[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (probes[i] < 0 || bind(probes[i], generic, length) != 0 ||
        getsockname(probes[i], generic, &length) != 0) {
      give_up("no free port");
    }
    ports[i] = ntohs(address.sin_port);
  }
  for (const int probe : probes) close(probe);
  return ports;
}

// Runs `command` once this process is gone or has closed the returned descriptor.
int start_watchdog(const std::string& command, int& pid) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) give_up("no pipe");
  const std::string script = "read -r _; " + command;
  pid = fork();
  if (pid < 0) give_up("no process");
  if (pid == 0) {
    setsid();  // a signal to the tests' process group must not end it first
    dup2(ends[0], STDIN_FILENO);
    execl("/bin/sh", "sh", "-c", script.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[0]);
  return ends[1];
}

}  // namespace

KafkaServer::KafkaServer() {
  std::string pattern = "/tmp/tideline-kafka-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) give_up("no temporary folder");
  folder_ = pattern;
  watchdog_pipe_ = start_watchdog(
      std::string(kScript) + " kill --data " + folder_ + " >/dev/null 2>&1; rm -rf " + folder_,
      watchdog_pid_);
  const auto ports = free_ports();
  port_ = ports[0];
  controller_port_ = ports[1];
  start();
}

KafkaServer::~KafkaServer() {
  close(watchdog_pipe_);
  waitpid(watchdog_pid_, nullptr, 0);
}

KafkaServer& KafkaServer::shared() {
  static KafkaServer server;
  return server;
}

std::string KafkaServer::unused_service() {
  std::string name = "test-";
  for (int number = services_++; number >= 0; number = number / 26 - 1) {
    name.push_back(static_cast<char>('a' + number % 26));
  }
  return name;
}

void KafkaServer::start() {
  run_script("start --heap 320m --port " + std::to_string(port_) + " --controller-port " +
             std::to_string(controller_port_));
}

void KafkaServer::kill() { run_script("kill"); }

void KafkaServer::run_script(std::string_view arguments) const {
  const std::string command =
      std::string(kScript) + " " + std::string(arguments) + " --data " + folder_ + " >&2";
  if (std::system(command.c_str()) != 0) give_up("failed: " + command);
}

}  // namespace tideline::test_support
