#include "scoring/projections/engine/score_memory.hpp"

#include <algorithm>

namespace tideline::scoring {
namespace {

BoardEntry entry_of(const core::AccountId& account, const PersonScore& score) {
  return {score.points, score.reached_at, account};
}

}  // namespace

ScoreMemory::ScoreMemory(std::size_t band_members)
    : board_(band_members, [this](const RankBoard::Visit& visit) {
        for (const auto& [account, score] : people_) {
          if (score.on_board()) visit(entry_of(account, score));
        }
      }) {}

void ScoreMemory::put(const core::AccountId& account, const PersonScore& score) {
  people_[account] = score;
}

void ScoreMemory::add(const core::AccountId& account, const PersonScore& change) {
  PersonScore& now = people_[account];
  const PersonScore before = now;
  now.points += change.points;
  now.reached_at = std::max(now.reached_at, change.reached_at);
  now.standing = static_cast<std::uint8_t>(now.standing | change.standing);
  const BoardEntry from = entry_of(account, before);
  const BoardEntry to = entry_of(account, now);
  if (before.on_board() && now.on_board()) {
    board_.move(from, to);
  } else if (before.on_board()) {
    board_.leave(from);
  } else if (now.on_board()) {
    board_.enter(to);
  }
}

const PersonScore* ScoreMemory::find(const core::AccountId& account) const {
  const auto found = people_.find(account);
  return found == people_.end() ? nullptr : &found->second;
}

}  // namespace tideline::scoring
