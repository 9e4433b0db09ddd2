// The number of each account that the engine has heard of, and back: 16 bytes for the id and, with
// the spare places of the table, 11 to 16 for finding it.
//
// The table is open addressing with linear probing. A place holds half of a hash beside the number,
// so that anyone who looks somebody up knows by one miss of the cache which number it is all but
// certainly, and all that is kept by numbers can be fetched at once. Nobody is ever taken out.
//
// Not synchronized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/ids.hpp"
#include "core/zeroed_pages.hpp"
#include "scoring/projections/engine/dense_column.hpp"

namespace tideline::scoring {

class MemberIds {
 public:
  MemberIds() = default;
  MemberIds(const MemberIds&) = delete;
  MemberIds& operator=(const MemberIds&) = delete;

  // The member's number, the next free one for somebody new.
  MemberNumber number_of(const core::AccountId& account);
  // nullopt: never heard of.
  std::optional<MemberNumber> find(const core::AccountId& account) const;
  const core::AccountId& account(MemberNumber member) const { return ids_[member]; }

  // Room for so many, so that the table need not be laid out anew while they come. Adds to `pages`
  // what of it nobody has touched yet.
  void reserve(std::size_t members, ReservedPages& pages);
  // Fetches the place where both will look first.
  void prefetch(const core::AccountId& account) const;
  // Once that place is there: fetches the id that they will compare, and says whose it is, wrongly
  // for one account in billions. nullopt: never heard of.
  std::optional<MemberNumber> guess(const core::AccountId& account) const;

  std::size_t size() const { return ids_.size(); }
  std::size_t bytes() const { return ids_.bytes() + capacity_ * sizeof(Place); }

 private:
  struct Place {
    std::uint32_t half_hash;
    std::uint32_t number_and_one;  // 0: nobody
  };

  Place* places() const { return static_cast<Place*>(table_.data()); }
  std::size_t first_place(std::uint64_t hash) const;
  std::size_t after(std::size_t place) const { return place + 1 == capacity_ ? 0 : place + 1; }
  void lay_out(std::size_t capacity);

  DenseColumn<core::AccountId> ids_;
  core::ZeroedPages table_;
  std::size_t capacity_ = 0;
};

}  // namespace tideline::scoring
