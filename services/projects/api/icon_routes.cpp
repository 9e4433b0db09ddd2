#include <utility>

#include "eventsourcing/events/event_codec.hpp"
#include "projects/api/answers.hpp"
#include "projects/api/routes.hpp"
#include "projects/domain/project.hpp"
#include "projects/projections/project_queries.hpp"
#include "projects/stored_events.hpp"
#include "projects/stream_keys.hpp"
#include "uploads/upload_http.hpp"

namespace tideline::projects {
namespace {

using eventsourcing::Answer;
using eventsourcing::change;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using http::Access;
using http::Json;
using http::Method;
using http::Request;
using http::Response;
using sql::Transaction;

void change_icon(const ApiPorts& ports, CommandSession& session, const std::string& id,
                 const ChangeIcon& command) {
  hide_from_strangers(ports, session, id, command.by, [&] {
    change<Project>(session, keys::project(id), eventsourcing::EventCodec<Project>(ports.cipher),
                    command);
  });
}

// The bytes are stored once it is decided that the icon may be changed, and before the event that
// names them: storing them again changes nothing.
Response give_icon(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  const auto image = uploads::read_image(request, ports.renditions);
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::project(id);
    const std::string hash = uploads::hash_of(image.large);
    change_icon(ports, session, id, {request.account(), hash});
    const auto stored = core::value_of(ports.images.put(request.account(), image));
    if (!stored) return uploads::kSpaceUsedUp;
    Json body{{"id", id}};
    put_icon(body, ports, id, hash, uploads::preview_of(image), request.account());
    return Answer{200, body.dump(), "", stream};
  });
}

Response delete_icon(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::project(id);
    change_icon(ports, session, id, {request.account(), std::nullopt});
    return Answer{204, "", "", stream};
  });
}

http::Problem no_such_icon() { return http::not_found("the project has no such icon"); }

Response get_icon(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  const std::string hash(request.param("hash"));
  const auto size = uploads::read_image_size(request);
  return answer_from_tables<ProjectRow>(
      ports, request,
      [&](Transaction& transaction) -> ProjectRow {
        return visible_project(transaction, id, request.account());
      },
      [&](const ProjectRow& project) {
        if (project.icon != hash) return to_response(no_such_icon());
        return uploads::answer_image(ports.images, project.author, hash, size,
                                     uploads::Caching::Immutable, no_such_icon());
      });
}

}  // namespace

void add_icon_routes(http::Router& router, const ApiPorts& ports) {
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  router.add(Method::Put, "/v1/projects/{project_id}/icon", Access::SignedIn, with(give_icon),
             uploads::kImageLimits);
  router.add(Method::Delete, "/v1/projects/{project_id}/icon", Access::SignedIn, with(delete_icon));
  router.add(Method::Get, "/v1/projects/{project_id}/icon/{hash}", Access::SignedInOrLink,
             with(get_icon));
}

}  // namespace tideline::projects
