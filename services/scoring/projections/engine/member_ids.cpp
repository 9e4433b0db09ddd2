#include "scoring/projections/engine/member_ids.hpp"

#include <limits>

#include "core/check.hpp"

namespace tideline::scoring {

MemberNumber MemberIds::number_of(const core::AccountId& account) {
  return *numbers_.lazy_emplace(account, [&](const auto& make) {
    CHECK(size() < std::numeric_limits<MemberNumber>::max(), "more members than numbers");
    const MemberNumber member = next_++;
    ids_.make(member) = account;
    make(member);
  });
}

std::optional<MemberNumber> MemberIds::find(const core::AccountId& account) const {
  const auto found = numbers_.find(account);
  if (found == numbers_.end()) return std::nullopt;
  return *found;
}

std::size_t MemberIds::bytes() const {
  // A byte of the table's own beside each place.
  return ids_.bytes() + numbers_.capacity() * (sizeof(MemberNumber) + 1);
}

}  // namespace tideline::scoring
