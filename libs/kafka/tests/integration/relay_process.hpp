// A relay in a process of its own, to be killed and to be frozen. The process is this test binary
// once more, running nothing but the case RelayProcess.DISABLED_Run.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "published_service.hpp"

namespace tideline::kafka::testing {

inline constexpr const char* kDatabaseVariable = "TIDELINE_RELAY_PROCESS_DATABASE";
inline constexpr const char* kBrokersVariable = "TIDELINE_RELAY_PROCESS_BROKERS";
inline constexpr const char* kServiceVariable = "TIDELINE_RELAY_PROCESS_SERVICE";

class RelayProcess {
 public:
  explicit RelayProcess(const PublishedService& service) {
    const std::string brokers = PublishedService::brokers();
    pid_ = fork();
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv(kDatabaseVariable, service.options.conninfo.c_str(), 1);
    setenv(kBrokersVariable, brokers.c_str(), 1);
    setenv(kServiceVariable, service.name.c_str(), 1);
    execl("/proc/self/exe", "relay", "--gtest_also_run_disabled_tests",
          "--gtest_filter=RelayProcess.DISABLED_Run", static_cast<char*>(nullptr));
    _exit(127);
  }
  ~RelayProcess() { kill(); }
  RelayProcess(const RelayProcess&) = delete;
  RelayProcess& operator=(const RelayProcess&) = delete;

  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  void freeze() const {
    ::kill(pid_, SIGSTOP);
    waitpid(pid_, nullptr, WUNTRACED);
  }
  void wake() const { ::kill(pid_, SIGCONT); }

 private:
  pid_t pid_ = 0;
};

}  // namespace tideline::kafka::testing
