// What the routes of this service have in common: how they name projects and people, and how they
// answer from the tables.
//
// Thread-safe; answer_from_tables blocks on the position token and the database.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "eventsourcing/commands/command_step.hpp"
#include "http/messages/cursor.hpp"
#include "http/messages/json.hpp"
#include "http/messages/problem.hpp"
#include "people/person_json.hpp"
#include "projects/api/ports.hpp"
#include "projects/domain/project.hpp"
#include "projects/projections/project_queries.hpp"

namespace tideline::projects {

http::Problem no_such_project();

// From "{project_id}"; 404 for what no project can be called.
std::string project_in_path(const http::Request& request);

// Sets where the project's icon is read with a token, "icon", and by a link of `reader`'s,
// "icon_link", and how it looks until then, "icon_preview"; all null without one.
void put_icon(http::Json& json, const ApiPorts& ports, const std::string& project_id,
              const std::optional<std::string>& icon,
              const std::optional<uploads::ImagePreview>& preview, const core::AccountId& reader);

// The project, for a command of `caller`, which then depends on it: one that meets a withdrawal is
// decided again. While it is withdrawn it is no project at all, but to its author.
Project::State project_for(const ApiPorts& ports, eventsourcing::CommandSession& session,
                           const std::string& project_id, const core::AccountId& caller);
// Its author. To `caller` it is no project across a block, either.
core::AccountId author_of(const ApiPorts& ports, eventsourcing::CommandSession& session,
                          const std::string& project_id, const core::AccountId& caller);
// The same for what nobody does to a withdrawn project, its author neither.
core::AccountId author_of_shown(const ApiPorts& ports, eventsourcing::CommandSession& session,
                                const std::string& project_id, const core::AccountId& caller);
// For taking back what `caller` has given, which a block does not prevent.
core::AccountId author_beyond_block(const ApiPorts& ports, eventsourcing::CommandSession& session,
                                    const std::string& project_id, const core::AccountId& caller);

// Runs a step of a command that the author alone may take: to who may not see the project it is not
// refused, there is no project.
void hide_from_strangers(const ApiPorts& ports, eventsourcing::CommandSession& session,
                         const std::string& project_id, const core::AccountId& caller,
                         const std::function<void()>& step);

// The project for a query of `viewer`: refused as no project at all across a block, and while it is
// withdrawn, but to its author.
ProjectRow visible_project(sql::Transaction& transaction, const std::string& project_id,
                           const core::AccountId& viewer);

// The person who asks, from his own row.
http::Json person_json(const ApiPorts& ports, const core::AccountId& account);

// What a query found, or why there is nothing to show. Runs inside the snapshot.
template <class Found>
using Query = std::function<Found(sql::Transaction&)>;

// Waits for the request's token, runs `query` in one snapshot, and answers with what `respond`
// makes of it after the snapshot is closed. Nothing here is private, so an answer may be stale.
template <class Found>
http::Response answer_from_tables(const ApiPorts& ports, const http::Request& request,
                                  const Query<Found>& query,
                                  const std::function<http::Response(Found)>& respond) {
  return http::answer_query(
      request, {ports.people_applied, ports.blocks_applied, ports.projects_applied},
      http::WhenBehind::Stale,
      [&]() -> http::Response { return respond(core::value_of(ports.database.read(query))); });
}

}  // namespace tideline::projects
