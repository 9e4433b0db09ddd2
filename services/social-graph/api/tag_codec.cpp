#include "social-graph/api/tag_codec.hpp"

#include "social-graph/api/own_event.hpp"
#include "social-graph/api/sealed_name.hpp"

namespace tideline::social_graph {

using eventsourcing::NewEvent;
using eventsourcing::Overloaded;
using eventsourcing::RecordedEvent;

NewEvent TagCodec::encode(const Tag::Event& event) const {
  return std::visit(
      Overloaded{
          [&](const TagCreated& fact) {
            return own_event("TagCreated",
                             {{"owner", fact.owner.to_string()},
                              {"tag_id", fact.tag_id},
                              {"name", seal_name(cipher_, fact.owner, fact.name, kTagName)}});
          },
          [&](const TagDeleted& fact) {
            return own_event("TagDeleted",
                             {{"owner", fact.owner.to_string()}, {"tag_id", fact.tag_id}}, seen_);
          },
      },
      event);
}

std::optional<Tag::Event> TagCodec::decode(const RecordedEvent& recorded) const {
  auto event = read_own_event<Tag>(recorded);
  if (event) {
    if (auto* created = std::get_if<TagCreated>(&*event)) {
      created->name = open_name(cipher_, created->owner, created->name, kTagName);
    }
  }
  return event;
}

NewEvent TaggingCodec::encode(const Tagging::Event& event) const {
  const auto data = [](const auto& fact) {
    return nlohmann::json{{"owner", fact.owner.to_string()},
                          {"tag_id", fact.tag_id},
                          {"account_id", fact.account_id.to_string()}};
  };
  return std::visit(
      Overloaded{
          [&](const ContactTagged& fact) { return own_event("ContactTagged", data(fact), seen); },
          [&](const ContactUntagged& fact) {
            return own_event("ContactUntagged", data(fact), seen);
          },
      },
      event);
}

std::optional<Tagging::Event> TaggingCodec::decode(const RecordedEvent& recorded) const {
  return read_own_event<Tagging>(recorded);
}

}  // namespace tideline::social_graph
