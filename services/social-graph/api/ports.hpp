// What the routes of social-graph are given. All references outlive the router.
#pragma once

#include <cstdint>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "crypto/account_ids.hpp"
#include "crypto/subject_cipher.hpp"
#include "eventsourcing/topics/applied_positions.hpp"
#include "http/routing/command_endpoint.hpp"
#include "people/people_directory.hpp"
#include "social-graph/api/group_commands.hpp"
#include "sql/transaction.hpp"

namespace tideline::social_graph {

struct ApiPorts {
  const http::CommandEndpoint& commands;
  sql::Database& database;
  const core::Clock& clock;
  core::Random& random;
  const crypto::AccountIds& account_ids;
  crypto::SubjectCipher& cipher;
  const people::PeopleDirectory& people;
  // What queries wait on: the directory of people, and the tables of GraphProjection.
  eventsourcing::AppliedPositions& people_applied;
  eventsourcing::AppliedPositions& graph_applied;
  // See Settings.
  std::int64_t contact_limit;
  GroupLimits group_limits;
  core::Timestamp::duration declined_for;  // of contact requests
};

}  // namespace tideline::social_graph
