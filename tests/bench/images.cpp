// --photograph FILE --seconds N: makes its renditions again and again, on one thread. Prints
// {"ms", "peak_mib"}: of one picture, and of the whole process.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <variant>

#include "bench/report.hpp"
#include "images/renditions.hpp"

int main(int argc, char** argv) {
  using namespace tideline;
  using Clock = std::chrono::steady_clock;
  std::string photograph;
  int seconds = 8;
  CLI::App app;
  app.add_option("--photograph", photograph)->required();
  app.add_option("--seconds", seconds);
  CLI11_PARSE(app, argc, argv);
  std::ifstream file(photograph, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());

  images::RenditionMaker maker;
  int made = 0;
  const auto begun = Clock::now();
  do {
    const auto result = maker.make(bytes);
    if (!std::holds_alternative<images::Renditions>(result)) return bench::failed("not made");
    ++made;
  } while (Clock::now() - begun < std::chrono::seconds(seconds));
  const std::chrono::duration<double, std::milli> took = Clock::now() - begun;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  std::printf("{\"ms\":%.2f,\"peak_mib\":%.1f}\n", took.count() / made,
              static_cast<double>(used.ru_maxrss) / 1024);
  return 0;
}
