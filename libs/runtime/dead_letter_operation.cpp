#include "runtime/dead_letter_operation.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "postgres/projections/dead_letters.hpp"
#include "runtime/composition.hpp"

namespace tideline::runtime {
namespace {

using postgres::DeadLetter;
using postgres::DeadLetterPlace;

struct Wanted {
  CLI::App* replay = nullptr;
  CLI::App* skip = nullptr;
  std::string projection;
  std::vector<std::string> places;
  std::string reason;
  std::string by;
  bool as_json = false;
};

int failed(const core::Error& error) {
  std::fprintf(stderr, "dead-letters: %s\n", error.message.c_str());
  return 1;
}

const char* events(std::size_t count) { return count == 1 ? "event" : "events"; }

// One line each; what people wrote may stand in a reason, so control characters do not get through.
void print(const DeadLetter& letter, bool as_json) {
  const std::string place = letter.place.to_text();
  const std::string parked_at = core::format_iso8601(letter.parked_at);
  if (as_json) {
    const nlohmann::json line{{"projection", letter.projection},
                              {"place", place},
                              {"type", letter.type},
                              {"stream", letter.stream},
                              {"reason", letter.reason},
                              {"parked_at", parked_at},
                              {"replay_requested", letter.replay_requested}};
    std::printf("%s\n", line.dump().c_str());
    return;
  }
  std::string reason = letter.reason;
  std::replace_if(
      reason.begin(), reason.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  std::printf("%s %s %s %s %s%s: %s\n", letter.projection.c_str(), place.c_str(),
              letter.type.c_str(), letter.stream.c_str(), parked_at.c_str(),
              letter.replay_requested ? " (to be applied again)" : "", reason.c_str());
}

int list(sql::Database& database, bool as_json) {
  const auto letters = postgres::list_dead_letters(database);
  if (!letters) return failed(letters.error());
  for (const DeadLetter& letter : *letters) print(letter, as_json);
  if (!as_json) std::fprintf(stderr, "%zu parked %s\n", letters->size(), events(letters->size()));
  return 0;
}

int replay(sql::Database& database, const Wanted& wanted,
           const std::vector<DeadLetterPlace>& places) {
  const auto marked = postgres::replay_dead_letters(database, wanted.projection, places);
  if (!marked) return failed(marked.error());
  std::printf("%zu %s of %s will be applied again\n", *marked, events(*marked),
              wanted.projection.c_str());
  return 0;
}

int skip(sql::Database& database, const Wanted& wanted, const DeadLetterPlace& place) {
  const auto released =
      postgres::skip_dead_letter(database, wanted.projection, place, wanted.reason, wanted.by);
  if (!released) return failed(released.error());
  std::printf("%s is skipped; %zu %s behind it will be applied\n", place.to_text().c_str(),
              *released, events(*released));
  return 0;
}

bool knows(const RunningService& service, const std::string& projection) {
  const auto all = service.projections();
  return std::any_of(all.begin(), all.end(),
                     [&](const auto* known) { return known->name() == projection; });
}

int operate(RunningService& service, const Wanted& wanted) {
  if (!wanted.replay->parsed() && !wanted.skip->parsed()) {
    return list(service.database(), wanted.as_json);
  }
  if (!knows(service, wanted.projection)) {
    return failed(
        core::invalid_input("this service has no projection of the name " + wanted.projection));
  }
  std::vector<DeadLetterPlace> places;
  for (const std::string& text : wanted.places) {
    const auto place = DeadLetterPlace::parse(text);
    if (!place) return failed(core::invalid_input(text + " is not SERVICE/LOG/POSITION"));
    places.push_back(*place);
  }
  return wanted.replay->parsed() ? replay(service.database(), wanted, places)
                                 : skip(service.database(), wanted, places.at(0));
}

Operation::Run declare(CLI::App& command) {
  auto wanted = std::make_shared<Wanted>();
  command.require_subcommand(0, 1);
  command.add_flag("--json", wanted->as_json, "one JSON object a line");
  wanted->replay = command.add_subcommand(
      "replay", "apply parked events again: those of all streams, or of the streams named by one");
  wanted->replay->add_option("PROJECTION", wanted->projection)->required();
  wanted->replay->add_option("SERVICE/LOG/POSITION", wanted->places);
  wanted->skip = command.add_subcommand("skip", "give one parked event up, with an audit row");
  wanted->skip->add_option("PROJECTION", wanted->projection)->required();
  wanted->skip->add_option("SERVICE/LOG/POSITION", wanted->places)->required()->expected(1);
  wanted->skip->add_option("--reason", wanted->reason, "why it need not be applied")->required();
  wanted->skip->add_option("--by", wanted->by, "who decided it")->required();
  return [wanted](RunningService& service, std::stop_token) { return operate(service, *wanted); };
}

}  // namespace

Operation dead_letter_operation() {
  return {"dead-letters", "list, apply again or skip the events that projections have parked",
          declare};
}

}  // namespace tideline::runtime
