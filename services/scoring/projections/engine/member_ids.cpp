#include "scoring/projections/engine/member_ids.hpp"

#include <utility>

#include "core/check.hpp"

namespace tideline::scoring {
namespace {

constexpr std::size_t kPlacesAtFirst = 1024;

// Above this many eighths of its places the table grows to twice as many.
constexpr std::size_t kFullEighths = 6;

}  // namespace

MemberIds::MemberIds() : places_(kPlacesAtFirst, kFree) {}

std::size_t MemberIds::place_of(const core::AccountId& account) const {
  const std::size_t mask = places_.size() - 1;
  std::size_t place = (std::hash<core::AccountId>{}(account)*0x9e3779b97f4a7c15U >> 20U) & mask;
  while (places_[place] != kFree && ids_[places_[place]] != account) place = (place + 1) & mask;
  return place;
}

void MemberIds::grow() {
  std::vector<MemberNumber> places(places_.size() * 2, kFree);
  places_.swap(places);
  for (MemberNumber member = 0; member < size_; ++member) {
    places_[place_of(ids_[member])] = member;
  }
}

MemberNumber MemberIds::number_of(const core::AccountId& account) {
  std::size_t place = place_of(account);
  if (places_[place] != kFree) return places_[place];
  CHECK(size_ < kFree, "more members than numbers");
  if ((size_ + 1) * 8 > places_.size() * kFullEighths) {
    grow();
    place = place_of(account);
  }
  const auto member = static_cast<MemberNumber>(size_++);
  ids_.make(member) = account;
  places_[place] = member;
  return member;
}

std::optional<MemberNumber> MemberIds::find(const core::AccountId& account) const {
  const MemberNumber member = places_[place_of(account)];
  if (member == kFree) return std::nullopt;
  return member;
}

}  // namespace tideline::scoring
