// The number of each account that the engine has heard of, and back: 16 bytes for the id and, with
// the spare places of the table, 5 to 11 for finding it.
//
// Not synchronized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "scoring/projections/engine/column.hpp"

namespace tideline::scoring {

class MemberIds {
 public:
  MemberIds();

  // The member's number, the next free one for somebody new.
  MemberNumber number_of(const core::AccountId& account);
  // nullopt: never heard of.
  std::optional<MemberNumber> find(const core::AccountId& account) const;
  const core::AccountId& account(MemberNumber member) const { return ids_[member]; }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return ids_.bytes() + places_.capacity() * sizeof places_[0]; }

 private:
  static constexpr MemberNumber kFree = ~MemberNumber{0};

  // Where the account lies in the table, or the free place where it would.
  std::size_t place_of(const core::AccountId& account) const;
  void grow();

  Column<core::AccountId> ids_;
  std::vector<MemberNumber> places_;  // open addressing; a power of two, never full
  std::size_t size_ = 0;
};

}  // namespace tideline::scoring
