// Reads of table ledger: a person's own changes, newest first. Queries block on the database and
// touch one partition each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "sql/keyset.hpp"
#include "sql/transaction.hpp"

namespace tideline::scoring {

struct LedgerEntry {
  core::Timestamp time;
  std::string event;  // "<service>/<log>/<position>"
  std::string reason;
  std::int64_t delta = 0;  // 0 behind a daily cap
  bool capped = false;
  std::optional<core::AccountId> person;
  std::optional<std::string> project_id;
  std::optional<std::string> sealed_note;
};

using LedgerPlace = sql::Place<std::string>;  // time and event

// nullopt for anything that eventsourcing::place_text() would not have written of an entry.
std::optional<LedgerPlace> parse_ledger_place(std::string_view text);

// Which events of a day come behind its cap goes by time and event, so that the deltas of all
// entries add up to the points in every rebuild.
sql::Slice<LedgerEntry> list_ledger(sql::Transaction& transaction, const core::AccountId& account,
                                    const sql::Window<std::string>& window);

extern const char* const kListLedgerSql;  // for the test of its plan

}  // namespace tideline::scoring
