// What the servers of the benchmark "http" have in common: each answers one small JSON text, on one
// thread that reads sockets, and says on stdout where it listens.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace tideline::bench {

inline constexpr std::string_view kSmallJson =
    R"({"user_id":"0012345678","points":"4711","rank":"42","level":7,"as_of":"2026-01-02T03:04:05Z"})";

// Tells whoever has started this program; `token` is empty when the server wants none.
inline void announce(std::uint16_t port, const std::string& token = "") {
  std::printf("{\"port\":%u,\"token\":\"%s\"}\n", static_cast<unsigned>(port), token.c_str());
  std::fflush(stdout);
}

// Stock Pistache with its own parser and endpoint. Serves until the process is ended.
int serve_with_pistache();

// Sends requests at `rate` a second over `connections`, each due at its own time whatever became of
// the others, and prints the latencies from when they were due.
struct Load {
  std::uint16_t port = 0;
  unsigned connections = 64;
  double rate = 1000;
  double seconds = 5;
};
int generate(const Load& load);

}  // namespace tideline::bench
