// POST /v1/images, GET /v1/moments/{id}/images/{hash}
#include "feed/api/moments/moment_items.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "http/routing/command_endpoint.hpp"
#include "uploads/upload_http.hpp"

namespace tideline::feed {
namespace {

using http::Request;
using http::Response;

// No event and no command: until a moment names it, nobody but the sweep knows of it.
Response handle_upload(const ApiPorts& ports, const Request& request) {
  const auto image = uploads::read_image(request, ports.renditions);
  const auto stored = core::value_of(ports.images.put(request.account(), image));
  if (!stored) return http::to_response(uploads::kSpaceUsedUp);
  auto answer = uploads::preview_json(uploads::preview_of(image));
  const auto large = uploads::large_content(image);
  answer["hash"] = uploads::hash_of(large.bytes);
  answer["media_type"] = large.media_type;
  return Response::json(201, answer);
}

// Whoever may see the moment may see its images, and nobody else; whether he has seen one before
// makes no difference.
Response handle_image(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  const std::string hash(request.param("hash"));
  const auto size = uploads::read_image_size(request);
  return answer_private(ports, request, ports.engine_applied, [&] {
    const auto moment = ports.reader.find_visible(*id, request.account());
    if (!moment) return to_response(http::not_found());
    const auto author = author_of_image(ports, request, *moment, hash);
    if (!author) return to_response(http::not_found());
    return uploads::answer_image(ports.images, *author, hash, size, uploads::Caching::AskEachTime,
                                 http::not_found());
  });
}

}  // namespace

void add_image_routes(http::Router& router, const ApiPorts& ports) {
  router.add(
      http::Method::Post, "/v1/images", http::Access::SignedIn,
      [ports](const Request& request) { return handle_upload(ports, request); },
      uploads::kImageLimits);
  router.add(http::Method::Get, "/v1/moments/{id}/images/{hash}", http::Access::SignedInOrLink,
             [ports](const Request& request) { return handle_image(ports, request); });
}

}  // namespace tideline::feed
