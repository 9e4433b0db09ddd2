#include "campus.hpp"

namespace tideline::chaos {
namespace {

constexpr std::size_t kNoticesMax = 200;

}  // namespace

void Notices::put_up(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (ids_.size() < kNoticesMax) {
    ids_.push_back(id);
  } else {
    ids_[next_++ % kNoticesMax] = id;
  }
}

std::optional<std::string> Notices::draw(std::mt19937_64& random) const {
  const std::lock_guard lock(mutex_);
  if (ids_.empty()) return std::nullopt;
  return any_of(ids_, random);
}

}  // namespace tideline::chaos
