#include "feed/domain/mentions.hpp"

#include <set>

namespace tideline::feed {

using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

std::optional<Rejection> refuse_mentions(const std::vector<core::AccountId>& mentions) {
  if (mentions.size() > kMentionsMax) {
    return Rejection{RejectionKind::Invalid, "too-many-mentions",
                     "a moment or a comment mentions at most 20 people"};
  }
  if (std::set(mentions.begin(), mentions.end()).size() != mentions.size()) {
    return Rejection{RejectionKind::Invalid, "mentioned-twice", "each person is mentioned once"};
  }
  return std::nullopt;
}

}  // namespace tideline::feed
