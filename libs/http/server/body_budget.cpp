#include "http/server/body_budget.hpp"

#include <chrono>

namespace tideline::http {
namespace {

// A large body takes seconds to arrive.
constexpr std::chrono::seconds kBodiesRetryAfter{5};

}  // namespace

BodyBudget::Permit& BodyBudget::Permit::operator=(Permit&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  budget_ = std::exchange(other.budget_, nullptr);
  holder_ = std::move(other.holder_);
  bytes_ = other.bytes_;
  return *this;
}

void BodyBudget::Permit::give_back() {
  BodyBudget* budget = std::exchange(budget_, nullptr);
  if (budget == nullptr) return;
  budget->shares_.give_back(holder_);
  const std::lock_guard lock(budget->mutex_);
  budget->taken_ -= bytes_;
}

Parsed<BodyBudget::Permit> BodyBudget::take(const std::string& holder, std::size_t bytes) {
  if (!shares_.take(holder)) return too_many_requests(kBodiesRetryAfter);
  {
    const std::lock_guard lock(mutex_);
    if (bytes <= bytes_max_ - taken_) {
      taken_ += bytes;
      return Permit(*this, holder, bytes);
    }
  }
  shares_.give_back(holder);
  return unavailable("no more large bodies are taken now, try again", kBodiesRetryAfter);
}

std::size_t BodyBudget::taken() const {
  const std::lock_guard lock(mutex_);
  return taken_;
}

}  // namespace tideline::http
