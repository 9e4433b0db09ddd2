// What a random history is read off, so that a shrunk tape is a smaller history.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tideline::feed::testing {

// Numbers one by one; zeros at the end.
class Tape {
 public:
  explicit Tape(std::vector<std::uint32_t> numbers) : numbers_(std::move(numbers)) {}
  bool done() const { return next_ >= numbers_.size(); }
  std::uint32_t below(std::uint32_t bound) { return done() ? 0 : numbers_[next_++] % bound; }

 private:
  std::vector<std::uint32_t> numbers_;
  std::size_t next_ = 0;
};

}  // namespace tideline::feed::testing
