#include "feed/api/freshness.hpp"

namespace tideline::feed {

bool Freshness::is_fresh() const {
  if (ports_.is_rebuilding()) return false;
  const auto status = ports_.status();
  return status.caught_up_once && status.behind && *status.behind <= allowance_;
}

}  // namespace tideline::feed
