// What answers say of moments and of their authors, remembered as JSON text, so that a page of what
// was read lately asks no table and opens no seal. It says nothing of who may see anything: the
// engine has been asked before, at every read.
//
// Laws: an answer is the same with it and without. A moment's text goes when the engine has applied
// its deletion or the closing of its author's account, a name when the profile's change is in the
// table. Whatever is not told of here (a key that was destroyed by hand) ends after kAgeMax.
//
// Thread-safe. Nothing blocks.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/time_ordered_id.hpp"
#include "feed/api/recent_map.hpp"

namespace tideline::feed {

// Members of JSON objects, without the braces.
struct MomentContent {
  core::AccountId author;
  std::uint32_t edits = 0;                // with the text of this edit
  std::string shown;                      // to everybody who may see the moment
  std::string audience;                   // to its author: audience, group_ids, tag_ids
  std::vector<core::AccountId> user_ids;  // listed in its audience: for its author, by their names
};

struct PersonContent {
  std::string person;   // an object
  std::string user_id;  // a string, or null
};

class MomentContents {
 public:
  using Moment = std::shared_ptr<const MomentContent>;
  using Person = std::shared_ptr<const PersonContent>;

  static constexpr std::chrono::hours kAgeMax{1};

  struct Counts {
    std::uint64_t hits = 0;    // moments that were there
    std::uint64_t misses = 0;  // or not
    std::size_t moments = 0;
    std::size_t bytes = 0;  // of moments and people
  };

  // `bytes_max` is of texts and what holds them; 0 remembers nothing.
  MomentContents(std::size_t bytes_max, const core::Clock& clock)
      : clock_(clock), moments_(bytes_max / 4 * 3), people_(bytes_max / 4) {}

  // nullptr: not remembered, or with another text.
  Moment find(core::MomentId id, std::uint32_t edits);
  // Whoever puts a moment asks the engine afterwards whether it still stands, and drops it if not:
  // the deletion may have been applied after the row was read.
  void put(core::MomentId id, Moment moment);
  void drop(core::MomentId id) { moments_.erase(id.value()); }
  // Looks at everything that is remembered: accounts are closed rarely.
  void drop_author(const core::AccountId& author);

  Person find_person(const core::AccountId& account);
  // How often names have changed. Asked before names are read from the table: what a change has
  // overtaken is not remembered.
  std::uint64_t name_changes() const { return name_changes_; }
  void put_person(const core::AccountId& account, Person person, std::uint64_t changes_seen);
  // Their names have changed; everybody's if there are none.
  void drop_people(std::span<const core::AccountId> accounts);

  Counts counts() const;

 private:
  struct DatedMoment {
    Moment moment;
    core::Timestamp until;
  };

  const core::Clock& clock_;
  RecentMap<std::uint64_t, DatedMoment> moments_;
  RecentMap<core::AccountId, PersonContent> people_;
  std::mutex naming_;  // one who puts and one who drops
  std::atomic<std::uint64_t> name_changes_{0};
  std::atomic<std::uint64_t> hits_{0};
  std::atomic<std::uint64_t> misses_{0};
};

}  // namespace tideline::feed
