// The number of each account that the engine has heard of, and back: 16 bytes for the id and, with
// the spare places of the table, 6 to 12 for finding it.
//
// Not synchronized.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <functional>
#include <optional>

#include "core/ids.hpp"
#include "scoring/projections/engine/column.hpp"

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

  // Room for so many, so that finding need not be laid out anew while they come.
  void reserve(std::size_t members) { numbers_.reserve(members); }
  // Fetches what number_of() of that account will look at first.
  void expect(const core::AccountId& account) const { numbers_.prefetch(account); }

  std::size_t size() const { return next_; }
  std::size_t bytes() const;

 private:
  // The table holds numbers alone: an account and the number of an account are found as one.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const core::AccountId& account) const {
      return std::hash<core::AccountId>{}(account);
    }
    std::size_t operator()(MemberNumber member) const { return (*this)((*ids)[member]); }
    const Column<core::AccountId>* ids;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(MemberNumber one, MemberNumber other) const { return one == other; }
    bool operator()(MemberNumber member, const core::AccountId& account) const {
      return (*ids)[member] == account;
    }
    const Column<core::AccountId>* ids;
  };

  Column<core::AccountId> ids_;
  MemberNumber next_ = 0;
  absl::flat_hash_set<MemberNumber, Hash, Equal> numbers_{0, Hash{&ids_}, Equal{&ids_}};
};

}  // namespace tideline::scoring
