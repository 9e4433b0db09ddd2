// The start of a service, as far as it goes without servers: a whole process, in a child.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "runtime/service.hpp"

namespace tideline::runtime {
namespace {

using Steady = std::chrono::steady_clock;

// Whose private key nobody has kept.
constexpr const char* kPublicKey =
    "-----BEGIN PUBLIC KEY-----\n"
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwEHrRIe4+x51uhPqjNsPvcHClcBT\n"
    "gLiPFYCQ2qgJ9ihrJUDpPHTJHFppKvk+ZfcqWCbqT5CIYgMDvhNRguU9KQ==\n"
    "-----END PUBLIC KEY-----\n";

class ServiceStart : public ::testing::Test {
 protected:
  ServiceStart() {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    std::filesystem::create_directory(folder_ + "/jwt");
    write("/jwt/test.pem", kPublicKey);
    write("/secret", std::string(64, 'a') + "\n");
  }
  ~ServiceStart() override {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    std::filesystem::remove_all(folder_);
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + name) << text;
  }

  // A service whose database nobody serves; its log goes to output_.
  void start() {
    write("/config",
          "TIDELINE_DATABASE_URL=host=127.0.0.1 port=1 dbname=x user=x\n"
          "TIDELINE_KAFKA_BROKERS=127.0.0.1:1\nTIDELINE_ACCOUNT_SECRET_FILE=" +
              folder_ + "/secret\nTIDELINE_JWT_PUBLIC_KEYS=" + folder_ + "/jwt\n");
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    child_ = fork();
    if (child_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(ends[1], STDERR_FILENO);
      std::string file = folder_ + "/config";
      std::string program = "service";
      std::string option = "--config";
      std::array<char*, 4> arguments{program.data(), option.data(), file.data(), nullptr};
      std::_Exit(
          run_service(3, arguments.data(), {.name = "feed", .version = "0", .migrations = {}}));
    }
    close(ends[1]);
    output_ = ends[0];
  }

  bool says(const std::string& text) {
    std::string all;
    const auto deadline = Steady::now() + std::chrono::seconds(20);
    while (all.find(text) == std::string::npos) {
      pollfd wanted{output_, POLLIN, 0};
      if (Steady::now() > deadline || poll(&wanted, 1, 1000) < 0) return false;
      std::array<char, 4096> bytes{};
      if (wanted.revents == 0) continue;
      const ssize_t got = read(output_, bytes.data(), bytes.size());
      if (got <= 0) return false;
      all.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return true;
  }

  std::string folder_ = "/tmp/tideline-start-XXXXXX";
  pid_t child_ = 0;
  int output_ = -1;
};

TEST_F(ServiceStart, AStopSignalEndsTheWaitForTheDatabaseAtOnce) {
  start();
  ASSERT_TRUE(says("waiting for the database"));
  const auto asked = Steady::now();
  kill(child_, SIGTERM);
  int status = 0;
  while (waitpid(child_, &status, WNOHANG) == 0) {
    ASSERT_LT(Steady::now() - asked, std::chrono::seconds(5)) << "it still waits";
  }
  child_ = 0;
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace tideline::runtime
