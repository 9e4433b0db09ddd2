// Who the members are: the account of each number, and whether boards show him.
//
// Not synchronized.
#pragma once

#include <cstdint>
#include <optional>

#include "scoring/projections/engine/dense_column.hpp"
#include "scoring/projections/engine/member_ids.hpp"

namespace tideline::scoring {

// Facts about an account, each a bit that once set stays: in tables and memory they are joined by
// or.
enum Standing : std::uint8_t { kRegistered = 1, kClosed = 2 };

class MemberRegister {
 public:
  // The member's number, the next free one for somebody new, of whom nothing is known yet.
  MemberNumber number_of(const core::AccountId& account) {
    const std::size_t known = ids_.size();
    const MemberNumber member = ids_.number_of(account);
    if (member == known) standing_.make(member);
    return member;
  }
  // nullopt: never heard of.
  std::optional<MemberNumber> find(const core::AccountId& account) const {
    return ids_.find(account);
  }
  const core::AccountId& account(MemberNumber member) const { return ids_.account(member); }
  // See MemberIds.
  void reserve(std::size_t members, ReservedPages& pages) {
    ids_.reserve(members, pages);
    standing_.reserve(members, pages);
  }
  void expect(const core::AccountId& account) const { ids_.expect(account); }
  std::optional<MemberNumber> guess(const core::AccountId& account) const {
    return ids_.guess(account);
  }
  void expect(MemberNumber member) const { standing_.expect(member); }

  std::uint8_t standing(MemberNumber member) const { return standing_[member]; }
  void set_standing(MemberNumber member, std::uint8_t standing) { standing_[member] = standing; }
  // A closed account leaves lists and ranks; one that nobody registered yet waits for it.
  static bool on_board(std::uint8_t standing) { return standing == kRegistered; }
  bool on_board(MemberNumber member) const { return on_board(standing_[member]); }

  std::size_t size() const { return ids_.size(); }
  std::size_t bytes() const { return ids_.bytes() + standing_.bytes(); }

 private:
  MemberIds ids_;
  DenseColumn<std::uint8_t> standing_;
};

}  // namespace tideline::scoring
