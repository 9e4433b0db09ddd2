#include "scoring/api/ledger_json.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "scoring/api/named_person.hpp"
#include "scoring/domain/adjustment.hpp"
#include "scoring/stored_events.hpp"

namespace tideline::scoring {
namespace {

using http::Json;

Json or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }

// By the place of the entry.
std::vector<std::optional<std::string>> notes_of(const ApiPorts& ports,
                                                 const core::AccountId& owner,
                                                 const std::vector<LedgerEntry>& entries) {
  std::vector<crypto::SealedText> sealed;
  for (const LedgerEntry& entry : entries) {
    if (!entry.sealed_note) continue;
    sealed.push_back(
        {owner, *entry.sealed_note, eventsourcing::Stored<PointsAdjusted>::kReasonContext});
  }
  auto opened = core::value_of(ports.cipher.open_many(sealed));
  std::vector<std::optional<std::string>> notes(entries.size());
  auto next = opened.begin();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].sealed_note) notes[i] = std::move(*next++);
  }
  return notes;
}

}  // namespace

std::vector<Json> ledger_json(const ApiPorts& ports, const core::AccountId& owner,
                              const std::vector<LedgerEntry>& entries) {
  std::vector<core::AccountId> accounts;
  for (const LedgerEntry& entry : entries) {
    if (entry.person) accounts.push_back(*entry.person);
  }
  const auto people = NamedPeople::find(ports, accounts);
  const auto notes = notes_of(ports, owner, entries);
  std::vector<Json> shown;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LedgerEntry& entry = entries[i];
    shown.push_back({{"time", core::format_iso8601(entry.time)},
                     {"reason", entry.reason},
                     {"delta", entry.delta},
                     {"capped", entry.capped},
                     {"source",
                      {{"event", entry.event},
                       {"user", entry.person ? people.json(*entry.person) : Json(nullptr)},
                       {"project_id", or_null(entry.project_id)},
                       {"note", or_null(notes[i])}}}});
  }
  return shown;
}

}  // namespace tideline::scoring
