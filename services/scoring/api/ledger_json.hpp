// Entries of the ledger as their owner sees them. Blocks on the database for names, and for the
// keys of notes.
#pragma once

#include <vector>

#include "http/messages/message.hpp"
#include "scoring/api/ports.hpp"
#include "scoring/projections/ledger_queries.hpp"

namespace tideline::scoring {

// Each {"time", "reason", "delta", "capped", "source": {"event", "user", "project_id", "note"}}.
std::vector<http::Json> ledger_json(const ApiPorts& ports, const core::AccountId& owner,
                                    const std::vector<LedgerEntry>& entries);

}  // namespace tideline::scoring
