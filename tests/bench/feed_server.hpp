// What the servers of the feed's benchmarks have in common: the edge as services run it, whoever
// asks named by his number, and a way to run what lies behind the routes without it.
//
//   GET /alone?seconds=5    pages of 20 a second of the data path alone, on as many threads as
//   there
//                           are processors
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "bench/feed_people.hpp"
#include "core/clock.hpp"
#include "http/routing/router.hpp"
#include "http/server/server.hpp"

namespace tideline::bench {

// The bearer token is the person's number. What it costs to verify a real one that is remembered is
// measured by the benchmark http_auth.
class NumberVerifier final : public http::TokenVerifier {
 public:
  using AccountOf = std::function<core::AccountId(std::uint32_t)>;
  explicit NumberVerifier(AccountOf account_of) : account_of_(std::move(account_of)) {}
  core::Result<http::VerifiedToken> verify(std::string_view bearer, core::Timestamp now) override;

 private:
  const AccountOf account_of_;
};

// Serves until the process is ended; says on stdout where. Returns what main() returns.
int serve_feed(http::Router& router, const core::Clock& clock);

// The newest 20 of somebody with their contents, as they would be sent.
using ReadPage = std::function<std::string(std::uint32_t person)>;

// Adds /alone over the people who are asked for. `ahead`: told one page before it is read, for
// somebody's id that is looked up in a table here comes with the request there, and is near.
void add_alone(
    http::Router& router, const Shuffled& order, std::uint32_t asked, ReadPage read,
    std::function<void(std::uint32_t person)> ahead = [](std::uint32_t) {});

// The peers: the design's query on PostgreSQL, with author's pages and publishing beside it, and
// lists in Redis with the moments as texts.
int serve_query(const std::string& database, std::uint32_t people, std::uint32_t asked);
int serve_redis(const std::string& socket, std::uint32_t people, std::uint32_t asked);

}  // namespace tideline::bench
