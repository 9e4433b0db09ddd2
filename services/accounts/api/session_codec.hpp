// Session events <-> stored JSON, all private: they hold hashes alone and still leave no trace in
// the topic. Throws CodecFailed for data that breaks its schema.
#pragma once

#include <optional>

#include "accounts/domain/session.hpp"
#include "eventsourcing/codec.hpp"

namespace tideline::accounts {

struct SessionCodec {
  eventsourcing::NewEvent encode(const Session::Event& event) const;
  std::optional<Session::Event> decode(const eventsourcing::RecordedEvent& recorded) const;
};

}  // namespace tideline::accounts
