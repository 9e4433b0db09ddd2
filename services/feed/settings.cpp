#include "feed/settings.hpp"

namespace tideline::feed {

VisibilityRules Settings::rules() const {
  VisibilityRules rules;
  rules.exclusion = disabled_rule != "exclusion";
  rules.partly_invisible = disabled_rule != "partly-invisible";
  rules.audience = disabled_rule != "audience";
  return rules;
}

Settings Settings::read(core::Config& config) {
  Settings settings;
  settings.timeline_length_max = static_cast<std::size_t>(
      config.integer("TIDELINE_FEED_TIMELINE_LENGTH",
                     static_cast<std::int64_t>(settings.timeline_length_max), 1, 100'000));
  settings.staleness_max = config.duration_ms("TIDELINE_FEED_STALENESS_MS", settings.staleness_max);
  settings.disabled_rule = config.text("TIDELINE_FEED_DISABLED_RULE", "");
  if (!settings.disabled_rule.empty() && settings.rules() == VisibilityRules()) {
    config.complain("TIDELINE_FEED_DISABLED_RULE",
                    "is none of exclusion, partly-invisible, audience");
  }
  return settings;
}

}  // namespace tideline::feed
