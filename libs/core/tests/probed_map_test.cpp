#include "core/probed_map.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <random>

namespace tideline::core {
namespace {

// So few homes that entries crowd, also around the end of the array.
struct FewHomes {
  std::size_t operator()(std::uint64_t key) const { return key % 3; }
};

template <class Hash>
void expect_as_a_map(std::uint64_t keys, std::uint32_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 numbers(seed);
  ProbedMap<std::uint64_t, std::unique_ptr<std::uint64_t>, Hash> probed;
  std::map<std::uint64_t, std::uint64_t> plain;
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t key = 1 + numbers() % keys;
    if (numbers() % 5 < 3) {
      const std::uint64_t value = numbers();
      const auto [there, is_new] = probed.try_emplace(key, std::make_unique<std::uint64_t>(value));
      const auto [expected, expected_new] = plain.try_emplace(key, value);
      ASSERT_EQ(is_new, expected_new);
      ASSERT_EQ(**there, expected->second);
    } else {
      ASSERT_EQ(probed.erase(key), plain.erase(key) > 0);
    }
    ASSERT_EQ(probed.size(), plain.size());
    const std::uint64_t asked = 1 + numbers() % keys;
    const auto* const found = probed.find(asked);
    ASSERT_EQ(found != nullptr, plain.contains(asked));
    if (found != nullptr) {
      ASSERT_EQ(**found, plain.at(asked));
    }
  }
  std::map<std::uint64_t, std::uint64_t> all;
  for (std::size_t place = 0; place < probed.places(); ++place) {
    if (probed.key_at(place) != 0) all[probed.key_at(place)] = *probed.value_at(place);
  }
  EXPECT_EQ(all, plain);
}

TEST(ProbedMapTest, IsAMap) {
  const auto seed = std::random_device()();
  expect_as_a_map<std::hash<std::uint64_t>>(10, seed);
  expect_as_a_map<std::hash<std::uint64_t>>(2'000, seed);
  expect_as_a_map<FewHomes>(40, seed);
}

TEST(ProbedMapTest, HasNothingUnderTheKeyOfAnEmptyPlace) {
  ProbedMap<std::uint64_t, int> map;
  map.prefetch(0);
  EXPECT_EQ(map.find(0), nullptr);
  map.try_emplace(1, 1);
  EXPECT_EQ(map.find(0), nullptr);
  EXPECT_FALSE(map.erase(0));
  EXPECT_DEATH(map.try_emplace(0, 1), "CHECK failed");
}

TEST(ProbedMapTest, IsNotLaidOutAnewForWhatWasReserved) {
  for (const std::size_t entries : {0U, 1U, 6U, 7U, 12U, 13U, 1'000U, 3'072U}) {
    ProbedMap<std::uint64_t, int> map;
    map.reserve(entries);
    const std::size_t places = map.places();
    for (std::size_t key = 1; key <= entries; ++key) map.try_emplace(key, 1);
    EXPECT_EQ(map.places(), places) << entries;
    map.try_emplace(entries + 1, 2);
    EXPECT_NE(map.find(entries + 1), nullptr);
  }
}

}  // namespace
}  // namespace tideline::core
