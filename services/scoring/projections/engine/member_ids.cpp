#include "scoring/projections/engine/member_ids.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "core/check.hpp"
#include "core/prefetch.hpp"

namespace tideline::scoring {
namespace {

constexpr std::size_t kSmallest = 512;  // places: a page
constexpr std::size_t kDoubledBelow = 1U << 20;
constexpr MemberNumber kAhead = 16;

// Ids are keyed hashes already; those of a test need not be.
std::uint64_t hash_of(const core::AccountId& account) {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::memcpy(&first, account.bytes().data(), sizeof first);
  std::memcpy(&second, account.bytes().data() + sizeof first, sizeof second);
  const std::uint64_t mixed = (first ^ (second << 32U | second >> 32U)) * 0x9e3779b97f4a7c15U;
  return (mixed ^ mixed >> 32U) * 0xd6e8feb86659fd93U;
}

// Without a call, as the comparison of arrays would be.
bool equal(const core::AccountId& one, const core::AccountId& other) {
  return std::memcmp(one.bytes().data(), other.bytes().data(), sizeof(core::AccountId::Bytes)) == 0;
}

bool is_full(std::size_t members, std::size_t capacity) { return members * 4 > capacity * 3; }

}  // namespace

// The upper bits of the hash choose the place, the lower half stands in it.
std::size_t MemberIds::first_place(std::uint64_t hash) const {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>(static_cast<Wide>(hash) * capacity_ >> 64U);
}

MemberNumber MemberIds::number_of(const core::AccountId& account) {
  if (is_full(size() + 1, capacity_)) {
    const bool small = capacity_ < kDoubledBelow;
    lay_out(std::max(kSmallest, small ? capacity_ * 2 : capacity_ * 3 / 2));
  }
  const std::uint64_t hash = hash_of(account);
  const auto half = static_cast<std::uint32_t>(hash);
  std::size_t at = first_place(hash);
  for (; places()[at].number_and_one != 0; at = after(at)) {
    const Place& place = places()[at];
    if (place.half_hash == half && equal(ids_[place.number_and_one - 1], account)) {
      return place.number_and_one - 1;
    }
  }
  CHECK(size() < std::numeric_limits<MemberNumber>::max() - 1, "more members than numbers");
  const MemberNumber member = ids_.size();
  ids_.make(member) = account;
  places()[at] = {half, member + 1};
  return member;
}

std::optional<MemberNumber> MemberIds::find(const core::AccountId& account) const {
  if (capacity_ == 0) return std::nullopt;
  const std::uint64_t hash = hash_of(account);
  const auto half = static_cast<std::uint32_t>(hash);
  for (std::size_t at = first_place(hash); places()[at].number_and_one != 0; at = after(at)) {
    const Place& place = places()[at];
    if (place.half_hash == half && equal(ids_[place.number_and_one - 1], account)) {
      return place.number_and_one - 1;
    }
  }
  return std::nullopt;
}

void MemberIds::prefetch(const core::AccountId& account) const {
  if (capacity_ > 0) core::prefetch(&places()[first_place(hash_of(account))]);
}

std::optional<MemberNumber> MemberIds::guess(const core::AccountId& account) const {
  if (capacity_ == 0) return std::nullopt;
  const std::uint64_t hash = hash_of(account);
  const auto half = static_cast<std::uint32_t>(hash);
  for (std::size_t at = first_place(hash); places()[at].number_and_one != 0; at = after(at)) {
    if (places()[at].half_hash != half) continue;
    const MemberNumber member = places()[at].number_and_one - 1;
    ids_.prefetch(member);
    return member;
  }
  return std::nullopt;
}

void MemberIds::reserve(std::size_t members, ReservedPages& pages) {
  if (is_full(members, capacity_)) {
    lay_out(members * 4 / 3 + kSmallest);
    pages.add(0, table_, table_.size());
  }
  ids_.reserve(members, pages);
}

void MemberIds::lay_out(std::size_t capacity) {
  const bool large = capacity * sizeof(Place) >= core::kLargePage;
  table_ = core::ZeroedPages(capacity * sizeof(Place),
                             large ? core::PageSize::Large : core::PageSize::Usual);
  capacity_ = capacity;
  for (MemberNumber member = 0; member < ids_.size(); ++member) {
    if (member + kAhead < ids_.size()) prefetch(ids_[member + kAhead]);
    const std::uint64_t hash = hash_of(ids_[member]);
    std::size_t at = first_place(hash);
    while (places()[at].number_and_one != 0) at = after(at);
    places()[at] = {static_cast<std::uint32_t>(hash), member + 1};
  }
}

}  // namespace tideline::scoring
