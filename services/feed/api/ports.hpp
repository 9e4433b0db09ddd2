// What the routes of feed are given. All references outlive the router.
#pragma once

#include <cstdint>

#include "core/clock.hpp"
#include "core/time_ordered_id.hpp"
#include "crypto/account_ids.hpp"
#include "crypto/subject_cipher.hpp"
#include "eventsourcing/topics/applied_positions.hpp"
#include "feed/api/freshness.hpp"
#include "feed/api/notifications/notification_streams.hpp"
#include "feed/api/timelines/timeline_streams.hpp"
#include "feed/contents/moment_contents.hpp"
#include "feed/projections/engine/feed_reader.hpp"
#include "feed/shards/shard_router.hpp"
#include "http/routing/command_endpoint.hpp"
#include "http/routing/signed_links.hpp"
#include "images/renditions.hpp"
#include "people/people_directory.hpp"
#include "push/push_target.hpp"
#include "push/vapid.hpp"
#include "sql/transaction.hpp"
#include "uploads/content_store.hpp"
#include "uploads/image_store.hpp"

namespace tideline::feed {

struct ApiPorts {
  const http::CommandEndpoint& commands;
  sql::Database& database;
  core::MomentIdSource& moment_ids;
  const crypto::AccountIds& account_ids;
  crypto::SubjectCipher& cipher;
  const people::PeopleDirectory& people;
  uploads::ContentStore& uploads;
  uploads::ImageStore& images;
  images::RenditionMaker& renditions;
  const http::SignedLinks& links;
  const FeedReader& reader;
  // What was read lately of what the engine lets out.
  MomentContents& contents;
  // Whether the engine's answers are of these seconds.
  Freshness& freshness;
  // At which instance a timeline is.
  const ShardRouter& shard_router;
  TimelineStreams& streams;
  NotificationStreams& notification_streams;
  // Who sends messages to browsers, and whom they may be sent to; nullptr: none are sent.
  const push::Vapid* vapid;
  push::Reach push_reach;
  // What queries wait on: the engine, the tables of FeedProjection, of SearchProjection and of
  // NotificationProjection, the directory of people.
  eventsourcing::AppliedPositions& engine_applied;
  eventsourcing::AppliedPositions& tables_applied;
  eventsourcing::AppliedPositions& search_applied;
  eventsourcing::AppliedPositions& notifications_applied;
  eventsourcing::AppliedPositions& people_applied;
  // Logs of each service: a token's further ones are none of ours.
  std::uint32_t logs;
  const core::Clock& clock;
};

}  // namespace tideline::feed
