// The boards of one time: of everybody, and of each department among them.
//
// A department has the table of everybody, less those who are in another one now. Its board is
// there as long as one of them is on it, and keeps kDepartmentBand of them in order.
//
// Not synchronized.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "scoring/projections/engine/board_members.hpp"
#include "scoring/projections/engine/member_table.hpp"
#include "scoring/projections/engine/rank_board.hpp"

namespace tideline::scoring {

class Boards {
 public:
  static constexpr std::size_t kDepartmentBand = 1'000;

  // `table` says who is on the board, `departments` where they are. Both outlive the boards.
  Boards(std::size_t band_members, const BoardMembers& table, const MemberTable& departments);
  ~Boards();

  const RankBoard& everybody() const { return everybody_; }
  // nullptr: nobody of it is on the board.
  const RankBoard* find(DepartmentNumber department) const;

  // Of his department as it is, and of everybody: as RankBoard::change().
  void change(MemberNumber member, const std::optional<BoardEntry>& from,
              const std::optional<BoardEntry>& to);
  // He is on the board, and has come to his department from this one.
  void change_department(DepartmentNumber before, MemberNumber member, const BoardEntry& entry);
  // Takes up whom the table hold; departments have numbers up to this one.
  void rebuild(DepartmentNumber highest);

  std::size_t bytes_of_everybody() const { return everybody_.bytes(); }
  std::size_t bytes_of_departments() const;

 private:
  class Department;

  // nullptr: kNoDepartment. Otherwise made if there is none.
  RankBoard* board_of(DepartmentNumber department);
  void drop_if_empty(DepartmentNumber department);

  const BoardMembers& table_;
  const MemberTable& numbers_;
  RankBoard everybody_;
  std::vector<std::unique_ptr<Department>> departments_;  // by number; nullptr: none
};

}  // namespace tideline::scoring
