#include "feed/projections/engine/fan_out_prefetcher.hpp"

#include <algorithm>
#include <span>
#include <variant>

namespace tideline::feed {
namespace {

// The processor sees by itself that others follow.
constexpr std::size_t kFirstContacts = 128;
// As a fan-out is ahead of itself.
constexpr std::size_t kFirstHeads = 2 * ViewerTimelines::Full::kAhead;

std::span<const PersonIndex> first_of(const PeopleArray& people, std::size_t count) {
  return {people.data(), std::min(people.size(), count)};
}

}  // namespace

void FanOutPrefetcher::prefetch(const read::Event* event) {
  std::move_backward(coming_.begin(), coming_.end() - 1, coming_.end());
  coming_[0] = {};
  if (const auto* const moment = std::get_if<read::MomentPublished>(event)) {
    coming_[0].account = moment->author;
    graph_.prefetch_person(moment->author);
    moments_.prefetch_new(moment->id);
  }
  ask_for_facts(coming_[1]);
  ask_for_contacts(coming_[2].number);
  ask_for_heads(coming_[3].number);
}

void FanOutPrefetcher::ask_for_facts(Author& author) const {
  author.number = graph_.find_person(author.account);
  graph_.prefetch_facts(author.number);
  moments_.prefetch_author(author.number);
  timelines_.prefetch_head(author.number);
}

void FanOutPrefetcher::ask_for_contacts(PersonIndex author) const {
  graph_.prefetch_contacts(author, kFirstContacts);
  moments_.prefetch_newest(author);
}

void FanOutPrefetcher::ask_for_heads(PersonIndex author) {
  const auto full = timelines_.full();
  for (const PersonIndex viewer : first_of(graph_.contacts_of(author), kFirstHeads)) {
    full.prefetch_head(viewer);
  }
}

std::span<const PersonIndex> FanOutPrefetcher::next_viewers() const {
  return first_of(graph_.contacts_of(coming_.back().number), kFirstHeads);
}

}  // namespace tideline::feed
