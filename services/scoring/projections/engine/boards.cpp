#include "scoring/projections/engine/boards.hpp"

#include <cstdint>
#include <limits>

namespace tideline::scoring {

class Boards::Department final : public BoardMembers {
 public:
  Department(const Boards& boards, DepartmentNumber number)
      : boards_(boards), number_(number), board_(kDepartmentBand, *this) {}

  RankBoard& board() { return board_; }

  std::optional<Totals> totals_of(MemberNumber member) const override {
    return holds(member) ? boards_.table_.totals_of(member) : std::nullopt;
  }
  void prefetch(MemberNumber member) const override { boards_.table_.prefetch(member); }
  const core::AccountId& account_of(MemberNumber member) const override {
    return boards_.table_.account_of(member);
  }
  void scan(std::int64_t lowest, std::int64_t highest, const Visit& visit) const override {
    boards_.table_.scan(lowest, highest, [&](const BoardMember& member) {
      if (holds(member.number)) visit(member);
    });
  }

 private:
  bool holds(MemberNumber member) const { return boards_.numbers_.department(member) == number_; }

  const Boards& boards_;
  const DepartmentNumber number_;
  RankBoard board_;
};

Boards::Boards(std::size_t band_members, const BoardMembers& table, const MemberTable& departments)
    : table_(table), numbers_(departments), everybody_(band_members, table) {}

Boards::~Boards() = default;

const RankBoard* Boards::find(DepartmentNumber department) const {
  if (department == kNoDepartment || department > departments_.size()) return nullptr;
  const auto& found = departments_[department - 1];
  return found ? &found->board() : nullptr;
}

RankBoard* Boards::board_of(DepartmentNumber department) {
  if (department == kNoDepartment) return nullptr;
  if (department > departments_.size()) departments_.resize(department);
  auto& found = departments_[department - 1];
  if (!found) found = std::make_unique<Department>(*this, department);
  return &found->board();
}

// Names of departments are free, so that anyone who changes his own often would leave many behind.
void Boards::drop_if_empty(DepartmentNumber department) {
  auto& found = departments_[department - 1];
  if (found->board().size() == 0) found.reset();
}

void Boards::change(MemberNumber member, const std::optional<BoardEntry>& from,
                    const std::optional<BoardEntry>& to) {
  if (!from && !to) return;
  everybody_.change(member, from, to);
  const DepartmentNumber department = numbers_.department(member);
  RankBoard* board = board_of(department);
  if (board == nullptr) return;
  board->change(member, from, to);
  drop_if_empty(department);
}

void Boards::change_department(DepartmentNumber before, MemberNumber member,
                               const BoardEntry& entry) {
  if (RankBoard* board = board_of(before)) {
    board->leave({member, entry});
    drop_if_empty(before);
  }
  if (RankBoard* board = board_of(numbers_.department(member))) board->enter({member, entry});
}

// Departments from lists of their own members: all of them together pass over everybody once.
void Boards::rebuild(DepartmentNumber highest) {
  everybody_.rebuild();
  departments_.clear();
  if (highest == kNoDepartment) return;
  constexpr auto kLowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto kHighest = std::numeric_limits<std::int64_t>::max();
  std::vector<std::vector<MemberNumber>> members(highest);
  table_.scan(kLowest, kHighest, [&](const BoardMember& member) {
    const DepartmentNumber number = numbers_.department(member.number);
    if (number != kNoDepartment) members[number - 1].push_back(member.number);
  });
  for (DepartmentNumber number = 1; number <= highest; ++number) {
    const auto& its_members = members[number - 1];
    if (its_members.empty()) continue;
    board_of(number)->rebuild(
        [&](std::int64_t lowest, std::int64_t top, const RankBoard::Visit& visit) {
          for (const MemberNumber member : its_members) {
            const auto has = table_.totals_of(member);
            if (!has || has->points < lowest || has->points > top) continue;
            visit({member, {has->points, has->reached_at, table_.account_of(member)}});
          }
        });
  }
}

std::size_t Boards::bytes_of_departments() const {
  std::size_t bytes = 0;
  for (const auto& department : departments_) {
    if (department) bytes += sizeof(Department) + department->board().bytes();
  }
  return bytes;
}

}  // namespace tideline::scoring
