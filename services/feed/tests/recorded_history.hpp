// The events of a history: with streams, versions, logs and positions, as the topics would carry
// them.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "eventsourcing/events/event.hpp"
#include "eventsourcing/events/position_vector.hpp"
#include "history_parts.hpp"

namespace tideline::feed::testing {

class RecordedHistory {
 public:
  static constexpr std::uint32_t kLogs = 3;

  const std::vector<eventsourcing::RecordedEvent>& events() const { return events_; }
  const eventsourcing::PositionVector& positions() const { return positions_; }
  std::string last_type(const core::StreamId& stream) const {
    const auto found = streams_.find(stream.value());
    return found == streams_.end() ? "" : found->second.type;
  }

  void add(const char* source, const core::StreamId& stream, const char* type, nlohmann::json data,
           core::Timestamp time) {
    auto& known = streams_[stream.value()];
    known.type = type;
    eventsourcing::RecordedEvent event;
    event.id = std::to_string(events_.size());
    event.source = source;
    event.type = type;
    event.stream = stream;
    event.version = core::StreamVersion(++known.version);
    event.log = core::log_of(stream.value(), kLogs);
    const auto last = positions_.at(source, event.log).value();
    event.position = core::LogPosition(last + 1);
    event.time = time;
    fit_to_version(event, data, events_.size() % 2 == 0);
    event.data = data.dump();
    positions_.raise(source, event.log, event.position);
    events_.push_back(std::move(event));
  }

  // What a moderator does to a moment, or to a comment: hides it, if it is not `spared`, or
  // restores what is hidden.
  void toggle_hidden(const core::StreamId& stream, const std::string& kind, nlohmann::json data,
                     bool spared, const std::string& seen, core::Timestamp time) {
    const bool hides = !hidden_.contains(stream.value());
    if (hides && spared) return;
    if (hides) {
      hidden_.insert(stream.value());
    } else {
      hidden_.erase(stream.value());
      data["seen"] = seen;
    }
    data[hides ? "hidden_at" : "restored_at"] = core::format_iso8601(time);
    add("feed", stream, (kind + (hides ? "Hidden" : "Restored")).c_str(), std::move(data), time);
  }

 private:
  struct Known {
    std::string type;
    std::uint64_t version = 0;
  };
  std::map<std::string, Known> streams_;
  std::set<std::string> hidden_;  // streams of moments and comments
  eventsourcing::PositionVector positions_;
  std::vector<eventsourcing::RecordedEvent> events_;
};

}  // namespace tideline::feed::testing
