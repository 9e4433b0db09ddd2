// Who the members are: the account of each number, and what is known of him.
//
// Not synchronized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "scoring/projections/engine/member_books.hpp"
#include "scoring/projections/engine/member_ids.hpp"

namespace tideline::scoring {

class MemberRegister {
 public:
  // The member's number, the next free one for somebody new, of whom nothing is known yet.
  MemberNumber number_of(const core::AccountId& account) {
    const std::size_t known = ids_.size();
    const MemberNumber member = ids_.number_of(account);
    if (member == known) books_.make(member);
    return member;
  }
  // nullopt: never heard of.
  std::optional<MemberNumber> find(const core::AccountId& account) const {
    return ids_.find(account);
  }
  const core::AccountId& account(MemberNumber member) const { return ids_.account(member); }
  const MemberBooks& books() const { return books_; }
  MemberBooks& books() { return books_; }

  // See MemberIds.
  void reserve(std::size_t members, ReservedPages& pages) {
    ids_.reserve(members, pages);
    books_.reserve(members, pages);
  }
  void expect(const core::AccountId& account) const { ids_.expect(account); }
  std::optional<MemberNumber> guess(const core::AccountId& account) const {
    return ids_.guess(account);
  }

  // A closed account leaves lists and ranks; one that nobody registered yet waits for it.
  static bool on_board(std::uint8_t standing) { return standing == kRegistered; }
  bool on_board(MemberNumber member) const { return on_board(books_.standing(member)); }

  std::size_t size() const { return ids_.size(); }
  std::size_t bytes() const { return ids_.bytes() + books_.bytes(); }

 private:
  MemberIds ids_;
  MemberBooks books_;
};

}  // namespace tideline::scoring
