// What the routes are made of. All must outlive the router and are thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>
#include <utility>

#include "accounts/api/attempt_limiter.hpp"
#include "accounts/api/email_codes.hpp"
#include "accounts/api/profile_seal.hpp"
#include "accounts/api/profile_view_recorder.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"
#include "crypto/account_ids.hpp"
#include "crypto/password_hash.hpp"
#include "crypto/token.hpp"
#include "eventsourcing/store/event_store.hpp"
#include "eventsourcing/topics/applied_positions.hpp"
#include "http/routing/command_endpoint.hpp"
#include "http/routing/signed_links.hpp"
#include "http/routing/worker_queue.hpp"
#include "images/renditions.hpp"
#include "search/term_keys.hpp"
#include "sql/transaction.hpp"
#include "uploads/image_store.hpp"

namespace tideline::accounts {

// An attempt with a password, as metrics and the log are told. Views live for the call only.
struct ToldAttempt {
  std::string_view outcome;  // "ok", "refused", "limited", "busy", "failed"
  std::string_view account;  // id, also where nobody has registered it
  std::string_view source;
  std::string_view request_id;
};

struct ApiPorts {
  http::CommandEndpoint& commands;
  eventsourcing::EventStore& store;
  sql::Database& database;
  const core::Clock& clock;
  core::Random& random;
  const core::CampusCalendar& campus;
  const crypto::AccountIds& account_ids;
  ProfileSeal& profiles;
  crypto::PasswordHasher& hasher;
  const crypto::TokenSigner& signer;
  const crypto::TokenVerifier& verifier;
  AttemptLimiter& attempts;
  EmailCodes& emails;
  ProfileViewRecorder& views;
  uploads::ImageStore& images;
  images::RenditionMaker& renditions;
  const http::SignedLinks& links;
  // What queries wait on. Scores: as far as scoring has counted, whoever's they are.
  eventsourcing::AppliedPositions& accounts_applied;
  eventsourcing::AppliedPositions& visits_applied;
  eventsourcing::AppliedPositions& projects_applied;
  eventsourcing::AppliedPositions& blocks_applied;
  eventsourcing::AppliedPositions& scores_applied;
  eventsourcing::AppliedPositions& search_applied;
  search::TermKeys person_terms;  // as the index of people has them
  SignUpPolicy sign_up{};
  bool operators_need_second_factor = true;
  std::chrono::seconds session_lifetime{30 * 24 * 3600};
  // Told of every attempt with a password. May be empty.
  std::function<void(const ToldAttempt&)> on_attempt;
  // Where handlers run that hash a password, which takes long. Null: where all others do.
  http::WorkerQueue* password_workers = nullptr;

  http::Handler hashing(http::Handler handler) const {
    return password_workers == nullptr ? handler : password_workers->around(std::move(handler));
  }
};

}  // namespace tideline::accounts
