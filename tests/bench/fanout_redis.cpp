// The same deliveries into Redis, as timelines are kept there: one pipeline of hiredis to a socket
// on this machine, entries of 20 bytes, viewers at random. Prints one JSON object.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>

#include <hiredis/hiredis.h>

#include "bench/report.hpp"

namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr int kPipeline = 1'000;  // deliveries sent before their answers are read
constexpr int kLength = 800;

struct Options {
  std::string socket;
  std::string commands = "lpush-ltrim";
  std::uint64_t people = 1'000'000;
  double seconds = 5;
};

class Pipeline {
 public:
  explicit Pipeline(redisContext* redis) : redis_(redis) {}

  void deliver(const std::string& commands, unsigned long long viewer, unsigned long long id) {
    if (commands == "zadd") {
      send("ZADD t:%llu NX %llu %020llu", viewer, id, id);
    } else if (commands == "zadd-trim") {
      send("ZADD t:%llu %llu %020llu", viewer, id, id);
      send("ZREMRANGEBYRANK t:%llu 0 %d", viewer, -kLength - 1);
    } else {
      send("LPUSH t:%llu %020llu", viewer, id);
      // By chance: as often as is enough.
      if (commands == "lpush-ltrim" || id % 100 == 0) {
        send("LTRIM t:%llu 0 %d", viewer, kLength - 1);
      }
    }
  }

  // False when the server does not answer or refuses.
  bool read_answers() {
    for (; sent_ > 0; --sent_) {
      void* answer = nullptr;
      if (redisGetReply(redis_, &answer) != REDIS_OK) return false;
      const bool refused = static_cast<redisReply*>(answer)->type == REDIS_REPLY_ERROR;
      freeReplyObject(answer);
      if (refused) return false;
    }
    return true;
  }

 private:
  template <class... Arguments>
  void send(const char* format, Arguments... arguments) {
    redisAppendCommand(redis_, format, arguments...);
    ++sent_;
  }

  redisContext* redis_;
  int sent_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"fan-out into Redis"};
  Options options;
  app.add_option("--socket", options.socket)->required();
  app.add_option("--commands", options.commands)
      ->check(CLI::IsMember({"lpush-ltrim", "lpush-rarely-ltrim", "zadd", "zadd-trim"}));
  app.add_option("--people", options.people)->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds);
  CLI11_PARSE(app, argc, argv);
  const std::unique_ptr<redisContext, decltype(&redisFree)> redis(
      redisConnectUnix(options.socket.c_str()), redisFree);
  if (!redis || redis->err != 0) return tideline::bench::failed("no Redis at " + options.socket);
  Pipeline pipeline(redis.get());
  std::mt19937_64 numbers(1);
  double deliveries = 0;
  const auto start = SteadyClock::now();
  std::chrono::duration<double> took{};
  while (took.count() < options.seconds) {
    for (int i = 0; i < kPipeline; ++i) {
      pipeline.deliver(options.commands, numbers() % options.people, numbers() % 1'000'000'000);
    }
    if (!pipeline.read_answers()) return tideline::bench::failed("Redis refused");
    deliveries += kPipeline;
    took = SteadyClock::now() - start;
  }
  std::printf("{\"deliveries_per_s\":%.0f}\n", deliveries / took.count());
  return 0;
}
