#include "feed/api/moment_contents.hpp"

#include <utility>

namespace tideline::feed {
namespace {

// Of an entry besides its texts: places in tables, counts of owners, the values themselves.
constexpr std::size_t kEntryBytes = 96;

std::size_t bytes_of(const MomentContent& moment) {
  return kEntryBytes + sizeof moment + moment.shown.capacity() + moment.audience.capacity() +
         moment.user_ids.capacity() * sizeof(core::AccountId);
}

std::size_t bytes_of(const PersonContent& person) {
  return kEntryBytes + sizeof person + person.person.capacity() + person.user_id.capacity();
}

}  // namespace

MomentContents::Moment MomentContents::find(core::MomentId id, std::uint32_t edits) {
  const auto held = moments_.find(id.value());
  const bool good = held && held->moment->edits == edits && clock_.now() < held->until;
  (good ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
  return good ? held->moment : nullptr;
}

void MomentContents::put(core::MomentId id, Moment moment) {
  const std::size_t bytes = bytes_of(*moment);
  moments_.put(
      id.value(),
      std::make_shared<const DatedMoment>(DatedMoment{std::move(moment), clock_.now() + kAgeMax}),
      bytes);
}

void MomentContents::drop_author(const core::AccountId& author) {
  moments_.erase_if(
      [&](std::uint64_t, const DatedMoment& held) { return held.moment->author == author; });
}

MomentContents::Person MomentContents::find_person(const core::AccountId& account) {
  return people_.find(account);
}

void MomentContents::put_person(const core::AccountId& account, Person person,
                                std::uint64_t changes_seen) {
  const std::size_t bytes = bytes_of(*person);
  const std::lock_guard lock(naming_);
  if (name_changes_ == changes_seen) people_.put(account, std::move(person), bytes);
}

void MomentContents::drop_people(std::span<const core::AccountId> accounts) {
  const std::lock_guard lock(naming_);
  ++name_changes_;
  for (const core::AccountId& account : accounts) people_.erase(account);
  if (accounts.empty()) {
    people_.erase_if([](const core::AccountId&, const PersonContent&) { return true; });
  }
}

MomentContents::Counts MomentContents::counts() const {
  const auto moments = moments_.size();
  return {hits_, misses_, moments.entries, moments.bytes + people_.size().bytes};
}

}  // namespace tideline::feed
