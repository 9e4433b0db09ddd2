#include "scoring/api/rating_codec.hpp"

#include <nlohmann/json.hpp>

#include "scoring/projections/events_read.hpp"

namespace tideline::scoring {

using eventsourcing::NewEvent;
using eventsourcing::Overloaded;
using eventsourcing::RecordedEvent;

NewEvent RatingCodec::encode(const Rating::Event& event) const {
  return std::visit(Overloaded{[](const Rated& rated) {
                      const nlohmann::json data = {{"rater", rated.rater.to_string()},
                                                   {"kind", name_of(rated.subject.kind)},
                                                   {"subject", rated.subject.id},
                                                   {"stars", rated.stars},
                                                   {"before", rated.before}};
                      return NewEvent{.type = "Rated", .data = data.dump()};
                    }},
                    event);
}

std::optional<Rating::Event> RatingCodec::decode(const RecordedEvent& recorded) const {
  try {
    const auto fact = read_fact(recorded);
    if (!fact) return std::nullopt;
    const auto* rated = std::get_if<Rated>(&*fact);
    if (rated == nullptr) return std::nullopt;
    return *rated;
  } catch (const eventsourcing::PoisonEvent& poison) {
    // In the own store that is damage, not input.
    throw eventsourcing::CodecFailed(core::internal_error(poison.what()));
  }
}

}  // namespace tideline::scoring
