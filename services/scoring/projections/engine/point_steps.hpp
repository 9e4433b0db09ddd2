// Roughly how many points each member has, a byte each: anyone who looks for some of millions by
// their points passes over a sixteenth of what their table take.
//
// The bytes are made when somebody first asks. From then on the table note whose points changed,
// and what is asked next brings these up to date, or all of them where they are too many to note.
// So a change costs an entry of a list, and nothing where nobody asks.
//
// Threads: any number may ask at once, as long as nobody notes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "scoring/projections/engine/dense_column.hpp"

namespace tideline::scoring {

class PointSteps {
 public:
  // His points are others.
  void note(MemberNumber member) {
    if (notes_) [[unlikely]]
      note_down(member);
  }

  // Calls visit(member) for everybody among the first `members` who can have points from `lowest`
  // to `highest`, and some more, by number. points(member) says what he has, ahead(member) that it
  // is going to be asked.
  template <class Points, class Ahead, class Visit>
  void for_each_near(MemberNumber members, std::int64_t lowest, std::int64_t highest,
                     const Points& points, const Ahead& ahead, const Visit& visit) {
    bring_up_to_date(members, points, ahead);
    if (lowest <= highest) visit_near(step_of(lowest), step_of(highest), ahead, visit);
  }

  std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    return steps_.bytes() + changed_.capacity() * sizeof(MemberNumber);
  }

 private:
  static constexpr std::size_t kAhead = 16;

  // Rises with the points: 0 for negative ones, then one for each, from 32 on sixteen an octave,
  // and the last one from 491,520 on. Where most have the first or the last, little is passed over.
  static std::uint8_t step_of(std::int64_t points) {
    constexpr int kBits = 4;
    constexpr int kMost = 255;
    if (points < 0) return 0;
    const auto width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(points)));
    const int octave = std::max(width - kBits - 1, 0);
    const auto within = static_cast<int>(points >> octave);
    return static_cast<std::uint8_t>(std::min((octave << kBits) + within + 1, kMost));
  }

  void note_down(MemberNumber member);

  template <class Points, class Ahead>
  void bring_up_to_date(MemberNumber members, const Points& points, const Ahead& ahead) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; notes_ && i < changed_.size(); ++i) {
      if (i + kAhead < changed_.size()) {
        ahead(changed_[i + kAhead]);
        steps_.prefetch(changed_[i + kAhead]);
      }
      steps_.make(changed_[i]) = step_of(points(changed_[i]));
    }
    for (MemberNumber member = notes_ ? known_ : 0; member < members; ++member) {
      steps_.make(member) = step_of(points(member));
    }
    known_ = members;
    changed_.clear();
    notes_ = true;
  }

  // Sixteen members at once: which of them are near is a byte of ones for each. What there is of
  // them is fetched while more are looked for.
  template <class Ahead, class Visit>
  void visit_near(std::uint8_t first_step, std::uint8_t last_step, const Ahead& ahead,
                  const Visit& visit) const {
    constexpr std::size_t kTogether = 16;
    constexpr std::size_t kGathered = 64;
    constexpr unsigned kByte = 8;
    using Marks = std::array<std::uint64_t, kTogether / sizeof(std::uint64_t)>;
    const auto more_steps = static_cast<std::uint8_t>(last_step - first_step);
    const auto is_near = [=](std::uint8_t step) {
      return static_cast<std::uint8_t>(step - first_step) <= more_steps;
    };
    std::array<MemberNumber, kGathered + kTogether> near{};
    std::size_t count = 0;
    const auto gather = [&](MemberNumber member) {
      ahead(member);
      near[count++] = member;
    };
    const auto visit_gathered = [&] {
      for (std::size_t i = 0; i < count; ++i) visit(near[i]);
      count = 0;
    };
    steps_.for_each_chunk([&](MemberNumber first, std::span<const std::uint8_t> steps) {
      std::size_t at = 0;
      for (; at + kTogether <= steps.size(); at += kTogether) {
        std::array<std::uint8_t, kTogether> marked;
        for (std::size_t i = 0; i < kTogether; ++i) marked[i] = is_near(steps[at + i]) ? 0xff : 0;
        const auto marks = std::bit_cast<Marks>(marked);
        for (std::size_t word = 0; word < marks.size(); ++word) {
          for (std::uint64_t left = marks[word]; left != 0;) {
            const auto place = static_cast<unsigned>(std::countr_zero(left)) / kByte;
            left &= ~(std::uint64_t{0xff} << (place * kByte));
            gather(first + static_cast<MemberNumber>(at + word * sizeof left + place));
          }
        }
        if (count >= kGathered) visit_gathered();
      }
      for (; at < steps.size(); ++at) {
        if (is_near(steps[at])) gather(first + static_cast<MemberNumber>(at));
      }
      visit_gathered();
    });
  }

  DenseColumn<std::uint8_t> steps_;
  MemberNumber known_ = 0;  // so many when it was asked last
  std::vector<MemberNumber> changed_;
  bool notes_ = false;        // of all who changed; otherwise everybody's byte is made anew
  mutable std::mutex mutex_;  // of those who ask
};

}  // namespace tideline::scoring
