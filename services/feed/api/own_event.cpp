#include "feed/api/own_event.hpp"

#include <utility>

#include "eventsourcing/projection.hpp"

namespace tideline::feed {

using eventsourcing::CodecFailed;

eventsourcing::NewEvent own_event(std::string type, const nlohmann::json& data) {
  return {.type = std::move(type), .data = data.dump()};
}

std::optional<read::Event> read_own_event(const eventsourcing::RecordedEvent& recorded) {
  try {
    return read::read_event(recorded);
  } catch (const eventsourcing::PoisonEvent& poison) {
    throw CodecFailed(core::internal_error(poison.what()));
  }
}

std::string seal_text(crypto::SubjectCipher& cipher, const core::AccountId& author,
                      std::string_view text, std::string_view context) {
  auto sealed = cipher.seal(author, text, context);
  if (!sealed) throw CodecFailed(sealed.error());
  return *std::move(sealed);
}

std::string open_text(crypto::SubjectCipher& cipher, const core::AccountId& author,
                      std::string_view sealed, std::string_view context) {
  auto opened = cipher.open(author, sealed, context);
  if (!opened) throw CodecFailed(opened.error());
  return std::move(*opened).value_or("");
}

nlohmann::json as_json(const std::vector<core::AccountId>& accounts) {
  auto json = nlohmann::json::array();
  for (const core::AccountId& account : accounts) json.push_back(account.to_string());
  return json;
}

}  // namespace tideline::feed
