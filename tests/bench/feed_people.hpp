// The people and first moments of the feed's benchmarks, the same in every process of one. Person
// number i has user_id "i", and that is his bearer token; each has written one moment, in a random
// order. Pure functions.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "core/time_ordered_id.hpp"
#include "crypto/account_ids.hpp"

namespace tideline::bench {

inline constexpr std::size_t kTextBytes = 200;
inline constexpr std::size_t kPage = 20;

inline core::AccountId account_of(std::uint32_t person) {
  static const crypto::AccountIds kIds(crypto::AccountIds::Secret{1, 2, 3});
  return kIds.of(std::to_string(person));
}

// The people in an order that has nothing to do with their numbers: who is at `place`.
class Shuffled {
 public:
  explicit Shuffled(std::uint32_t people) : people_(people) {
    while (std::gcd(step_, std::uint64_t{people_}) != 1) step_ += 2;
  }
  std::uint32_t at(std::uint64_t place) const {
    return static_cast<std::uint32_t>(place * step_ % people_);
  }
  std::uint32_t people() const { return people_; }

 private:
  std::uint32_t people_;
  std::uint64_t step_ = 2'654'435'761;
};

// Eight a millisecond, long ago.
inline core::Timestamp first_moment_time(std::uint32_t place) {
  return core::Timestamp(std::chrono::milliseconds(1'700'000'000'000 + place / 8));
}
inline core::MomentId first_moment_id(const core::AccountId& author, std::uint32_t place) {
  return core::make_moment_id(first_moment_time(place), author, place % 8);
}
inline std::string text_of(std::uint64_t number) {
  std::string text = "what was said, number " + std::to_string(number) + ' ';
  text.resize(kTextBytes, 'x');
  return text;
}
inline std::string name_of(std::uint32_t person) { return "Person " + std::to_string(person); }

// The place at which somebody is in the shuffled order, by his number.
inline std::vector<std::uint32_t> places_of(const Shuffled& order) {
  std::vector<std::uint32_t> places(order.people());
  for (std::uint32_t place = 0; place < order.people(); ++place) places[order.at(place)] = place;
  return places;
}

// By number: whether he is among the `asked` whom clients ask for, the first in the shuffled order.
inline std::vector<bool> is_asked_of(const Shuffled& order, std::uint32_t asked) {
  std::vector<bool> is_asked(order.people());
  for (std::uint32_t place = 0; place < std::min(asked, order.people()); ++place) {
    is_asked[order.at(place)] = true;
  }
  return is_asked;
}

// What every server of these benchmarks answers of one moment: of the same members and size.
struct ShownMoment {
  std::uint64_t id = 0;
  std::uint32_t author = 0;
  std::string_view text;
  std::string_view published_at;
};
inline std::string item_of(const ShownMoment& moment) {
  std::string item = R"({"content":")";
  item.append(moment.text).append(R"(","edited_at":null,"edits":0,"id":")");
  item.append(std::to_string(moment.id)).append(R"(","images":[],"published_at":")");
  item.append(moment.published_at);
  item.append(R"(","audience":null,"group_ids":[],"tag_ids":[],"user_ids":[],"author":)");
  item.append(R"({"real_name":")").append(name_of(moment.author)).append(R"(","user_id":")");
  item.append(std::to_string(moment.author));
  return item.append(R"("},"likes":0,"liked":false,"bookmarked":false,"comments":0})");
}

}  // namespace tideline::bench
