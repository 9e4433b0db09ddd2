// What happened, as it is stored, published and read again. Values without behaviour.
#pragma once

#include <string>

#include "core/clock.hpp"
#include "core/ids.hpp"

namespace tideline::eventsourcing {

// A private event (a password's hash, a session) reaches the topic only as a stub without data, so
// that positions stay gapless there too.
enum class Visibility { Public, Private };

// An event as a command made it, before it has a place in a log.
struct NewEvent {
  std::string type;  // past tense, "MomentPublished"
  core::SchemaVersion schema_version{1};
  std::string data;  // one JSON object, UTF-8
  Visibility visibility = Visibility::Public;
};

// Where a command came from; carried unchanged into its events.
struct Metadata {
  std::string correlation_id;  // of the whole chain that began at a client
  std::string causation_id;    // of the request or event that caused this one
  std::string traceparent;     // W3C trace context, "" = none
  // The position token that the writer had seen, "" = none: a reader of several logs side by side
  // uses the event after what was before it.
  std::string seen{};
};

// An event with its place. `source` names the service that owns it ("feed").
struct RecordedEvent {
  std::string id;  // UUID, unique over all services
  std::string source;
  std::string type;
  core::SchemaVersion schema_version{1};
  core::StreamId stream;
  core::StreamVersion version;
  core::LogIndex log;
  core::LogPosition position;
  core::Timestamp time;
  Metadata metadata;
  std::string data;  // "" for the stub of a private event
  Visibility visibility = Visibility::Public;
};

// A private event without its data: as topics have it, and as a log has it that was taken back from
// its topic.
inline bool is_stub(const RecordedEvent& event) {
  return event.visibility == Visibility::Private && event.data.empty();
}

}  // namespace tideline::eventsourcing
