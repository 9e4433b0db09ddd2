#include "social-graph/api/contact_codec.hpp"

#include "social-graph/api/own_event.hpp"

namespace tideline::social_graph {

using eventsourcing::NewEvent;
using eventsourcing::Overloaded;
using eventsourcing::RecordedEvent;

NewEvent ContactPairCodec::encode(const ContactPair::Event& event) const {
  const auto request = [](const auto& fact) {
    return nlohmann::json{{"from", fact.from.to_string()}, {"to", fact.to.to_string()}};
  };
  return std::visit(
      Overloaded{
          [&](const ContactRequested& fact) {
            return own_event("ContactRequested", request(fact));
          },
          [&](const ContactAccepted& fact) {
            auto data = request(fact);
            data["first"] = fact.first;
            return own_event("ContactAccepted", data, seen);
          },
          [&](const ContactDeclined& fact) { return own_event("ContactDeclined", request(fact)); },
          [&](const ContactRequestWithdrawn& fact) {
            return own_event("ContactRequestWithdrawn", request(fact));
          },
          [](const ContactRemoved& fact) {
            return own_event("ContactRemoved",
                             {{"by", fact.by.to_string()}, {"other", fact.other.to_string()}});
          },
      },
      event);
}

std::optional<ContactPair::Event> ContactPairCodec::decode(const RecordedEvent& recorded) const {
  return read_own_event<ContactPair>(recorded);
}

NewEvent ContactCountCodec::encode(const ContactCount::Event& event) const {
  return std::visit(Overloaded{[](const ContactCountChanged& fact) {
                      return own_event(
                          "ContactCountChanged",
                          {{"account_id", fact.account_id.to_string()}, {"count", fact.count}});
                    }},
                    event);
}

std::optional<ContactCount::Event> ContactCountCodec::decode(const RecordedEvent& recorded) const {
  return read_own_event<ContactCount>(recorded);
}

}  // namespace tideline::social_graph
