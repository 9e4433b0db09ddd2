#include "projects/api/answers.hpp"

#include "blocks/blocks.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "projects/domain/rejections.hpp"
#include "projects/stored_events.hpp"
#include "projects/stream_keys.hpp"
#include "uploads/upload_http.hpp"

namespace tideline::projects {

http::Problem no_such_project() {
  return http::problem(404, kNoSuchProject.code, "Not Found", kNoSuchProject.detail);
}

std::string project_in_path(const http::Request& request) {
  const std::string_view id = request.param("project_id");
  if (!core::is_time_ordered_id(id)) http::refuse(no_such_project());
  return std::string(id);
}

void put_icon(http::Json& json, const ApiPorts& ports, const std::string& project_id,
              const std::optional<std::string>& icon,
              const std::optional<uploads::ImagePreview>& preview, const core::AccountId& reader) {
  const std::string path = icon ? "/v1/projects/" + project_id + "/icon/" + *icon : "";
  json["icon"] = icon ? http::Json(path) : http::Json(nullptr);
  json["icon_link"] = icon ? http::Json(ports.links.to(path, reader)) : http::Json(nullptr);
  json["icon_preview"] = icon ? uploads::preview_json(preview) : http::Json(nullptr);
}

Project::State project_for(const ApiPorts& ports, eventsourcing::CommandSession& session,
                           const std::string& project_id, const core::AccountId& caller) {
  auto project = session.load<Project>(keys::project(project_id),
                                       eventsourcing::EventCodec<Project>(ports.cipher));
  const bool hidden = project.state.withdrawn && project.state.author != caller;
  if (!project.state.exists || hidden) throw eventsourcing::Rejected(kNoSuchProject);
  session.assert_unchanged(project);
  return std::move(project.state);
}

namespace {

void hide_across_block(const ApiPorts& ports, const core::AccountId& author,
                       const core::AccountId& caller) {
  if (author == caller) return;
  const bool apart =
      core::value_of(ports.database.read_each_alone([&](sql::Transaction& transaction) {
        return blocks::are_apart(transaction, author, caller);
      }));
  if (apart) throw eventsourcing::Rejected(kNoSuchProject);
}

}  // namespace

core::AccountId author_of(const ApiPorts& ports, eventsourcing::CommandSession& session,
                          const std::string& project_id, const core::AccountId& caller) {
  const auto author = project_for(ports, session, project_id, caller).author;
  hide_across_block(ports, author, caller);
  return author;
}

core::AccountId author_of_shown(const ApiPorts& ports, eventsourcing::CommandSession& session,
                                const std::string& project_id, const core::AccountId& caller) {
  const auto author = author_beyond_block(ports, session, project_id, caller);
  hide_across_block(ports, author, caller);
  return author;
}

core::AccountId author_beyond_block(const ApiPorts& ports, eventsourcing::CommandSession& session,
                                    const std::string& project_id, const core::AccountId& caller) {
  const auto project = project_for(ports, session, project_id, caller);
  if (project.withdrawn) throw eventsourcing::Rejected(kWithdrawn);
  return project.author;
}

void hide_from_strangers(const ApiPorts& ports, eventsourcing::CommandSession& session,
                         const std::string& project_id, const core::AccountId& caller,
                         const std::function<void()>& step) {
  try {
    step();
  } catch (const eventsourcing::Rejected& rejected) {
    const bool forbidden = rejected.rejection().kind == eventsourcing::RejectionKind::Forbidden;
    if (forbidden) author_of(ports, session, project_id, caller);
    throw;
  }
}

ProjectRow visible_project(sql::Transaction& transaction, const std::string& project_id,
                           const core::AccountId& viewer) {
  auto project = find_project(transaction, project_id);
  const bool hidden =
      !project || (project->author != viewer &&
                   (project->withdrawn || blocks::are_apart(transaction, project->author, viewer)));
  if (hidden) http::refuse(no_such_project());
  return *std::move(project);
}

http::Json person_json(const ApiPorts& ports, const core::AccountId& account) {
  // Names are decoration here: a directory that cannot be read must not fail a command.
  const auto found = ports.database.read_each_alone(
      [&](sql::Transaction& transaction) { return ports.people.find(transaction, account); });
  return people::person_json(found && *found ? **found : people::Person{});
}

}  // namespace tideline::projects
