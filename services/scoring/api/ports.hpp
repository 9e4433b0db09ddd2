// What the routes of scoring are given. All references outlive the router.
#pragma once

#include <cstdint>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "crypto/account_ids.hpp"
#include "crypto/subject_cipher.hpp"
#include "eventsourcing/topics/applied_positions.hpp"
#include "http/routing/command_endpoint.hpp"
#include "people/people_directory.hpp"
#include "scoring/projections/engine/score_engine.hpp"
#include "sql/transaction.hpp"

namespace tideline::scoring {

struct ApiPorts {
  const http::CommandEndpoint& commands;
  sql::Database& database;
  const core::Clock& clock;
  core::Random& random;
  const core::CampusCalendar& campus;
  const crypto::AccountIds& account_ids;
  crypto::SubjectCipher& cipher;
  const people::PeopleDirectory& people;
  const ScoreEngine& scores;
  // What queries wait on: the directory of people, blocks, the engine's memory and its tables,
  // ratings.
  eventsourcing::AppliedPositions& people_applied;
  eventsourcing::AppliedPositions& blocks_applied;
  eventsourcing::AppliedPositions& scores_in_memory;
  eventsourcing::AppliedPositions& scores_committed;
  eventsourcing::AppliedPositions& ratings_applied;
  // See Settings.
  std::int64_t rank_exact_max;
  SnapshotFolder snapshots;  // where statistics are found
};

}  // namespace tideline::scoring
