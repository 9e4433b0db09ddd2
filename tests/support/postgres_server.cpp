#include "support/postgres_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace tideline::test_support {
namespace {

constexpr const char* kScript = TIDELINE_SOURCE_DIR "/deploy/parts/postgres";

[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "PostgreSQL for tests: %s\n", what.c_str());
  std::abort();
}

// A port that was free a moment ago.
int free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (probe < 0 || bind(probe, generic, length) != 0 || getsockname(probe, generic, &length) != 0) {
    give_up("no free port");
  }
  close(probe);
  return ntohs(address.sin_port);
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) give_up("cannot read " + path);
  return line;
}

// Memory where there is plenty: tests make a database each, and wait for no disk.
std::string temporary_root() {
  constexpr std::uint64_t kPlentyBytes = 4ULL << 30U;
  struct statvfs memory {};
  const bool plenty = statvfs("/dev/shm", &memory) == 0 && access("/dev/shm", W_OK) == 0 &&
                      memory.f_bavail * memory.f_frsize > kPlentyBytes;
  return plenty ? "/dev/shm" : "/tmp";
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

PostgresServer::PostgresServer() {
  std::string pattern = temporary_root() + "/tideline-postgres-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) give_up("no temporary folder");
  folder_ = pattern;
  watchdog_pipe_ = start_watchdog(
      std::string(kScript) + " kill --data " + folder_ + " >/dev/null 2>&1; rm -rf " + folder_,
      watchdog_pid_);
  port_ = free_port();
  start();
  superuser_conninfo_ = first_line(folder_ + "/conninfo");
}

PostgresServer::~PostgresServer() {
  close(watchdog_pipe_);
  waitpid(watchdog_pid_, nullptr, 0);
}

PostgresServer& PostgresServer::shared() {
  static PostgresServer server;
  return server;
}

std::string PostgresServer::create_database(std::string_view name) {
  run_script("database --name " + std::string(name));
  return first_line(folder_ + "/databases/" + std::string(name));
}

std::string PostgresServer::create_database() {
  return create_database("test_" + std::to_string(++databases_));
}

void PostgresServer::start() {
  run_script("start --shared-buffers 64MB --port " + std::to_string(port_));
}

void PostgresServer::kill() { run_script("kill"); }

void PostgresServer::run_script(std::string_view arguments) const {
  const std::string command =
      std::string(kScript) + " " + std::string(arguments) + " --data " + folder_ + " >&2";
  if (std::system(command.c_str()) != 0) give_up("failed: " + command);
}

}  // namespace tideline::test_support
