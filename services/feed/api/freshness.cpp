#include "feed/api/freshness.hpp"

#include "core/clock.hpp"

namespace tideline::feed {

// nullopt: nobody knows.
std::optional<std::chrono::milliseconds> Freshness::behind() const {
  if (ports_.is_rebuilding()) return std::nullopt;
  const auto status = ports_.status();
  return status.caught_up_once ? status.behind : std::nullopt;
}

std::optional<std::chrono::nanoseconds> Freshness::fresh_until() const {
  // Before the questions: whatever takes long is on the safe side.
  const auto now = core::time_since_boot();
  const auto behind = this->behind();
  const bool refuses = !behind || *behind > allowance_;
  // Every read comes here: nothing is written while nothing changes.
  if (refuses_ != refuses && refuses_.exchange(refuses) != refuses && ports_.log) {
    const std::string state =
        behind ? std::to_string(behind->count()) + " ms old" : "not there yet";
    const std::string problem = ports_.status().last_problem;
    ports_.log(refuses ? "warning" : "info",
               !refuses ? "private reads are answered"
                        : "private reads are refused: what they show is " + state +
                              (problem.empty() ? "" : "; " + problem));
  }
  if (refuses) return std::nullopt;
  return now + (allowance_ - *behind);
}

}  // namespace tideline::feed
