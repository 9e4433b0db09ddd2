// The client of the scoring benchmark, the same for both servers: sends commands of random members,
// --pipeline at a time, and waits for all their replies.
//   --command fill   ZADD of every member, once
//   --command C      "score_add", "score_rank", "score_top", "ZINCRBY", "ZREVRANK" or "ZREVRANGE"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "bench/score_wire.hpp"

namespace {

using namespace tideline;
using namespace tideline::bench;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kBatches = 8'192;
constexpr std::size_t kTop = 100;
constexpr std::uint32_t kFillMembers = 200;  // in one ZADD

double since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

std::string wire(const std::vector<std::string>& words) {
  std::string text = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words) {
    text.append("$").append(std::to_string(word.size())).append("\r\n");
    text.append(word).append("\r\n");
  }
  return text;
}

struct Kind {
  std::string request;
  std::size_t lines;  // of a reply
};

Kind kind_of(const std::string& command, std::uint32_t member) {
  const std::string name = numbered_account(member).to_string();
  const std::string delta = std::to_string(1 + member % 5);
  if (command == "score_add") return {wire({command, name, delta}), 2};
  if (command == "ZINCRBY") return {wire({command, "board", delta, name}), 2};
  if (command == "score_rank") return {wire({command, name}), 1};
  if (command == "ZREVRANK") return {wire({command, "board", name}), 1};
  if (command == "score_top") return {wire({command, std::to_string(kTop)}), 1 + 4 * kTop};
  if (command == "ZREVRANGE") {
    return {wire({command, "board", "0", std::to_string(kTop - 1), "WITHSCORES"}), 1 + 4 * kTop};
  }
  return {"", 0};
}

class Connection {
 public:
  explicit Connection(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int yes = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    good_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Sends, and reads until so many lines have come back. False: the connection is over, or a reply
  // was an error.
  bool exchange(const std::string& request, std::size_t lines) {
    if (!good_) return false;
    for (std::size_t sent = 0; sent < request.size();) {
      const ssize_t now =
          ::send(socket_, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) return good_ = false;
      sent += static_cast<std::size_t>(now);
    }
    while (lines > 0) {
      const ssize_t got = ::recv(socket_, arrived_.data(), arrived_.size(), 0);
      if (got <= 0 || arrived_[0] == '-') return good_ = false;
      const auto ends = std::count(arrived_.begin(), arrived_.begin() + got, '\n');
      lines -= std::min(lines, static_cast<std::size_t>(ends));
    }
    return true;
  }

 private:
  const int socket_;
  bool good_ = false;
  std::array<char, 1U << 18> arrived_{};
};

int fill(Connection& connection, std::uint32_t members) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> scores(kScoreMean, kScoreDeviation);
  for (std::uint32_t first = 0; first < members; first += kFillMembers) {
    std::vector<std::string> words = {"ZADD", "board"};
    for (std::uint32_t i = first; i < std::min(first + kFillMembers, members); ++i) {
      words.push_back(std::to_string(static_cast<std::int64_t>(std::min(scores(random), 1e6))));
      words.push_back(numbered_account(i).to_string());
    }
    if (!connection.exchange(wire(words), 1)) return failed("the server refused members");
  }
  std::printf("{\"members\":%u}\n", members);
  return 0;
}

int load(Connection& connection, const std::string& command, std::uint32_t members,
         std::size_t pipeline, double seconds) {
  std::mt19937_64 random(3);
  std::vector<std::string> batches(kBatches);
  std::size_t lines = 0;
  for (std::string& batch : batches) {
    for (std::size_t i = 0; i < pipeline; ++i) {
      const Kind kind = kind_of(command, static_cast<std::uint32_t>(random() % members));
      if (kind.lines == 0) return failed("unknown command " + command);
      batch += kind.request;
      lines = kind.lines * pipeline;
    }
  }
  const auto start = SteadyClock::now();
  std::size_t done = 0;
  while (since(start) < seconds) {
    if (!connection.exchange(batches[done++ % kBatches], lines)) {
      return failed("the server refused " + command);
    }
  }
  return print_rate(static_cast<double>(done * pipeline), since(start));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The client of the scoring benchmark");
  std::uint16_t port = 0;
  std::string command;
  std::uint32_t members = 1'000'000;
  std::size_t pipeline = 64;
  double seconds = 3;
  app.add_option("--port", port)->required();
  app.add_option("--command", command)->required();
  app.add_option("--members", members);
  app.add_option("--pipeline", pipeline);
  app.add_option("--seconds", seconds);
  CLI11_PARSE(app, argc, argv);
  Connection connection(port);
  if (command == "fill") return fill(connection, members);
  return load(connection, command, members, pipeline, seconds);
}
