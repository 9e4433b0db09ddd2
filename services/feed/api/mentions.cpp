#include "feed/api/mentions.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "feed/api/messages/message_admission.hpp"
#include "feed/api/named_people.hpp"
#include "feed/domain/mentions.hpp"
#include "feed/stored_events.hpp"
#include "feed/stream_keys.hpp"

namespace tideline::feed {

std::vector<core::AccountId> read_mentions(const ApiPorts& ports, http::FieldReader& fields) {
  std::vector<core::AccountId> mentions;
  for (const std::string& user_id : fields.optional_text_array("mentions", kMentionsMax, {1, 64})) {
    if (!core::is_user_id(user_id)) {
      fields.violate("mentions", "holds something that is no user_id");
      continue;
    }
    const auto mentioned = ports.account_ids.of(user_id);
    if (std::ranges::find(mentions, mentioned) == mentions.end()) mentions.push_back(mentioned);
  }
  return mentions;
}

void require_mentionable(const ApiPorts& ports, const http::Request& request,
                         const std::vector<core::AccountId>& mentions) {
  if (mentions.empty()) return;
  find_registered(ports, request, mentions);
  for (const core::AccountId& mentioned : mentions) {
    refuse_blocked(ports, request.account(), mentioned);
  }
}

void count_addressing(const ApiPorts& ports, eventsourcing::CommandSession& session,
                      const core::AccountId& author,
                      const std::vector<core::AccountId>& addressed) {
  const bool has_stranger = std::ranges::any_of(addressed, [&](const core::AccountId& other) {
    return other != author && !ports.reader.are_contacts(author, other);
  });
  if (!has_stranger) return;
  eventsourcing::change_last<AddressCount>(
      session, keys::address_count(author, session.context().today),
      eventsourcing::EventCodec<AddressCount>{},
      AddressCount::Add{author, kAddressingsADay, kAddressLimit});
}

}  // namespace tideline::feed
