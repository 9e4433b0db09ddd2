// Settings of feed alone; those that all services share are in libs/runtime/settings.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "core/config.hpp"
#include "feed/domain/visibility.hpp"

namespace tideline::feed {

struct Settings {
  // TIDELINE_FEED_TIMELINE_LENGTH, 1 to 100,000: moment ids that a viewer's array in memory holds
  // at most (8 bytes each). Pages below it are merged from the authors' moments: slower, as right.
  std::size_t timeline_length_max = 512;
  // TIDELINE_FEED_STALENESS_MS: of how long ago at most what the engine shows may be, else its
  // routes answer 503. Longer keeps timelines readable through an outage, with what was visible
  // when it began.
  std::chrono::milliseconds staleness_max{5'000};
  // TIDELINE_FEED_DISABLED_RULE, empty by default: switches one visibility rule off (exclusion,
  // partly-invisible, audience). For fault injection alone: it shows people what is not for them,
  // so that a check of timelines can be seen to fail.
  std::string disabled_rule;

  VisibilityRules rules() const;

  // Mistakes go to `config`.
  static Settings read(core::Config& config);
};

}  // namespace tideline::feed
