// Who the members are: the account of each number, and what is known of him.
//
// Not synchronized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "scoring/projections/engine/member_ids.hpp"
#include "scoring/projections/engine/member_table.hpp"

namespace tideline::scoring {

class MemberRegister {
 public:
  // The member's number, the next free one for somebody new, of whom nothing is known yet.
  MemberNumber number_of(const core::AccountId& account) {
    const std::size_t known = ids_.size();
    const MemberNumber member = ids_.number_of(account);
    if (member == known) table_.make(member);
    return member;
  }
  // nullopt: never heard of.
  std::optional<MemberNumber> find(const core::AccountId& account) const {
    return ids_.find(account);
  }
  const core::AccountId& account(MemberNumber member) const { return ids_.account(member); }
  const MemberTable& table() const { return table_; }
  MemberTable& table() { return table_; }

  // See MemberIds.
  void reserve(std::size_t members, ReservedPages& pages) {
    ids_.reserve(members, pages);
    table_.reserve(members, pages);
  }
  void prefetch(const core::AccountId& account) const { ids_.prefetch(account); }
  std::optional<MemberNumber> guess(const core::AccountId& account) const {
    return ids_.guess(account);
  }

  // A closed account leaves lists and ranks; one that nobody registered yet waits for it.
  static bool on_board(std::uint8_t standing) { return standing == kRegistered; }
  bool on_board(MemberNumber member) const { return on_board(table_.standing(member)); }

  std::size_t size() const { return ids_.size(); }
  std::size_t bytes() const { return ids_.bytes() + table_.bytes(); }

 private:
  MemberIds ids_;
  MemberTable table_;
};

}  // namespace tideline::scoring
