// Events of a moment setting, as they are stored. Stateless, thread-safe.
#pragma once

#include <optional>
#include <string>

#include "eventsourcing/event.hpp"
#include "social-graph/domain/moment_setting.hpp"

namespace tideline::social_graph {

struct MomentSettingCodec {
  eventsourcing::NewEvent encode(const MomentSetting::Event& event) const;
  std::optional<MomentSetting::Event> decode(const eventsourcing::RecordedEvent& recorded) const;

  std::string seen{};  // by the writer of what is encoded
};

}  // namespace tideline::social_graph
