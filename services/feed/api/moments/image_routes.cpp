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

constexpr uploads::ImageLimits kImageLimits{1024 * 1024, 8192};

// No event and no command: until a moment names it, nobody but the sweep knows of it.
Response handle_upload(const ApiPorts& ports, const Request& request) {
  const auto image = uploads::read_image(request, kImageLimits);
  const auto stored = core::value_of(ports.uploads.put(request.account(), image.content));
  if (!stored) return http::to_response(uploads::kSpaceUsedUp);
  return Response::json(201, {{"hash", uploads::hash_of(image.content.bytes)},
                              {"media_type", image.content.media_type},
                              {"width", image.header.width},
                              {"height", image.header.height}});
}

// Whoever may see the moment may see its images, and nobody else; whether he has seen one before
// makes no difference.
Response handle_image(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  const std::string hash(request.param("hash"));
  return answer_private(ports, request, ports.engine_applied, [&] {
    const auto moment = ports.reader.find_visible(*id, request.account());
    if (!moment) return to_response(http::not_found());
    const auto author = author_of_image(ports, request, *moment, hash);
    if (!author) return to_response(http::not_found());
    return uploads::answer_content(ports.uploads, *author, hash, uploads::Caching::AskEachTime,
                                   http::not_found());
  });
}

}  // namespace

void add_image_routes(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Post, "/v1/images", http::Access::SignedIn,
             [ports](const Request& request) { return handle_upload(ports, request); });
  router.add(http::Method::Get, "/v1/moments/{id}/images/{hash}", http::Access::SignedIn,
             [ports](const Request& request) { return handle_image(ports, request); });
}

}  // namespace tideline::feed
