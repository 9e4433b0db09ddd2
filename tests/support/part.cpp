#include "support/part.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace tideline::test_support {
namespace {

[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "a server for tests: %s\n", what.c_str());
  std::abort();
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

std::vector<int> free_ports(std::size_t count) {
  std::vector<int> ports;
  std::vector<int> probes;
  while (ports.size() < count) {
    probes.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (probes.back() < 0 || bind(probes.back(), generic, length) != 0 ||
        getsockname(probes.back(), generic, &length) != 0) {
      give_up("no free port");
    }
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int probe : probes) close(probe);
  return ports;
}

Part::Part(std::string_view name, const std::string& root)
    : script_(std::string(TIDELINE_SOURCE_DIR "/deploy/parts/") + std::string(name)),
      folder_(root + "/tideline-" + std::string(name) + "-XXXXXX") {
  if (mkdtemp(folder_.data()) == nullptr) give_up("no temporary folder in " + root);
  watchdog_pipe_ = start_watchdog(
      script_ + " kill --data " + folder_ + " >/dev/null 2>&1; rm -rf " + folder_, watchdog_pid_);
}

Part::~Part() {
  close(watchdog_pipe_);
  waitpid(watchdog_pid_, nullptr, 0);
}

void Part::run(std::string_view arguments) const {
  const std::string command =
      script_ + " " + std::string(arguments) + " --data " + folder_ + " >&2";
  if (std::system(command.c_str()) != 0) give_up("failed: " + command);
}

void Part::save(const std::string& name) const { copy(name, name + ".saved"); }

void Part::put_back(const std::string& name) const { copy(name + ".saved", name); }

void Part::copy(const std::string& from, const std::string& to) const {
  const std::string target = folder_ + "/" + to;
  const std::string command =
      "rm -rf " + target + " && cp -a " + folder_ + "/" + from + " " + target;
  if (std::system(command.c_str()) != 0) give_up("failed: " + command);
}

std::string Part::first_line(const std::string& file) const {
  std::ifstream stream(folder_ + "/" + file);
  std::string line;
  if (!std::getline(stream, line)) give_up("cannot read " + folder_ + "/" + file);
  return line;
}

}  // namespace tideline::test_support
