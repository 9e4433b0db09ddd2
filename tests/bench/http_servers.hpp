// What the servers of the benchmark "http" have in common: each answers one small JSON text, on one
// thread that reads sockets, and says on stdout where it listens.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "bench/load_generator.hpp"

namespace tideline::bench {

inline constexpr std::string_view kSmallJson =
    R"({"user_id":"0012345678","points":"4711","rank":"42","level":7,"as_of":"2026-01-02T03:04:05Z"})";

// Tells anyone who has started this program; `token` is empty when the server wants none.
inline void announce(std::uint16_t port, const std::string& token = "") {
  std::printf("{\"port\":%u,\"token\":\"%s\"}\n", static_cast<unsigned>(port), token.c_str());
  std::fflush(stdout);
}

// Stock Pistache with its own parser and endpoint. Serves until the process is ended.
int serve_with_pistache();

// Asks for it again and again, and prints the latencies.
int generate(const Load& load);

}  // namespace tideline::bench
