#include "scoring/api/adjustment_codec.hpp"

#include <nlohmann/json.hpp>

#include "scoring/projections/events_read.hpp"

namespace tideline::scoring {

using eventsourcing::NewEvent;
using eventsourcing::Overloaded;
using eventsourcing::RecordedEvent;

NewEvent AdjustmentCodec::encode(const Adjustment::Event& event) const {
  return std::visit(Overloaded{[](const PointsAdjusted& adjusted) {
                      const nlohmann::json data = {{"account_id", adjusted.account_id.to_string()},
                                                   {"delta", adjusted.delta},
                                                   {"reason", adjusted.reason},
                                                   {"operator", adjusted.operator_id.to_string()}};
                      return NewEvent{.type = "PointsAdjusted", .data = data.dump()};
                    }},
                    event);
}

std::optional<Adjustment::Event> AdjustmentCodec::decode(const RecordedEvent& recorded) const {
  try {
    const auto fact = read_fact(recorded);
    if (!fact) return std::nullopt;
    const auto* adjusted = std::get_if<PointsAdjusted>(&*fact);
    if (adjusted == nullptr) return std::nullopt;
    return *adjusted;
  } catch (const eventsourcing::PoisonEvent& poison) {
    // In the own store that is damage, not input.
    throw eventsourcing::CodecFailed(core::internal_error(poison.what()));
  }
}

}  // namespace tideline::scoring
