// Uploads between HTTP and the store: a request whose body is an image, and an answer that is one.
//
// Callable from any thread. read_image() computes for up to some seconds; answers block on the
// store.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "eventsourcing/commands/decider.hpp"
#include "http/messages/problem.hpp"
#include "http/routing/router.hpp"
#include "images/renditions.hpp"
#include "uploads/content_store.hpp"
#include "uploads/image_header.hpp"
#include "uploads/image_store.hpp"
#include "uploads/large_content_store.hpp"

namespace tideline::uploads {

inline constexpr std::array kImageKinds{ImageKind::Png, ImageKind::Jpeg, ImageKind::WebP,
                                        ImageKind::Gif};

// Of an upload.
constexpr std::size_t kImageBytesMax = 20 * 1024 * 1024;
// Of the routes that take one: photos are larger than bodies are elsewhere.
constexpr http::RouteLimits kImageLimits{.body_bytes_max = kImageBytesMax};

// The body as a picture, made anew. What it is, its bytes tell; a Content-Type is not looked at.
// 413 when it is too large, 415 when it is none of `kinds`, 422 "image-too-large" or
// "image-broken", 503 while too many are being made.
images::Renditions read_image(const http::Request& request, images::RenditionMaker& maker,
                              std::span<const ImageKind> kinds = kImageKinds);

// "width", "height" and "blurhash"; null without a preview.
http::Json preview_json(const std::optional<ImagePreview>& preview);
// The same of one image in the store.
http::Json preview_json(ImageStore& store, const ImageName& name);
ImagePreview preview_of(const images::Renditions& made);

// ContentStore::put() said no.
inline const eventsourcing::Rejection kSpaceUsedUp{eventsourcing::RejectionKind::Conflict,
                                                   "upload-space-used-up",
                                                   "there is no space left for your uploads"};

enum class Caching {
  // The same for anyone who asks, for ever: the hash is in the path.
  Immutable,
  // Who may see it can change: a client asks each time, and is told 304 when it may and has it.
  AskEachTime,
};

// 200 with the owner's bytes, their type, which a browser must not guess at, and their hash as the
// ETag; `missing` when the store has none of the kind. Who may read them was asked before.
http::Response answer_content(ContentStore& store, const core::AccountId& owner,
                              const std::string& hash, Caching caching,
                              const http::Problem& missing);

// The same of one that lies in pieces, which are read while it is sent. `store` must live as long
// as the server.
http::Response answer_large_content(LargeContentStore& store, const core::AccountId& owner,
                                    const std::string& hash, Caching caching,
                                    const http::Problem& missing);

// ?size=small, medium or large; large without it. 400 for any other.
ImageSize read_image_size(const http::Request& request);

// The same of a picture in a size, which its ETag names, too.
http::Response answer_image(ImageStore& store, const core::AccountId& owner,
                            const std::string& hash, ImageSize size, Caching caching,
                            const http::Problem& missing);

}  // namespace tideline::uploads
