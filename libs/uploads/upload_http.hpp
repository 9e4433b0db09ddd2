// Uploads between HTTP and the store: a request whose body is an image, and an answer that is one.
//
// Callable from any thread; answer_content() blocks on the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "eventsourcing/commands/decider.hpp"
#include "http/messages/problem.hpp"
#include "uploads/content_store.hpp"
#include "uploads/image_header.hpp"

namespace tideline::uploads {

struct ImageLimits {
  std::size_t bytes_max = 0;   // the edge's own limit of a body comes first
  std::uint32_t side_max = 0;  // pixels, of width and of height
};

struct UploadedImage {
  Content content;
  ImageHeader header;
};

// The body as an image, without its metadata. What it is, its bytes tell; a Content-Type is not
// looked at. 413 when it is too large, 415 when it is no PNG, JPEG, WebP or GIF, 422 when a side is
// too long.
UploadedImage read_image(const http::Request& request, const ImageLimits& limits);

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

}  // namespace tideline::uploads
