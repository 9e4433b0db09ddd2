#include "scoring/domain/rating.hpp"

namespace tideline::scoring {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

const Rejection kNoStars{RejectionKind::Invalid, "rating-out-of-range",
                         "a rating has 1 to 5 stars"};
const Rejection kOwn{RejectionKind::Invalid, "rating-of-ones-own",
                     "nobody rates himself or a project of his own"};

}  // namespace

std::string_view name_of(RatingKind kind) {
  return kind == RatingKind::Person ? "person" : "project";
}

std::optional<RatingKind> rating_kind_named(std::string_view name) {
  for (const RatingKind kind : {RatingKind::Person, RatingKind::Project}) {
    if (name == name_of(kind)) return kind;
  }
  return std::nullopt;
}

double RatingTotal::mean() const {
  return ratings == 0 ? 0 : static_cast<double>(stars) / static_cast<double>(ratings);
}

double RatingTotal::bayesian_mean() const {
  return static_cast<double>(stars + kPriorStars * kPriorRatings) /
         static_cast<double>(ratings + kPriorRatings);
}

Rating::State Rating::evolve(State state, const Event& event) {
  std::visit(Overloaded{[&](const Rated& rated) { state.stars = rated.stars; }}, event);
  return state;
}

Decision<Rating::Event> Rating::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{[&](const RateSubject& wanted) -> Decision<Event> {
        if (wanted.stars < kStarsMin || wanted.stars > kStarsMax) return kNoStars;
        if (wanted.owner == wanted.rater) return kOwn;
        if (state.stars == wanted.stars) return Decision<Event>::nothing();
        return Decision<Event>::of(Rated{wanted.rater, wanted.subject, wanted.stars, state.stars});
      }},
      command);
}

}  // namespace tideline::scoring
