// What the codecs of this service have in common: JSON out, the service's own reader in, and the
// cipher between.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "crypto/subject_cipher.hpp"
#include "eventsourcing/codec.hpp"
#include "feed/projections/events_read.hpp"

namespace tideline::feed {

eventsourcing::NewEvent own_event(std::string type, const nlohmann::json& data);

// nullopt: not an event of this service. All throw CodecFailed: in the own store, data that breaks
// its schema is damage, not input.
std::optional<read::Event> read_own_event(const eventsourcing::RecordedEvent& recorded);
std::string seal_text(crypto::SubjectCipher& cipher, const core::AccountId& author,
                      std::string_view text, std::string_view context);
// "" when the author's key has been destroyed.
std::string open_text(crypto::SubjectCipher& cipher, const core::AccountId& author,
                      std::string_view sealed, std::string_view context);

nlohmann::json as_json(const std::vector<core::AccountId>& accounts);

}  // namespace tideline::feed
