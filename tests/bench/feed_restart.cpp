// A start of the feed engine from a snapshot.
//   fill    makes --people people with contacts of a power law and as many moments, delivers all of
//           them, and writes the engine into --file; its digest is of what the arrays show
//   start   takes up --file and reads the timelines of --readers people
//   pairs   prints the same contacts, "one<tab>other" a line; moments: "id<tab>author"
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/power_law_graph.hpp"
#include "bench/report.hpp"
#include "feed/projections/snapshot/feed_snapshot.hpp"
#include "sql/no_tables.hpp"

namespace {

using namespace tideline;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kPage = 20;

struct Options {
  bench::PowerLaw law;
  std::uint32_t readers = 1'000;
  std::string file;
};

double since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// The same for the same number, wherever it is asked.
core::AccountId account(std::uint32_t number) {
  std::mt19937_64 random(number);
  core::AccountId::Bytes bytes;
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return core::AccountId(bytes);
}

// Calls `tell(id, author)` for as many moments as there are people, ten a millisecond.
template <class Tell>
void visit_moments(const Options& options, const Tell& tell) {
  std::mt19937_64 random(2);
  for (std::uint32_t i = 0; i < options.law.people; ++i) {
    const auto author = static_cast<std::uint32_t>(random() % options.law.people);
    const core::Timestamp at(std::chrono::milliseconds(1'800'000'000'000 + i / 10));
    tell(core::make_moment_id(at, account(author), i % 10), author, at);
  }
}

// First pages of people who are spread over all.
std::uint64_t digest(feed::FeedEngine& engine, const Options& options) {
  std::uint64_t sum = 14'695'981'039'346'656'037U;
  const auto add = [&](std::uint64_t word) { sum = (sum ^ word) * 1'099'511'628'211U; };
  for (std::uint32_t i = 0; i < options.readers; ++i) {
    const std::uint64_t number = std::uint64_t{i} * options.law.people / options.readers;
    const auto page =
        engine.reader().timeline(account(static_cast<std::uint32_t>(number)), {}, kPage);
    for (const feed::TimelineEntry& entry : page.entries) add(entry.id.value());
    add(page.entries.size() * 2 + (page.has_older ? 1 : 0));
  }
  return sum;
}

int fill(const Options& options) {
  // Longer than a page, so that no page of the digest is merged of authors as after a start.
  feed::FeedEngineOptions length;
  length.timeline_length_max = 4 * kPage;
  feed::FeedEngine engine(std::move(length));
  std::vector<core::AccountId> people;
  for (std::uint32_t i = 0; i < options.law.people; ++i) {
    people.push_back(account(i));
    // Names him, so that numbers follow the order of the pairs.
    engine.use(feed::read::Unfollowed{people[i], people[i]});
  }
  std::uint64_t contacts = 0;
  for (const auto& [one, other] : power_law_graph(options.law)) {
    engine.use(feed::read::ContactAccepted{people[one], people[other]});
    contacts += 2;
  }
  visit_moments(options, [&](core::MomentId id, std::uint32_t author, core::Timestamp at) {
    feed::read::MomentPublished event;
    event.id = id;
    event.author = people[author];
    event.audience = feed::Audience::Public;
    event.published_at = at;
    engine.use(event);
  });
  const auto start = SteadyClock::now();
  const auto written = feed::write_snapshot(options.file, {}, engine);
  if (!written) return bench::failed(written.error().message);
  const double took = since(start);
  std::printf("{\"snapshot_s\":%.3f,\"contacts\":%ju,\"bytes\":%ju,\"digest\":\"%016jx\"}\n", took,
              std::uintmax_t{contacts}, std::filesystem::file_size(options.file),
              std::uintmax_t{digest(engine, options)});
  return 0;
}

int start(const Options& options) {
  const auto begun = SteadyClock::now();
  std::string why = "no snapshot";
  feed::FeedEngineOptions from_file;
  from_file.restore = [&]() -> std::optional<feed::RestoredFeed> {
    auto reader = feed::SnapshotReader::open(options.file);
    auto restored = reader ? reader->read() : core::Result<feed::RestoredFeed>(reader.error());
    why = restored ? "" : restored.error().message;
    if (!restored) return std::nullopt;
    return *std::move(restored);
  };
  feed::FeedEngine engine(std::move(from_file));
  sql::NoTables none;
  engine.load(none);
  if (!why.empty()) return bench::failed(why);
  const double loaded = since(begun);
  const std::uint64_t shown = digest(engine, options);
  std::printf("{\"load_s\":%.3f,\"reads_s\":%.3f,\"digest\":\"%016jx\"}\n", loaded,
              since(begun) - loaded, std::uintmax_t{shown});
  std::fflush(stdout);
  // Without giving the memory back piece by piece, which nobody waits for.
  std::_Exit(0);
}

int print_pairs(const Options& options) {
  for (const auto& [one, other] : power_law_graph(options.law)) {
    std::printf("%u\t%u\n%u\t%u\n", one, other, other, one);
  }
  return 0;
}

int print_moments(const Options& options) {
  visit_moments(options, [](core::MomentId id, std::uint32_t author, core::Timestamp) {
    std::printf("%ju\t%u\n", std::uintmax_t{id.value()}, author);
  });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Starts of the feed engine");
  Options options;
  app.add_option("--people", options.law.people);
  app.add_option("--contacts-mean", options.law.contacts_mean);
  app.add_option("--readers", options.readers);
  app.add_option("--file", options.file);
  const auto* filling = app.add_subcommand("fill");
  const auto* starting = app.add_subcommand("start");
  const auto* pairs = app.add_subcommand("pairs");
  app.add_subcommand("moments");
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  if (filling->parsed()) return fill(options);
  if (starting->parsed()) return start(options);
  return pairs->parsed() ? print_pairs(options) : print_moments(options);
}
