// Settings of feed alone; those that all services share are in libs/runtime/settings.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "core/config.hpp"
#include "feed/domain/visibility.hpp"
#include "push/push_target.hpp"
#include "push/vapid.hpp"
#include "snapshots/snapshot_settings.hpp"

namespace tideline::feed {

struct Settings {
  // TIDELINE_FEED_TIMELINE_LENGTH, 1 to 4,096: moment ids that a viewer's array in memory holds at
  // most (8 bytes each). Pages below it are merged from the authors' moments: slower, as right.
  std::size_t timeline_length_max = 512;
  // TIDELINE_FEED_TIMELINE_BYTES, 1 MiB to 256 GiB: what the arrays of all viewers take at most.
  // Where there is no room, those of who has not read for long are emptied; they are made again of
  // the authors' moments when their viewers read. By default 1 GiB, or a quarter of what the
  // process may take (core/memory_limit.hpp) where that is less.
  std::size_t timeline_bytes_max = std::size_t{1} << 30;
  // TIDELINE_FEED_CONTENT_BYTES, by default 256 MiB or a sixteenth of that memory: of texts and
  // names that were read lately, kept in memory so that a page asks no table; some 1,000 bytes a
  // moment. 0: every page asks the tables.
  std::size_t content_bytes_max = std::size_t{256} << 20;
  // TIDELINE_FEED_STALENESS_MS: of how long ago at most what the engine shows may be, else its
  // routes answer 503. Longer keeps timelines readable through an outage, with what was visible
  // when it began.
  std::chrono::milliseconds staleness_max{5'000};
  // TIDELINE_FEED_INSTANCE, "feed-0": the name of this process among several instances.
  // 1 to 63 lower-case letters, digits and hyphens.
  std::string instance = "feed-0";
  // TIDELINE_FEED_ADDRESS: host:port where the other instances reach this one, by default where it
  // listens (TIDELINE_HTTP_ADDRESS, TIDELINE_HTTP_PORT).
  std::string address;
  // TIDELINE_FEED_LEASE_MS, 500 to 60,000: how long the shards of an instance that has died stay
  // without one. Four fifths of it is how long the database may be away before timelines are 503.
  std::chrono::milliseconds lease{5'000};
  // TIDELINE_FEED_SNAPSHOT_FOLDER, _SNAPSHOT_INTERVAL_S and _SNAPSHOTS_KEPT
  // (snapshots/snapshot_settings.hpp): an older one means more events to apply at a start.
  snapshots::SnapshotSettings snapshot;
  // TIDELINE_FEED_PUSH_CONTACT: where operators of push services reach ours, mailto: or https:;
  // without it no messages are sent to browsers. TIDELINE_FEED_PUSH_KEY_FILE: an unencrypted
  // private key of P-256 as PEM, by which push services know who sends; another key ends all
  // subscriptions.
  std::optional<push::Vapid> vapid;
  // TIDELINE_FEED_PUSH_REACH, public or anybody: whom messages are sent to; "anybody" takes every
  // address and http, for tests. TIDELINE_FEED_PUSH_CA_FILE: who certifies push services, by
  // default whom the system believes.
  push::Reach push_reach = push::Reach::Public;
  std::string push_ca_file;
#ifdef TIDELINE_BREAKABLE
  // TIDELINE_FEED_DISABLED_RULE, empty by default: switches one visibility rule off (exclusion,
  // partly-invisible, audience). It shows people what is not for them, so that a check of timelines
  // can be seen to fail; a release does not know it.
  std::string disabled_rule;
#endif

  VisibilityRules rules() const;

  // Mistakes go to `config`.
  static Settings read(core::Config& config);
};

}  // namespace tideline::feed
