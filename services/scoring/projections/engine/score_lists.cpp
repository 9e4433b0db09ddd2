#include "scoring/projections/engine/score_lists.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "core/check.hpp"

namespace tideline::scoring {
namespace {

// Books of so many members are asked for at once.
constexpr std::size_t kAhead = 8;

std::size_t index_of(std::int64_t score) {
  CHECK(ScoreCells::holds(score), "a score outside the lists");
  return static_cast<std::size_t>(score);
}

}  // namespace

struct ScoreLists::Ahead {
  bool operator()(const Entry& left, const Entry& right) const {
    if (left.reached_at != right.reached_at) return left.reached_at < right.reached_at;
    return table.account_of(left.member) < table.account_of(right.member);
  }
  bool operator()(const Entry& entry, const BoardEntry& place) const {
    if (entry.reached_at != place.reached_at) return entry.reached_at < place.reached_at;
    return table.account_of(entry.member) < place.account;
  }
  bool operator()(const BoardEntry& place, const Entry& entry) const {
    if (place.reached_at != entry.reached_at) return place.reached_at < entry.reached_at;
    return place.account < table.account_of(entry.member);
  }

  const BoardMembers& table;
};

bool ScoreLists::Block::uses(std::size_t offset) const {
  return (used.at(offset / kWordBits) >> (offset % kWordBits) & 1U) != 0;
}

std::size_t ScoreLists::Block::lists_below(std::size_t offset) const {
  const std::size_t word = offset / kWordBits;
  const std::uint64_t lower = (std::uint64_t{1} << (offset % kWordBits)) - 1;
  return earlier.at(word) + static_cast<std::size_t>(std::popcount(used.at(word) & lower));
}

ScoreLists::Block& ScoreLists::block_of(std::int64_t score) const {
  return *blocks_[index_of(score) / kBlock];
}

ScoreLists::List& ScoreLists::list_of(std::int64_t score) {
  if (blocks_.empty()) blocks_.resize(kBlocks);
  const std::size_t at = index_of(score);
  auto& block = blocks_[at / kBlock];
  if (!block) block = std::make_unique<Block>();
  const std::size_t offset = at % kBlock;
  const std::size_t index = block->lists_below(offset);
  if (!block->uses(offset)) {
    const std::size_t word = offset / kWordBits;
    block->used.at(word) |= std::uint64_t{1} << (offset % kWordBits);
    for (std::size_t later = word + 1; later < kWords; ++later) ++block->earlier.at(later);
    List list;
    list.score = static_cast<std::uint32_t>(score);
    block->lists.insert(block->lists.begin() + static_cast<std::ptrdiff_t>(index), std::move(list));
  }
  return block->lists[index];
}

void ScoreLists::remove_list(std::int64_t score) {
  Block& block = block_of(score);
  const std::size_t offset = index_of(score) % kBlock;
  const std::size_t word = offset / kWordBits;
  block.lists.erase(block.lists.begin() + static_cast<std::ptrdiff_t>(block.lists_below(offset)));
  block.used.at(word) &= ~(std::uint64_t{1} << (offset % kWordBits));
  for (std::size_t later = word + 1; later < kWords; ++later) --block.earlier.at(later);
}

void ScoreLists::push(List& list, const BoardMember& member, const Ahead& ahead) {
  const Entry entry{member.entry.reached_at, member.number};
  const bool in_order = list.ordered == list.entries.size() &&
                        (list.entries.empty() || !ahead(entry, list.entries.back()));
  list.entries.push_back(entry);
  if (in_order) ++list.ordered;
  ++list.live;
}

void ScoreLists::gather(const BoardMember& member) {
  push(list_of(member.entry.points), member, Ahead{*table_});
  ++size_;
}

void ScoreLists::insert(const BoardMember& member) {
  List& list = list_of(member.entry.points);
  push(list, member, Ahead{*table_});
  ++size_;
  restore_order_if_due(list);
}

void ScoreLists::erase(std::int64_t score) {
  List& list = list_of(score);
  CHECK(list.live > 0, "who leaves a list was on it");
  --list.live;
  --size_;
  if (list.live == 0) return remove_list(score);
  restore_order_if_due(list);
}

// Not an erase() and an insert(): in between, an older entry of his may be what the table says.
void ScoreLists::put_again(const BoardMember& member) {
  List& list = list_of(member.entry.points);
  CHECK(list.live > 0, "he was on the list");
  --list.live;
  push(list, member, Ahead{*table_});
  restore_order_if_due(list);
}

void ScoreLists::restore_order_if_due(List& list) {
  const std::size_t tail = list.entries.size() - list.ordered;
  if (tail * tail > 16 * list.entries.size() || list.stale() > list.live / 2) restore_order(list);
}

bool ScoreLists::is_stale(const List& list, const Entry& entry) const {
  const auto has = table_->totals_of(entry.member);
  return !has || has->points != list.score || has->reached_at != entry.reached_at;
}

// Leaves out the entries that the table does not know: the order of the others stays.
void ScoreLists::drop_stale(List& list) const {
  auto& entries = list.entries;
  std::size_t kept = 0;
  std::uint32_t ordered = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i + kAhead < entries.size()) table_->prefetch(entries[i + kAhead].member);
    if (is_stale(list, entries[i])) continue;
    if (i < list.ordered) ++ordered;
    entries[kept++] = entries[i];
  }
  entries.resize(kept);
  list.ordered = ordered;
}

