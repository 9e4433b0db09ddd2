#include "feed/api/like_codec.hpp"

#include "feed/api/own_event.hpp"

namespace tideline::feed {

eventsourcing::NewEvent LikeCodec::encode(const Like::Event& event) const {
  return std::visit(
      eventsourcing::Overloaded{
          [](const MomentLiked& fact) {
            return own_event("MomentLiked", {{"moment_id", core::to_string(fact.moment)},
                                             {"account_id", fact.account.to_string()},
                                             {"liked_at", core::format_iso8601(fact.liked_at)}});
          },
          [](const MomentUnliked& fact) {
            return own_event("MomentUnliked", {{"moment_id", core::to_string(fact.moment)},
                                               {"account_id", fact.account.to_string()}});
          },
      },
      event);
}

std::optional<Like::Event> LikeCodec::decode(const eventsourcing::RecordedEvent& recorded) const {
  const auto known = read_own_event(recorded);
  if (!known) return std::nullopt;
  if (const auto* fact = std::get_if<read::MomentLiked>(&*known)) {
    return MomentLiked{fact->moment, fact->account, fact->liked_at};
  }
  if (const auto* fact = std::get_if<read::MomentUnliked>(&*known)) {
    return MomentUnliked{fact->moment, fact->account};
  }
  return std::nullopt;
}

}  // namespace tideline::feed
