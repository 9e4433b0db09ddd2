// What scoring understands of the events of all services: the fields that it uses, whatever else
// the data holds. Pure functions; they throw PoisonEvent for data that breaks its contract.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/event.hpp"
#include "eventsourcing/projection.hpp"
#include "scoring/domain/adjustment.hpp"
#include "scoring/domain/rating.hpp"
#include "scoring/domain/rule_changes.hpp"

namespace tideline::scoring {

namespace read {

struct AccountRegistered {
  core::AccountId account;
  friend bool operator==(const AccountRegistered&, const AccountRegistered&) = default;
};
struct AccountClosed {
  core::AccountId account;
  friend bool operator==(const AccountClosed&, const AccountClosed&) = default;
};
struct SignedIn {
  core::AccountId account;
  friend bool operator==(const SignedIn&, const SignedIn&) = default;
};
struct ProfileViewed {
  core::AccountId owner;
  friend bool operator==(const ProfileViewed&, const ProfileViewed&) = default;
};
struct ContactAccepted {
  core::AccountId from;
  core::AccountId to;
  bool first = false;
  friend bool operator==(const ContactAccepted&, const ContactAccepted&) = default;
};
struct Followed {
  core::AccountId follower;
  core::AccountId followee;
  bool first = false;
  friend bool operator==(const Followed&, const Followed&) = default;
};
struct ProjectCreated {
  std::string project_id;
  core::AccountId author;
  friend bool operator==(const ProjectCreated&, const ProjectCreated&) = default;
};
struct ProjectEdited {
  std::string project_id;
  core::AccountId author;
  friend bool operator==(const ProjectEdited&, const ProjectEdited&) = default;
};
struct CommentAdded {
  std::string project_id;
  core::AccountId author;
  friend bool operator==(const CommentAdded&, const CommentAdded&) = default;
};
struct AdviceAdopted {
  std::string project_id;
  core::AccountId adviser;
  friend bool operator==(const AdviceAdopted&, const AdviceAdopted&) = default;
};
struct VoteCast {
  std::string project_id;
  core::AccountId project_author;
  core::AccountId voter;
  bool first = false;
  friend bool operator==(const VoteCast&, const VoteCast&) = default;
};

}  // namespace read

using Fact =
    std::variant<read::AccountRegistered, read::AccountClosed, read::SignedIn, read::ProfileViewed,
                 read::ContactAccepted, read::Followed, read::ProjectCreated, read::ProjectEdited,
                 read::CommentAdded, read::AdviceAdopted, read::VoteCast, PointsAdjusted, Rated,
                 RulesChanged, RuleDaysSettled>;

// nullopt: an event that scoring has no use for.
std::optional<Fact> read_fact(const eventsourcing::RecordedEvent& recorded);

}  // namespace tideline::scoring
