#include "feed/api/moment_codec.hpp"

#include <utility>

#include "feed/api/own_event.hpp"

namespace tideline::feed {

using eventsourcing::NewEvent;
using eventsourcing::Overloaded;

NewEvent MomentCodec::encode(const Moment::Event& event) const {
  return std::visit(
      Overloaded{
          [&](const MomentPublished& fact) {
            return own_event(
                "MomentPublished",
                {{"moment_id", core::to_string(fact.id)},
                 {"author", fact.author.to_string()},
                 {"audience", to_string(fact.audience)},
                 {"group_ids", fact.lists.group_ids},
                 {"tag_ids", fact.lists.tag_ids},
                 {"user_ids", as_json(fact.lists.user_ids)},
                 {"content", seal_text(cipher_, fact.author, fact.content, kMomentContent)},
                 {"images", fact.images},
                 {"published_at", core::format_iso8601(fact.published_at)},
                 {"seen", fact.seen}});
          },
          [&](const MomentEdited& fact) {
            return own_event(
                "MomentEdited",
                {{"moment_id", core::to_string(fact.id)},
                 {"author", fact.author.to_string()},
                 {"edit", fact.edit},
                 {"content", seal_text(cipher_, fact.author, fact.content, kEditedContent)},
                 {"edited_at", core::format_iso8601(fact.edited_at)},
                 {"seen", fact.seen}});
          },
          [](const MomentDeleted& fact) {
            return own_event("MomentDeleted", {{"moment_id", core::to_string(fact.id)},
                                               {"author", fact.author.to_string()}});
          },
      },
      event);
}

std::optional<Moment::Event> MomentCodec::decode(
    const eventsourcing::RecordedEvent& recorded) const {
  auto known = read_own_event(recorded);
  if (!known) return std::nullopt;
  if (auto* fact = std::get_if<read::MomentPublished>(&*known)) {
    return MomentPublished{fact->id,
                           fact->author,
                           fact->audience,
                           std::move(fact->lists),
                           open_text(cipher_, fact->author, fact->sealed_content, kMomentContent),
                           std::move(fact->images),
                           fact->published_at,
                           fact->seen.to_token()};
  }
  if (auto* fact = std::get_if<read::MomentEdited>(&*known)) {
    return MomentEdited{
        fact->id,        fact->author,
        fact->edit,      open_text(cipher_, fact->author, fact->sealed_content, kEditedContent),
        fact->edited_at, fact->seen.to_token()};
  }
  if (const auto* fact = std::get_if<read::MomentDeleted>(&*known)) {
    return MomentDeleted{fact->id, fact->author};
  }
  return std::nullopt;
}

}  // namespace tideline::feed
