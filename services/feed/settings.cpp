#include "feed/settings.hpp"

#include <algorithm>

#include "core/memory_limit.hpp"
#include "feed/projections/engine/viewer_timelines.hpp"
#include "feed/projections/snapshot/feed_snapshot.hpp"

namespace tideline::feed {
namespace {

constexpr std::size_t kTimelineBytesMin = std::size_t{1} << 20;
constexpr std::int64_t kContentBytesMax = std::int64_t{1} << 40;

// It goes into a header and into the gateway's map.
bool is_instance_name(const std::string& text) {
  constexpr std::size_t kCharactersMax = 63;
  return !text.empty() && text.size() <= kCharactersMax && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

void read_push(core::Config& config, Settings& settings) {
  const std::string key_file = config.text("TIDELINE_FEED_PUSH_KEY_FILE", "");
  const std::string contact = config.text("TIDELINE_FEED_PUSH_CONTACT", "");
  settings.push_ca_file = config.text("TIDELINE_FEED_PUSH_CA_FILE", "");
  const std::string reach = config.text("TIDELINE_FEED_PUSH_REACH", "public");
  if (reach == "anybody") {
    settings.push_reach = push::Reach::Anybody;
  } else if (reach != "public") {
    config.add_error("TIDELINE_FEED_PUSH_REACH", "is neither public nor anybody");
  }
  if (contact.empty()) return;
  auto vapid = push::Vapid::load(key_file, contact);
  if (vapid) {
    settings.vapid = std::move(*vapid);
  } else {
    config.add_error("TIDELINE_FEED_PUSH_KEY_FILE", vapid.error().message);
  }
}

}  // namespace

#ifdef TIDELINE_BREAKABLE
VisibilityRules Settings::rules() const {
  VisibilityRules rules;
  rules.exclusion = disabled_rule != "exclusion";
  rules.partly_invisible = disabled_rule != "partly-invisible";
  rules.audience = disabled_rule != "audience";
  return rules;
}
#else
VisibilityRules Settings::rules() const { return {}; }
#endif

Settings Settings::read(core::Config& config) {
  Settings settings;
  const std::size_t memory = core::memory_limit();
  settings.timeline_bytes_max =
      std::clamp(memory / 4, kTimelineBytesMin, settings.timeline_bytes_max);
  settings.content_bytes_max = std::min(memory / 16, settings.content_bytes_max);
  settings.timeline_length_max = static_cast<std::size_t>(config.integer(
      "TIDELINE_FEED_TIMELINE_LENGTH", static_cast<std::int64_t>(settings.timeline_length_max), 1,
      static_cast<std::int64_t>(ViewerTimelines::kLengthMax)));
  settings.timeline_bytes_max = static_cast<std::size_t>(config.integer(
      "TIDELINE_FEED_TIMELINE_BYTES", static_cast<std::int64_t>(settings.timeline_bytes_max),
      static_cast<std::int64_t>(kTimelineBytesMin), std::int64_t{1} << 38));
  settings.content_bytes_max = static_cast<std::size_t>(
      config.integer("TIDELINE_FEED_CONTENT_BYTES",
                     static_cast<std::int64_t>(settings.content_bytes_max), 0, kContentBytesMax));
  settings.staleness_max = config.duration_ms("TIDELINE_FEED_STALENESS_MS", settings.staleness_max);
  settings.instance = config.text("TIDELINE_FEED_INSTANCE", settings.instance);
  if (!is_instance_name(settings.instance)) {
    config.add_error("TIDELINE_FEED_INSTANCE", "is not 1 to 63 of a-z, 0-9 and hyphens");
  }
  const std::string listens_at = config.text("TIDELINE_HTTP_ADDRESS", "127.0.0.1") + ":" +
                                 config.text("TIDELINE_HTTP_PORT", "0");
  settings.address = config.text("TIDELINE_FEED_ADDRESS", listens_at);
  settings.lease = std::chrono::milliseconds(
      config.integer("TIDELINE_FEED_LEASE_MS", settings.lease.count(), 500, 60'000));
  settings.snapshot = snapshots::SnapshotSettings::read(config, "FEED", kSnapshotPrefix);
  read_push(config, settings);
#ifdef TIDELINE_BREAKABLE
  settings.disabled_rule = config.text("TIDELINE_FEED_DISABLED_RULE", "");
  if (!settings.disabled_rule.empty() && settings.rules() == VisibilityRules()) {
    config.add_error("TIDELINE_FEED_DISABLED_RULE",
                     "is none of exclusion, partly-invisible, audience");
  }
#endif
  return settings;
}

}  // namespace tideline::feed
