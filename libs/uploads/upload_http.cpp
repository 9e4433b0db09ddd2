#include "uploads/upload_http.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "http/messages/body_source.hpp"
#include "uploads/image_metadata.hpp"

namespace tideline::uploads {
namespace {

std::string names_of(std::span<const ImageKind> kinds) {
  std::string names;
  for (const ImageKind kind : kinds) {
    if (!names.empty()) names += ", ";
    names += media_type_of(kind);
  }
  return names;
}

// Before anything is decoded, and by other code than what decodes.
void refuse_by_header(const std::optional<ImageHeader>& header, std::span<const ImageKind> kinds) {
  if (!header || std::ranges::find(kinds, header->kind) == kinds.end()) {
    http::refuse(http::unsupported_media_type("the body is to be one of " + names_of(kinds)));
  }
  const std::uint64_t pixels = std::uint64_t{header->width} * header->height;
  if (std::max(header->width, header->height) > images::kSideMax || pixels > images::kPixelsMax) {
    http::refuse(http::unprocessable("image-too-large",
                                     "an image has at most 50 megapixels and 16384 pixels a side, "
                                     "this one has " +
                                         std::to_string(header->width) + " x " +
                                         std::to_string(header->height)));
  }
}

http::Problem problem_of(images::NoRenditions none) {
  switch (none) {
    case images::NoRenditions::TooLarge:
      return http::unprocessable("image-too-large",
                                 "an interlaced, progressive, WebP or GIF image has at most 16 "
                                 "megapixels, and a JPEG at most 64 scans");
    case images::NoRenditions::Broken:
      return http::unprocessable("image-broken", "the image is damaged or cut off");
    case images::NoRenditions::Busy:
      break;
  }
  return http::unavailable("other images are being read, try again");
}

http::Response content_response(Content content, const std::string& tag, Caching caching) {
  const bool immutable = caching == Caching::Immutable;
  return http::Response::text(200, content.media_type, std::move(content.bytes))
      .header("ETag", "\"" + tag + "\"")
      .header("X-Content-Type-Options", "nosniff")
      .header("Cache-Control",
              immutable ? "private, max-age=31536000, immutable" : "private, no-cache");
}

}  // namespace

images::Renditions read_image(const http::Request& request, images::RenditionMaker& maker,
                              std::span<const ImageKind> kinds) {
  if (request.body.size() > kImageBytesMax) {
    http::refuse(http::problem(413, "content-too-large", "The image is too large",
                               "it has at most " + std::to_string(kImageBytesMax) + " bytes"));
  }
  refuse_by_header(read_image_header(request.body), kinds);
  // The decoders never see what may stand beside the picture, but for its orientation.
  auto made = maker.make(still_without_metadata(request.body));
  if (const auto* none = std::get_if<images::NoRenditions>(&made)) {
    http::refuse(problem_of(*none));
  }
  return std::get<images::Renditions>(std::move(made));
}

ImagePreview preview_of(const images::Renditions& made) {
  return {made.width, made.height, made.blurhash};
}

http::Json preview_json(const std::optional<ImagePreview>& preview) {
  if (!preview) return nullptr;
  return {{"width", preview->width}, {"height", preview->height}, {"blurhash", preview->blurhash}};
}

http::Json preview_json(ImageStore& store, const ImageName& name) {
  const auto found = core::value_of(store.previews({&name, 1}));
  return found.empty() ? http::Json(nullptr) : preview_json(found.begin()->second);
}

http::Response answer_content(ContentStore& store, const core::AccountId& owner,
                              const std::string& hash, Caching caching,
                              const http::Problem& missing) {
  auto found = core::value_of(store.find(owner, hash));
  if (!found) return to_response(missing);
  return content_response(*std::move(found), hash, caching);
}

http::Response answer_large_content(LargeContentStore& store, const core::AccountId& owner,
                                    const std::string& hash, Caching caching,
                                    const http::Problem& missing) {
  const auto found = core::value_of(store.find(owner, hash));
  if (!found) return to_response(missing);
  auto source = std::make_shared<http::BodySource>();
  source->end = static_cast<std::uint64_t>(found->size);
  source->read = [&store, owner, hash](std::uint64_t offset) {
    return core::value_of(store.read(owner, hash, offset));
  };
  auto response = content_response({found->media_type, ""}, hash, caching);
  response.source = std::move(source);
  return response;
}

ImageSize read_image_size(const http::Request& request) {
  const auto size = request.query("size");
  if (!size || *size == "large") return ImageSize::Large;
  if (*size == "medium") return ImageSize::Medium;
  if (*size != "small") http::refuse(http::malformed("size is small, medium or large"));
  return ImageSize::Small;
}

http::Response answer_image(ImageStore& store, const core::AccountId& owner,
                            const std::string& hash, ImageSize size, Caching caching,
                            const http::Problem& missing) {
  auto found = core::value_of(store.find(owner, hash, size));
  if (!found) return to_response(missing);
  std::string tag = hash;
  if (size == ImageSize::Medium) tag += "-medium";
  if (size == ImageSize::Small) tag += "-small";
  return content_response(*std::move(found), tag, caching);
}

}  // namespace tideline::uploads
