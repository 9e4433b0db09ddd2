// Events of a pair and of the counts of contacts, as they are stored. Stateless, thread-safe.
#pragma once

#include <optional>
#include <string>

#include "eventsourcing/event.hpp"
#include "social-graph/domain/contact_count.hpp"
#include "social-graph/domain/contact_pair.hpp"

namespace tideline::social_graph {

struct ContactPairCodec {
  eventsourcing::NewEvent encode(const ContactPair::Event& event) const;
  std::optional<ContactPair::Event> decode(const eventsourcing::RecordedEvent& recorded) const;

  std::string seen{};  // by the writer of what is encoded
};

struct ContactCountCodec {
  eventsourcing::NewEvent encode(const ContactCount::Event& event) const;
  std::optional<ContactCount::Event> decode(const eventsourcing::RecordedEvent& recorded) const;
};

}  // namespace tideline::social_graph
