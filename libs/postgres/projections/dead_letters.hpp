// Parked events, for an operator: list them, have them applied again, or skip them for good.
//
// A projection parks an event that it cannot apply, and with it every later one of that stream. The
// parked events of a stream are applied again in order, by the runner that owns the partition and
// before anything new of it; each leaves the table in the transaction that writes its effect, so
// the effect is exactly-once also here. What fails again stays parked with its new reason, and the
// later ones of its stream with it. A skipped event leaves the table for an audit row, which is
// also an input of every rebuild, and frees those behind it to be applied.
//
// A runner that is running notices within about a second; otherwise the next one does at its start.
// Models that live in memory alone have no such table: they park in memory, and try again at every
// start.
//
// Every function is one transaction, blocks, and may be called while services run. Errors:
// NotFound for what is not parked, InvalidInput for a text that says nothing, and the database's.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "eventsourcing/topics/record_source.hpp"
#include "sql/transaction.hpp"

namespace tideline::postgres {

struct DeadLetterPlace {
  eventsourcing::SourcePartition partition;
  core::LogPosition position;

  // "feed/3/17"
  static std::optional<DeadLetterPlace> parse(std::string_view text);
  std::string to_text() const;
  friend auto operator<=>(const DeadLetterPlace&, const DeadLetterPlace&) = default;
};

struct DeadLetter {
  std::string projection;
  DeadLetterPlace place;
  std::string type;
  std::string stream;
  core::Timestamp parked_at;
  bool replay_requested = false;  // and the runner has not come to it yet
  std::string reason;             // may quote what people wrote: for operators alone
};

// In the order of projections and logs. "" = of all projections.
core::Result<std::vector<DeadLetter>> list_dead_letters(sql::Database& database,
                                                        std::string_view projection = "");

// Has parked events applied again: those of all streams, or whole streams of which `places` names
// one parked event each. Returns how many events that are.
core::Result<std::size_t> replay_dead_letters(sql::Database& database, std::string_view projection,
                                              std::span<const DeadLetterPlace> places = {});

// Returns how many events behind it will be applied now: all parked ones of its stream if it was
// the first of them, otherwise none.
core::Result<std::size_t> skip_dead_letter(sql::Database& database, std::string_view projection,
                                           const DeadLetterPlace& place, std::string_view reason,
                                           std::string_view skipped_by);

}  // namespace tideline::postgres