void ScoreLists::restore_order(List& list) {
  auto& entries = list.entries;
  settled_ += entries.size();
  if (list.stale() > 0) drop_stale(list);
  const Ahead ahead{*table_};
  const auto middle = entries.begin() + static_cast<std::ptrdiff_t>(list.ordered);
  std::sort(middle, entries.end(), ahead);
  std::inplace_merge(entries.begin(), middle, entries.end(), ahead);
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  CHECK(entries.size() == list.live, "who left a list was on it");
  list.ordered = list.live;
  if (entries.capacity() > 2 * entries.size()) entries.shrink_to_fit();
}

void ScoreLists::restore_order() {
  for (const auto& block : blocks_) {
    if (!block) continue;
    for (List& list : block->lists) {
      if (list.ordered != list.entries.size()) restore_order(list);
    }
  }
}

void ScoreLists::erase_below(std::int64_t score) {
  const auto kept_from =
      static_cast<std::size_t>(std::clamp<std::int64_t>(score, 0, ScoreCells::kScores));
  for (std::size_t index = 0; index < blocks_.size() && index * kBlock < kept_from; ++index) {
    auto& block = blocks_[index];
    if (!block) continue;
    if ((index + 1) * kBlock <= kept_from) {
      for (const List& list : block->lists) size_ -= list.live;
      block.reset();
      continue;
    }
    while (!block->lists.empty() && block->lists.front().score < kept_from) {
      size_ -= block->lists.front().live;
      remove_list(block->lists.front().score);
    }
  }
}

void ScoreLists::clear() {
  blocks_.clear();
  size_ = 0;
}

std::size_t ScoreLists::bytes() const {
  std::size_t bytes = blocks_.size() * sizeof(blocks_[0]);
  for (const auto& block : blocks_) {
    if (!block) continue;
    bytes += sizeof *block + block->lists.capacity() * sizeof(List);
    for (const List& list : block->lists) {
      bytes += list.entries.capacity() * sizeof(Entry);
    }
  }
  return bytes;
}

// Adds what lies from `first` to `last` and in the tail, both by `order`.
template <class Iterator, class Order>
void ScoreLists::take(const List& list, Iterator first, Iterator last, std::vector<Entry> tail,
                      const Order& order, std::size_t limit, std::vector<BoardEntry>& found) const {
  std::sort(tail.begin(), tail.end(), order);
  auto waiting = tail.cbegin();
  std::optional<Entry> taken;
  while (found.size() < limit && (first != last || waiting != tail.cend())) {
    const bool from_tail = first == last || (waiting != tail.cend() && order(*waiting, *first));
    const Entry entry = from_tail ? *waiting++ : *first++;
    if (list.stale() > 0 && (taken == entry || is_stale(list, entry))) continue;
    taken = entry;
    found.push_back({list.score, entry.reached_at, table_->account_of(entry.member)});
  }
}

void ScoreLists::after(const std::optional<BoardEntry>& place, std::size_t limit,
                       std::vector<BoardEntry>& found) const {
  if (blocks_.empty() || (place && place->points < 0)) return;
  const Ahead ahead{*table_};
  const bool from_top = !place || !ScoreCells::holds(place->points);
  const std::size_t start = index_of(from_top ? ScoreCells::kScores - 1 : place->points);
  for (std::size_t index = start / kBlock + 1; index-- > 0 && found.size() < limit;) {
    if (!blocks_[index]) continue;
    const Block& block = *blocks_[index];
    const std::size_t offset = index == start / kBlock ? start % kBlock : kBlock - 1;
    std::size_t next = block.lists_below(offset) + (block.uses(offset) ? 1 : 0);
    while (next-- > 0 && found.size() < limit) {
      const List& list = block.lists[next];
      auto first = list.entries.begin();
      const auto middle = first + static_cast<std::ptrdiff_t>(list.ordered);
      std::vector<Entry> tail(middle, list.entries.end());
      if (place && place->points == list.score) {
        first = std::upper_bound(first, middle, *place, ahead);
        std::erase_if(tail, [&](const Entry& entry) { return !ahead(*place, entry); });
      }
      take(list, first, middle, std::move(tail), ahead, limit, found);
    }
  }
}

void ScoreLists::before(const BoardEntry& place, std::size_t limit,
                        std::vector<BoardEntry>& found) const {
  if (blocks_.empty() || place.points >= ScoreCells::kScores) return;
  const Ahead ahead{*table_};
  const auto behind = [&](const Entry& left, const Entry& right) { return ahead(right, left); };
  const std::size_t start = index_of(std::max<std::int64_t>(place.points, 0));
  for (std::size_t index = start / kBlock; index < kBlocks && found.size() < limit; ++index) {
    if (!blocks_[index]) continue;
    const Block& block = *blocks_[index];
    std::size_t next = index == start / kBlock ? block.lists_below(start % kBlock) : 0;
    for (; next < block.lists.size() && found.size() < limit; ++next) {
      const List& list = block.lists[next];
      auto last = list.entries.begin() + static_cast<std::ptrdiff_t>(list.ordered);
      std::vector<Entry> tail(last, list.entries.end());
      if (place.points == list.score) {
        last = std::lower_bound(list.entries.begin(), last, place, ahead);
        std::erase_if(tail, [&](const Entry& entry) { return !ahead(entry, place); });
      }
      take(list, std::make_reverse_iterator(last), list.entries.rend(), std::move(tail), behind,
           limit, found);
    }
  }
}

}  // namespace tideline::scoring
