// What is known of each member, by his number: his totals of all time, his standing and his
// department. It fills 16 bytes, so that anyone who looks at one of them has the others in the same
// line of the cache: of millions at random, a line is what an access costs.
//
// Points that do not fit into 32 bits lie in a map aside.
//
// Not synchronized. Reading changes nothing that readers see.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/check.hpp"
#include "scoring/projections/engine/dense_column.hpp"
#include "scoring/projections/engine/point_steps.hpp"
#include "scoring/projections/engine/totals.hpp"

namespace tideline::scoring {

// Facts about an account, each a bit that once set stays: in tables and memory they are joined by
// or.
enum Standing : std::uint8_t { kRegistered = 1, kClosed = 2 };

// The first is 1.
using DepartmentNumber = std::uint32_t;
inline constexpr DepartmentNumber kNoDepartment = 0;

class MemberTable {
 public:
  // Somebody new, of whom nothing is known yet; all lower numbers too.
  void make(MemberNumber member) { table_.make(member); }

  // All that follows is for members who were made.
  Totals totals(MemberNumber member) const {
    const Book& book = table_[member];
    return {points_of(member, book), core::Timestamp(book.reached_at)};
  }
  std::int64_t points(MemberNumber member) const { return points_of(member, table_[member]); }
  void set_totals(MemberNumber member, const Totals& totals) {
    Book& book = table_[member];
    book.reached_at = totals.reached_at.time_since_epoch();
    steps_.note(member);
    if (book.points == kElsewhere || !fits(totals.points)) {
      return put_elsewhere(member, totals.points);
    }
    book.points = static_cast<std::int32_t>(totals.points);
  }
  std::uint8_t standing(MemberNumber member) const { return table_[member].standing; }
  void set_standing(MemberNumber member, std::uint8_t standing) {
    table_[member].standing = standing & (kRegistered | kClosed);
  }
  DepartmentNumber department(MemberNumber member) const { return table_[member].department; }
  void set_department(MemberNumber member, DepartmentNumber department) {
    CHECK(department < kDepartments, "there are fewer people than that");
    table_[member].department = department & (kDepartments - 1);
  }

  void reserve(std::size_t members, ReservedPages& pages) { table_.reserve(members, pages); }
  // Fetches all of it, if the member was made.
  void prefetch(MemberNumber member) const { table_.prefetch(member); }
  // Those that were made have lower numbers.
  MemberNumber size() const { return table_.size(); }

  // Calls visit(member, totals) for every member with points from `lowest` to `highest`, by number.
  template <class Visit>
  void for_each(std::int64_t lowest, std::int64_t highest, const Visit& visit) const {
    const auto visit_within = [&](MemberNumber member) {
      const Book& book = table_[member];
      const std::int64_t points = points_of(member, book);
      if (points < lowest || points > highest) return;
      visit(member, Totals{points, core::Timestamp(book.reached_at)});
    };
    // Up to the top is asked where a board is built, which a start should not pay bytes for.
    if (highest == std::numeric_limits<std::int64_t>::max()) {
      return table_.for_each([&](MemberNumber member, const Book&) { visit_within(member); });
    }
    steps_.for_each_near(
        size(), lowest, highest, [&](MemberNumber member) { return points(member); },
        [&](MemberNumber member) { prefetch(member); }, visit_within);
  }

  std::size_t bytes() const { return table_.bytes() + steps_.bytes(); }
  std::size_t bytes_of_points() const {
    return table_.size() * sizeof(Book::points) + steps_.bytes();
  }

 private:
  struct Book {
    core::Timestamp::duration reached_at;
    std::int32_t points;
    std::uint32_t department : 30;
    std::uint32_t standing : 2;
  };
  static_assert(sizeof(Book) == 16);
  static constexpr DepartmentNumber kDepartments = 1U << 30U;
  static constexpr std::int32_t kElsewhere = std::numeric_limits<std::int32_t>::min();

  std::int64_t points_of(MemberNumber member, const Book& book) const {
    return book.points == kElsewhere ? elsewhere_.at(member) : book.points;
  }
  static bool fits(std::int64_t points) {
    return points > kElsewhere && points <= std::numeric_limits<std::int32_t>::max();
  }
  void put_elsewhere(MemberNumber member, std::int64_t points);

  DenseColumn<Book> table_;
  mutable PointSteps steps_;
  absl::flat_hash_map<MemberNumber, std::int64_t> elsewhere_;
};

}  // namespace tideline::scoring
