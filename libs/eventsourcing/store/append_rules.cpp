#include "eventsourcing/store/append_rules.hpp"

#include <string>
#include <unordered_map>

namespace tideline::eventsourcing {

core::Status validate(const Append& append) {
  if (append.streams.empty() && !append.idempotency) {
    return core::invalid_input("an append without events and without a key");
  }
  for (const StreamAppend& stream : append.streams) {
    if (stream.stream.value().empty()) return core::invalid_input("a stream without a name");
    if (stream.events.empty()) {
      return core::invalid_input("no events for stream " + stream.stream.value());
    }
    for (const NewEvent& event : stream.events) {
      if (event.type.empty() || event.data.empty()) {
        return core::invalid_input("an event without type or data for stream " +
                                   stream.stream.value());
      }
    }
  }
  for (const StreamAssertion& assertion : append.assertions) {
    if (assertion.stream.value().empty()) {
      return core::invalid_input("an assertion without a stream");
    }
  }
  return core::success();
}

std::optional<VersionConflict> first_conflict(
    const Append& append,
    const std::function<core::StreamVersion(const core::StreamId&)>& version_of) {
  for (const StreamAssertion& assertion : append.assertions) {
    const core::StreamVersion actual = version_of(assertion.stream);
    if (actual != assertion.expected) return VersionConflict{assertion.stream, actual};
  }
  std::unordered_map<core::StreamId, core::StreamVersion> reached;
  for (const StreamAppend& stream : append.streams) {
    const auto before = reached.find(stream.stream);
    const core::StreamVersion actual =
        before == reached.end() ? version_of(stream.stream) : before->second;
    if (actual != stream.expected) return VersionConflict{stream.stream, actual};
    reached[stream.stream] = core::StreamVersion(actual.value() + stream.events.size());
  }
  return std::nullopt;
}

core::LogIndex log_of_key(const IdempotencyKey& key, std::uint32_t logs) {
  return core::log_of(key.scope + '\n' + key.key, logs);
}

}  // namespace tideline::eventsourcing
