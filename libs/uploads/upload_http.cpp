#include "uploads/upload_http.hpp"

#include <string>
#include <utility>

#include "uploads/image_metadata.hpp"

namespace tideline::uploads {

UploadedImage read_image(const http::Request& request, const ImageLimits& limits) {
  if (request.body.size() > limits.bytes_max) {
    http::refuse(http::problem(413, "content-too-large", "The image is too large",
                               "it has at most " + std::to_string(limits.bytes_max) + " bytes"));
  }
  std::string bytes = without_metadata(request.body);
  const auto header = read_image_header(bytes);
  if (!header) {
    http::refuse(http::unsupported_media_type("the body is to be a PNG, JPEG, WebP or GIF image"));
  }
  if (header->width > limits.side_max || header->height > limits.side_max) {
    http::refuse(http::unprocessable(
        "image-too-large", "an image has at most " + std::to_string(limits.side_max) +
                               " pixels a side, this one has " + std::to_string(header->width) +
                               " x " + std::to_string(header->height)));
  }
  return UploadedImage{{std::string(media_type_of(header->kind)), std::move(bytes)}, *header};
}

http::Response answer_content(ContentStore& store, const core::AccountId& owner,
                              const std::string& hash, Caching caching,
                              const http::Problem& missing) {
  auto found = core::value_of(store.find(owner, hash));
  if (!found) return to_response(missing);
  Content& content = *found;
  const bool immutable = caching == Caching::Immutable;
  return http::Response::text(200, content.media_type, std::move(content.bytes))
      .header("ETag", "\"" + hash + "\"")
      .header("X-Content-Type-Options", "nosniff")
      .header("Cache-Control",
              immutable ? "private, max-age=31536000, immutable" : "private, no-cache");
}

}  // namespace tideline::uploads
