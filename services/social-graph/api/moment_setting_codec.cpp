#include "social-graph/api/moment_setting_codec.hpp"

#include "social-graph/api/own_event.hpp"

namespace tideline::social_graph {

using eventsourcing::NewEvent;
using eventsourcing::Overloaded;
using eventsourcing::RecordedEvent;

NewEvent MomentSettingCodec::encode(const MomentSetting::Event& event) const {
  return std::visit(Overloaded{[&](const MomentSettingChanged& fact) {
                      return own_event("MomentSettingChanged",
                                       {{"owner", fact.owner.to_string()},
                                        {"other", fact.other.to_string()},
                                        {"hides_other", fact.hides_other},
                                        {"hidden_from_other", fact.hidden_from_other}},
                                       seen);
                    }},
                    event);
}

std::optional<MomentSetting::Event> MomentSettingCodec::decode(
    const RecordedEvent& recorded) const {
  return read_own_event<MomentSetting>(recorded);
}

}  // namespace tideline::social_graph
