// A batch of appends cut into what concerns each of several databases, and the name under which
// their prepared transactions tell which event decides about them. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/connections/log_databases.hpp"
#include "postgres/store/append_batch.hpp"

namespace tideline::postgres {

struct PartScope {
  BatchScope scope;
  std::vector<std::size_t> keys;  // where scope.keys[i] stands in the whole scope
};

// By the number of the database; those without a part are left out.
std::map<std::size_t, PartScope> parts_of(const BatchScope& scope, const LogDatabases& databases);
void join(LockedState& whole, LockedState part, const PartScope& of);
// One part for each database of `scope`, also where the plan writes nothing. Without outcomes.
std::map<std::size_t, BatchPlan> parts_of(const BatchPlan& plan,
                                          const std::map<std::size_t, PartScope>& scope,
                                          const LogDatabases& databases);

// The numbers of the databases that an append touches.
std::vector<std::size_t> databases_of(const eventsourcing::Append& append,
                                      const LogDatabases& databases);

// The event by whose presence the transactions prepared for its append are committed, by whose
// absence they are rolled back.
struct DecidingEvent {
  std::string service;
  core::LogIndex log;
  core::LogPosition position;
  std::string event_id;
  friend bool operator==(const DecidingEvent&, const DecidingEvent&) = default;
};

// "tideline:feed:3:1017:<uuid>", below PostgreSQL's 200 bytes for any name of a service.
std::string to_gid(const DecidingEvent& event);
std::optional<DecidingEvent> from_gid(std::string_view gid);
// What all gids of a service begin with, and no gid of another.
std::string gid_prefix(std::string_view service);

}  // namespace tideline::postgres
