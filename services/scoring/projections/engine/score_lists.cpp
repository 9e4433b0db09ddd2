#include "scoring/projections/engine/score_lists.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "core/check.hpp"
#include "core/prefetch.hpp"

namespace tideline::scoring {
namespace {

// Up to so many entries a search from end to end is cheaper than stale ones.
constexpr std::size_t kShort = 64;

// How far up a change is expected to lead, in lists: as awards go.
constexpr std::size_t kNear = 5;

std::size_t index_of(std::int64_t score) {
  CHECK(ScoreCells::holds(score), "a score outside the lists");
  return static_cast<std::size_t>(score);
}

}  // namespace

struct ScoreLists::Ahead {
  bool operator()(const Entry& left, const Entry& right) const {
    if (left.reached_at != right.reached_at) return left.reached_at < right.reached_at;
    return books.account_of(left.member) < books.account_of(right.member);
  }
  bool operator()(const Entry& entry, const BoardEntry& place) const {
    if (entry.reached_at != place.reached_at) return entry.reached_at < place.reached_at;
    return books.account_of(entry.member) < place.account;
  }
  bool operator()(const BoardEntry& place, const Entry& entry) const {
    if (place.reached_at != entry.reached_at) return place.reached_at < entry.reached_at;
    return place.account < books.account_of(entry.member);
  }

  const BoardMembers& books;
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

std::span<const ScoreLists::List> ScoreLists::lists_from(std::int64_t score) const {
  const auto* const block = blocks_.empty() ? nullptr : blocks_[index_of(score) / kBlock].get();
  if (block == nullptr) return {};
  const std::size_t first = block->lists_below(index_of(score) % kBlock);
  return std::span(block->lists).subspan(first, std::min(kNear + 1, block->lists.size() - first));
}

void ScoreLists::expect(std::int64_t score) const { core::prefetch(lists_from(score)); }

void ScoreLists::expect_entries(std::int64_t score) const {
  for (const List& list : lists_from(score)) {
    const auto& entries = list.entries;
    if (list.score == score && entries.size() <= kShort) {
      core::prefetch(std::span(entries));
    } else {
      core::prefetch(entries.data() + entries.size());
    }
    if (list.score == score) core::prefetch(list.left.data() + list.left.size());
  }
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
  push(list_of(member.entry.points), member, Ahead{*books_});
  ++size_;
}

void ScoreLists::insert(const BoardMember& member) {
  List& list = list_of(member.entry.points);
  push(list, member, Ahead{*books_});
  ++size_;
  const std::size_t tail = list.entries.size() - list.ordered;
  if (tail * tail > 16 * list.entries.size()) settle(list);
}

void ScoreLists::erase(const BoardMember& member) {
  List& list = list_of(member.entry.points);
  CHECK(list.live > 0, "who leaves a list was on it");
  --list.live;
  --size_;
  if (list.live == 0) {
    remove_list(member.entry.points);
  } else if (list.entries.size() <= kShort) {
    // So short a list has no stale entries: it lost them when it became so.
    const auto found = std::find(list.entries.begin(), list.entries.end(),
                                 Entry{member.entry.reached_at, member.number});
    CHECK(found != list.entries.end(), "who leaves a list was on it");
    if (static_cast<std::size_t>(found - list.entries.begin()) < list.ordered) --list.ordered;
    list.entries.erase(found);
  } else {
    list.left.push_back({member.entry.reached_at, member.number});
    if (list.is_full_of_stale()) settle(list);
  }
}

bool ScoreLists::is_stale(const List& list, const Entry& entry) const {
  const auto has = books_->totals_of(entry.member);
  return !has || has->points != list.score || has->reached_at != entry.reached_at;
}

void ScoreLists::settle(List& list) {
  auto& entries = list.entries;
  settled_ += entries.size() + list.left.size();
  const Ahead ahead{*books_};
  const auto middle = entries.begin() + static_cast<std::ptrdiff_t>(list.ordered);
  std::sort(middle, entries.end(), ahead);
  std::inplace_merge(entries.begin(), middle, entries.end(), ahead);
  std::sort(list.left.begin(), list.left.end(), ahead);
  auto kept = entries.begin();
  auto left = list.left.cbegin();
  for (const Entry& entry : entries) {
    if (left != list.left.cend() && *left == entry) {
      ++left;
    } else {
      *kept++ = entry;
    }
  }
  entries.erase(kept, entries.end());
  list.left.clear();
  CHECK(entries.size() == list.live, "who left a list was on it");
  list.ordered = entries.size();
  if (entries.capacity() > 2 * entries.size()) entries.shrink_to_fit();
  if (list.left.capacity() > entries.size()) list.left.shrink_to_fit();
}

void ScoreLists::settle() {
  for (const auto& block : blocks_) {
    if (!block) continue;
    for (List& list : block->lists) {
      if (list.ordered != list.entries.size()) settle(list);
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
      bytes += (list.entries.capacity() + list.left.capacity()) * sizeof(Entry);
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
    if (list.has_stale() && (taken == entry || is_stale(list, entry))) continue;
    taken = entry;
    found.push_back({list.score, entry.reached_at, books_->account_of(entry.member)});
  }
}

void ScoreLists::after(const std::optional<BoardEntry>& place, std::size_t limit,
                       std::vector<BoardEntry>& found) const {
  if (blocks_.empty() || (place && place->points < 0)) return;
  const Ahead ahead{*books_};
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
  const Ahead ahead{*books_};
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
