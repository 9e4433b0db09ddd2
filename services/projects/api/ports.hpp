// What the routes of projects are given. All references outlive the router.
#pragma once

#include "core/clock.hpp"
#include "core/random.hpp"
#include "crypto/account_ids.hpp"
#include "crypto/subject_cipher.hpp"
#include "eventsourcing/topics/applied_positions.hpp"
#include "http/routing/command_endpoint.hpp"
#include "http/routing/signed_links.hpp"
#include "images/renditions.hpp"
#include "people/people_directory.hpp"
#include "sql/transaction.hpp"
#include "uploads/content_store.hpp"
#include "uploads/image_store.hpp"
#include "uploads/large_content_store.hpp"

namespace tideline::projects {

struct ApiPorts {
  const http::CommandEndpoint& commands;
  sql::Database& database;
  const core::Clock& clock;
  core::Random& random;
  const crypto::AccountIds& account_ids;
  crypto::SubjectCipher& cipher;
  const people::PeopleDirectory& people;
  uploads::ContentStore& uploads;
  uploads::LargeContentStore& large_uploads;
  uploads::ImageStore& images;
  images::RenditionMaker& renditions;
  const http::SignedLinks& links;
  // What queries wait on: the directory of people, blocks, the tables of ProjectsProjection, and
  // for searches that of ProjectSearchProjection.
  eventsourcing::AppliedPositions& people_applied;
  eventsourcing::AppliedPositions& blocks_applied;
  eventsourcing::AppliedPositions& projects_applied;
  eventsourcing::AppliedPositions& search_applied;
};

}  // namespace tideline::projects
