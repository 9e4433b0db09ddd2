// What answers say of moments and of their authors, remembered as JSON text, so that a page of what
// was read lately asks no table and opens no seal. It says nothing of who may see anything: the
// engine has been asked before, at every read. What came by events lately is remembered, too, still
// sealed: the tables, which have consumers of their own, may be behind the engine.
//
// Laws: an answer is the same with it and without. A moment's text goes when the engine has applied
// its deletion or the closing of its author's account; when a profile's change is in the table, no
// name of before is found any more, nor a text that has it. Whatever is not told of here (a key
// that was destroyed by hand) ends within kAgeMax.
//
// Thread-safe. Nothing blocks.
#pragma once

#include <absl/container/inlined_vector.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/prefetch.hpp"
#include "core/time_ordered_id.hpp"
#include "feed/contents/moment_content.hpp"
#include "feed/contents/recent_map.hpp"
#include "feed/projections/engine/feed_engine.hpp"
#include "feed/projections/events_read.hpp"
#include "feed/projections/interaction_queries.hpp"
#include "feed/projections/moment_queries.hpp"
#include "people/people_directory.hpp"

namespace tideline::feed {

struct PersonContent {
  std::string person;   // an object, as people/person_json.hpp says
  std::string user_id;  // a string, or null
  std::uint64_t names_as_of = 0;
};

// The rows that a moment has, or will have, in the tables: those of events that came lately.
struct SealedMoment {
  core::AccountId author;
  std::optional<MomentRow> row;
  std::map<std::uint32_t, MomentEditRow> edits;
};

// The row of a comment, in the same way.
struct SealedComment {
  core::AccountId author;
  CommentRow row;
};

class MomentContents {
 public:
  using Moment = std::shared_ptr<const MomentContent>;
  using Person = std::shared_ptr<const PersonContent>;
  using Sealed = std::shared_ptr<const SealedMoment>;

  // A text ends at an age between these, by its moment's id: those that were put in one burst, as
  // after a start, are not all read anew in one burst.
  static constexpr std::chrono::milliseconds kAgeMin = std::chrono::minutes(45);
  static constexpr std::chrono::milliseconds kAgeMax = std::chrono::hours(1);

  struct Counts {
    std::uint64_t hits = 0;    // moments that were there
    std::uint64_t misses = 0;  // or not
    std::size_t moments = 0;
    std::size_t bytes = 0;  // of all
  };

  // `bytes_max` is of texts and what holds them; 0 remembers nothing.
  MomentContents(std::size_t bytes_max, const core::Clock& clock)
      : clock_(clock),
        moments_(bytes_max / 8 * 5),
        sealed_(bytes_max / 8),
        sealed_comments_(bytes_max / 16),
        people_(bytes_max / 16 * 3) {}

  // Of each event, on the runner's thread: before the engine shows anything of it, and when the
  // engine shows no more what it takes away.
  void before_use(const read::Event& event);
  void after_use(const read::Event& event);

  // Of each entry, in the text that it shows; nullptr: not remembered so. All in one call: the
  // memory is asked for each place before it is looked at.
  std::vector<Moment> find(std::span<const TimelineEntry> entries);
  // The same without a count of owners each: calls use(i, moment) for each that is remembered so,
  // in order, while none can be put or dropped; use() must not ask for anything here. Counts
  // nothing: anyone who has shown what there was notes it.
  template <class Use>
  void find_each(std::span<const TimelineEntry> entries, const Use& use);
  void note_hits(std::size_t hits) { hits_.fetch_add(hits, std::memory_order_relaxed); }
  // nullptr: nothing of it has come lately.
  Sealed find_sealed(core::MomentId id) { return sealed_.find(id.value()); }
  // Those of `ids` that have come lately. A comment outlives its moment here, until its room is
  // needed: nobody is shown it.
  std::map<core::CommentId, CommentRow> find_sealed_comments(std::span<const core::CommentId> ids);
  // Anyone who puts a moment asks the engine afterwards whether it still stands, and drops it if
  // not: the deletion may have been applied after the row was read.
  Moment put(core::MomentId id, const MomentTexts& texts);
  void drop(core::MomentId id);

  // How often names have changed. Asked before names are read from the table, and put with what has
  // them (names_as_of): what a change has overtaken is never found.
  std::uint64_t name_changes() const { return name_changes_; }
  Person find_person(const core::AccountId& account);
  Person put_person(const people::Person& person, std::uint64_t names_as_of);
  // Their names have changed; everybody's if there are none.
  void drop_names(std::span<const core::AccountId> accounts);

  Counts counts() const;

 private:
  void put_sealed(core::MomentId id, SealedMoment sealed);
  // Looks at everything that is remembered: accounts are closed rarely.
  void drop_author(const core::AccountId& author);
  std::atomic<std::uint64_t>& names_changed(const core::AccountId& account) {
    return names_changed_[std::hash<core::AccountId>()(account) % kNameGroups];
  }
  bool is_named_right(const core::AccountId& account, std::uint64_t names_as_of) {
    return names_changed(account).load(std::memory_order_acquire) <= names_as_of;
  }

  const core::Clock& clock_;
  RecentMap<std::uint64_t, MomentContent> moments_;
  RecentMap<std::uint64_t, SealedMoment> sealed_;
  RecentMap<std::uint64_t, SealedComment> sealed_comments_;
  RecentMap<core::AccountId, PersonContent> people_;
  // The number of the last change of anybody of a group, so that a moment finds out by one look
  // that its author's name is another now. Anyone who is in a group with him is read anew, too.
  static constexpr std::size_t kNameGroups = 16'384;
  std::mutex naming_;  // one change after the other
  std::atomic<std::uint64_t> name_changes_{0};
  std::vector<std::atomic<std::uint64_t>> names_changed_ =
      std::vector<std::atomic<std::uint64_t>>(kNameGroups);
  std::atomic<std::uint64_t> hits_{0};
  std::atomic<std::uint64_t> misses_{0};
};

template <class Use>
void MomentContents::find_each(std::span<const TimelineEntry> entries, const Use& use) {
  constexpr std::size_t kAtOnce = 32;
  absl::InlinedVector<std::uint64_t, kAtOnce> ids;
  for (const TimelineEntry& entry : entries) {
    ids.push_back(entry.id.value());
    core::prefetch(&names_changed(entry.author));
  }
  const core::Timestamp now = clock_.now();
  moments_.find_each(
      ids,
      [](const MomentContent* moment, std::size_t bytes) {
        core::prefetch(std::span(reinterpret_cast<const char*>(moment), bytes));
      },
      [&](std::size_t i, const Moment& moment) {
        if (moment->edits() != entries[i].edits || moment->good_until() <= now) return;
        if (moment->audience_changes() != entries[i].audience_changes) return;
        if (is_named_right(entries[i].author, moment->names_as_of())) use(i, moment);
      });
}

}  // namespace tideline::feed
