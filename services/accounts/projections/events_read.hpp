// Tolerant readers: of each event only the fields that this service's read models use, its own
// events and those of projects. All throw PoisonEvent for data that breaks its contract.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/event.hpp"

namespace tideline::accounts {

// Profiles stay sealed here.
struct RegistrationRead {
  core::AccountId account;
  std::string sealed_profile;
  core::Timestamp registered_at;
};
struct ProfileChangeRead {
  core::AccountId account;
  std::string sealed_profile;
};
struct ClosingRead {
  core::AccountId account;
};
using AccountEventRead = std::variant<RegistrationRead, ProfileChangeRead, ClosingRead>;

// Public events of account streams; nullopt for every other event.
std::optional<AccountEventRead> read_account_event(const eventsourcing::RecordedEvent& recorded);

struct ProjectRead {
  std::string project_id;
  core::AccountId author;
};
// ProjectCreated of projects; nullopt for every other event.
std::optional<ProjectRead> read_project_created(const eventsourcing::RecordedEvent& recorded);

}  // namespace tideline::accounts
