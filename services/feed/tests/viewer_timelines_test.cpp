// The arrays of viewers against plain sets.
#include "feed/projections/engine/viewer_timelines.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <set>
#include <utility>

namespace tideline::feed {
namespace {

// All that was ever let in, and which of it must be there: the newest `length_max` above the floor.
struct Model {
  std::set<std::uint64_t> ids;
  std::uint64_t floor = 0;
  bool cold = false;

  bool insert(std::uint64_t id, std::size_t length_max) {
    if (cold || id <= floor || !ids.insert(id).second) return false;
    if (ids.size() > length_max) {
      const std::uint64_t oldest = *ids.begin();
      ids.erase(ids.begin());
      floor = *ids.begin() - 1;
      return oldest != id;
    }
    if (floor > 0) floor = *ids.begin() - 1;
    return true;
  }
};

constexpr std::size_t kPlenty = std::size_t{1} << 30;

std::vector<std::uint64_t> contents(const ViewerTimelines& timelines, PersonIndex viewer) {
  const ViewerTimeline timeline = timelines.of(viewer);
  std::vector<std::uint64_t> ids;
  for (std::size_t i = 0; i < timeline.size(); ++i) ids.push_back(timeline[i].value());
  return ids;
}

void compare(const ViewerTimelines& timelines, PersonIndex viewer, const Model& model) {
  const ViewerTimeline timeline = timelines.of(viewer);
  RC_ASSERT(contents(timelines, viewer) ==
            (std::vector<std::uint64_t>(model.ids.begin(), model.ids.end())));
  RC_ASSERT(timelines.is_cold(viewer) == model.cold);
  if (!model.cold) RC_ASSERT(timeline.floor().value() == model.floor);
  const std::uint64_t bound = *rc::gen::inRange<std::uint64_t>(1, 400);
  const auto place = [&](auto iterator) {
    return static_cast<std::size_t>(std::distance(model.ids.begin(), iterator));
  };
  RC_ASSERT(timeline.first_not_below(core::MomentId(bound)) == place(model.ids.lower_bound(bound)));
  RC_ASSERT(timeline.first_above(core::MomentId(bound)) == place(model.ids.upper_bound(bound)));
}

bool take_in(ViewerTimelines& timelines, PersonIndex viewer, std::uint64_t id) {
  const bool tries_first = *rc::gen::arbitrary<bool>();
  if (tries_first && timelines.full().replace_oldest(viewer, core::MomentId(id))) return true;
  return timelines.insert(viewer, core::MomentId(id));
}

// Ids mostly rise, as moments do; some come late, some again.
std::uint64_t next_id(std::uint64_t& newest) {
  const auto how = *rc::gen::inRange(0, 8);
  if (how < 5) return newest += *rc::gen::inRange<std::uint64_t>(1, 3);
  return *rc::gen::inRange<std::uint64_t>(1, newest + 2);
}

RC_GTEST_PROP(ViewerTimelines, AreBoundedSetsAboveTheirFloors, ()) {
  constexpr std::uint32_t kViewers = 3;
  const auto length_max = *rc::gen::inRange<std::size_t>(1, 40);
  ViewerTimelines timelines(length_max, kPlenty);
  timelines.resize(kViewers);
  std::array<Model, kViewers> models;
  std::uint64_t newest = 0;
  const int steps = *rc::gen::inRange(0, 300);
  for (int step = 0; step < steps; ++step) {
    const auto number = *rc::gen::inRange<std::uint32_t>(0, kViewers);
    const auto viewer = static_cast<PersonIndex>(number);
    Model& model = models[number];
    const auto what = *rc::gen::inRange(0, 60);
    if (what == 0) {
      timelines.cool_down(viewer);
      model = {{}, 0, true};
    } else if (what == 1) {
      // What he sees above some floor, made anew.
      const std::uint64_t floor = *rc::gen::inRange<std::uint64_t>(0, newest + 1);
      model = {{}, floor, false};
      std::vector<core::MomentId> ids;
      const std::uint64_t first = floor + *rc::gen::inRange<std::uint64_t>(1, 4);
      for (std::uint64_t id = first; id <= newest && ids.size() < length_max; id += 2) {
        ids.emplace_back(id);
        model.ids.insert(id);
      }
      if (floor > 0 && !ids.empty()) model.floor = first - 1;
      RC_ASSERT(timelines.warm_up(viewer, ids, core::MomentId(floor)));
    } else {
      const std::uint64_t id = next_id(newest);
      RC_ASSERT(take_in(timelines, viewer, id) == model.insert(id, length_max));
    }
    compare(timelines, viewer, model);
  }
  for (std::uint32_t number = 0; number < kViewers; ++number) {
    compare(timelines, static_cast<PersonIndex>(number), models[number]);
  }
}

// Whatever is put in, read or emptied, the arrays take what they may at most; what is there is the
// newest of what was let in since its viewer was cold, and nothing is lost but by becoming cold.
RC_GTEST_PROP(ViewerTimelines, KeepTheirBoundAndLoseWholeArraysAlone, ()) {
  constexpr std::uint32_t kViewers = 40;
  const auto length_max = *rc::gen::inRange<std::size_t>(1, 40);
  const std::size_t bytes_max =
      ViewerTimelines::room_for(length_max, *rc::gen::inRange<std::size_t>(1, 8));
  ViewerTimelines timelines(length_max, bytes_max);
  timelines.resize(kViewers);
  std::array<Model, kViewers> models;
  std::uint64_t newest = 0;
  const int steps = *rc::gen::inRange(0, 500);
  for (int step = 0; step < steps; ++step) {
    const auto number = *rc::gen::inRange<std::uint32_t>(0, kViewers);
    const auto viewer = static_cast<PersonIndex>(number);
    const auto what = *rc::gen::inRange(0, 20);
    if (what == 0) {
      for (const PersonIndex cold : timelines.make_room(*rc::gen::inRange<std::size_t>(1, 4))) {
        Model& model = models[static_cast<std::uint32_t>(cold)];
        RC_ASSERT(!model.cold && !model.ids.empty());
        model = {{}, 0, true};
      }
      RC_ASSERT(timelines.has_room());
    } else if (what == 1) {
      const bool room = timelines.has_room();
      const bool warm = timelines.warm_up(viewer, {core::MomentId(newest + 1)}, core::MomentId(0));
      RC_ASSERT(warm || !room);
      models[number] = {{}, 0, !warm};
      if (warm) models[number].ids.insert(++newest);
    } else if (what == 2) {
      timelines.note_read(viewer);
    } else {
      const bool room = timelines.has_room();
      const std::uint64_t id = next_id(newest);
      const bool was_cold = models[number].cold;
      const bool let_in = take_in(timelines, viewer, id);
      if (timelines.is_cold(viewer) && !was_cold) {
        RC_ASSERT(!room);
        models[number] = {{}, 0, true};
      }
      RC_ASSERT(let_in == models[number].insert(id, length_max));
    }
    RC_ASSERT(timelines.array_bytes() <= bytes_max);
    compare(timelines, viewer, models[number]);
  }
  for (std::uint32_t number = 0; number < kViewers; ++number) {
    compare(timelines, static_cast<PersonIndex>(number), models[number]);
  }
}

TEST(ViewerTimelines, ReplaceTheOldestOfAFullOneByANewerAlone) {
  constexpr PersonIndex kViewer{1};
  ViewerTimelines timelines(3, kPlenty);
  timelines.resize(2);
  const auto replaces = [&](std::uint64_t id) {
    return timelines.full().replace_oldest(kViewer, core::MomentId(id));
  };
  for (std::uint64_t id = 1; id <= 4; ++id) {
    EXPECT_FALSE(replaces(id)) << "it has dropped nothing yet";
    timelines.insert(kViewer, core::MomentId(id));
  }
  EXPECT_FALSE(replaces(4));
  EXPECT_FALSE(replaces(1));
  EXPECT_TRUE(replaces(7));
  EXPECT_EQ(contents(timelines, kViewer), (std::vector<std::uint64_t>{3, 4, 7}));
  EXPECT_EQ(timelines.of(kViewer).floor().value(), 2U);
  timelines.cool_down(kViewer);
  EXPECT_FALSE(replaces(8));
}

TEST(ViewerTimelines, AreDoubtedUntilTheyAreEmptiedOrMadeAnew) {
  constexpr std::size_t kLength = 20;
  constexpr PersonIndex kViewer{0};
  ViewerTimelines timelines(kLength, kPlenty);
  timelines.resize(2);
  std::uint64_t id = 0;
  const auto take_in = [&] { return timelines.insert(kViewer, core::MomentId(id += 2)); };
  EXPECT_TRUE(take_in());
  EXPECT_FALSE(timelines.is_stale(kViewer));
  timelines.mark_stale(kViewer);
  // Through every size, late ones among them, and when it is full.
  while (id < 4 * kLength) {
    EXPECT_TRUE(take_in());
    if (id % 16 == 0) {
      EXPECT_TRUE(timelines.insert(kViewer, core::MomentId(id - 1)));
    }
    EXPECT_TRUE(timelines.is_stale(kViewer)) << id;
  }
  EXPECT_TRUE(timelines.full().replace_oldest(kViewer, core::MomentId(++id)));
  EXPECT_TRUE(timelines.is_stale(kViewer));
  EXPECT_FALSE(timelines.is_stale(PersonIndex{1}));

  EXPECT_TRUE(timelines.warm_up(kViewer, {core::MomentId(id)}, core::MomentId(1)));
  EXPECT_FALSE(timelines.is_stale(kViewer));
  timelines.mark_stale(kViewer);
  timelines.cool_down(kViewer);
  EXPECT_FALSE(timelines.is_stale(kViewer));
}

TEST(ViewerTimelines, UseAgainWhatWasGivenBack) {
  ViewerTimelines timelines(1000, ViewerTimelines::room_for(1000, 100));
  timelines.resize(6400);
  const auto fill = [&](std::uint32_t viewers, std::uint64_t ids) {
    for (std::uint32_t viewer = 0; viewer < viewers; ++viewer) {
      timelines.warm_up(static_cast<PersonIndex>(viewer), {}, core::MomentId(0));
      for (std::uint64_t id = 1; id <= ids; ++id) {
        ASSERT_TRUE(timelines.insert(static_cast<PersonIndex>(viewer), core::MomentId(id)));
      }
    }
  };
  // Of one size, then of another: no memory is good for one alone.
  for (const auto& [viewers, ids] :
       {std::pair(90U, 1000U), std::pair(6400U, 8U), std::pair(90U, 1000U)}) {
    fill(viewers, ids);
    EXPECT_LE(timelines.array_bytes(), ViewerTimelines::room_for(1000, 100));
    for (std::uint32_t viewer = 0; viewer < viewers; ++viewer) {
      timelines.cool_down(static_cast<PersonIndex>(viewer));
    }
  }
}

TEST(ViewerTimelines, MakeRoomOfThoseWhoHaveNotReadForLongest) {
  constexpr std::uint32_t kArrays = 8;
  constexpr std::uint32_t kViewers = 100;
  ViewerTimelines timelines(8, ViewerTimelines::room_for(8, kArrays));
  timelines.resize(kViewers);
  const auto reader = static_cast<PersonIndex>(3);
  for (std::uint32_t number = 0; number < kViewers; ++number) {
    if (!timelines.has_room()) {
      EXPECT_EQ(timelines.make_room(1).size(), 1U);
    }
    EXPECT_TRUE(timelines.insert(static_cast<PersonIndex>(number), core::MomentId(number + 1)));
    if (!timelines.is_cold(reader)) timelines.note_read(reader);
  }
  std::uint32_t warm = 0;
  for (std::uint32_t number = 0; number < kViewers; ++number) {
    warm += timelines.is_cold(static_cast<PersonIndex>(number)) ? 0U : 1U;
  }
  EXPECT_EQ(warm, kArrays);
  EXPECT_FALSE(timelines.is_cold(reader)) << "he reads";
}

TEST(ViewerTimelines, MakeRoomOfReadersWhereThereIsNobodyElse) {
  ViewerTimelines timelines(8, ViewerTimelines::room_for(8, 40));
  timelines.resize(40);
  for (std::uint32_t number = 0; number < 40; ++number) {
    timelines.insert(static_cast<PersonIndex>(number), core::MomentId(1));
    timelines.note_read(static_cast<PersonIndex>(number));
  }
  EXPECT_FALSE(timelines.has_room());
  EXPECT_EQ(timelines.make_room(1000).size(), 40U) << "as many as there can be";
}

TEST(ViewerTimelines, HoldTheLongestThatTheyMay) {
  ViewerTimelines timelines(ViewerTimelines::kLengthMax, kPlenty);
  timelines.resize(1);
  const auto viewer = static_cast<PersonIndex>(0);
  for (std::uint64_t id = 1; id <= 3 * ViewerTimelines::kLengthMax; ++id) {
    ASSERT_TRUE(timelines.insert(viewer, core::MomentId(id)));
  }
  const ViewerTimeline timeline = timelines.of(viewer);
  EXPECT_EQ(timeline.size(), ViewerTimelines::kLengthMax);
  EXPECT_EQ(timeline.floor().value(), 2 * ViewerTimelines::kLengthMax);
  EXPECT_EQ(timeline[0].value(), 2 * ViewerTimelines::kLengthMax + 1);
}

}  // namespace
}  // namespace tideline::feed
