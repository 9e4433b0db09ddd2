// Images as requests name them, by the hash under which the caller has uploaded them, and as
// answers describe them.
//
// Thread-safe; nothing here blocks.
#pragma once

#include <string>
#include <vector>

#include "eventsourcing/commands/decider.hpp"
#include "http/messages/json.hpp"
#include "uploads/content_store.hpp"
#include "uploads/image_store.hpp"
#include "uploads/upload_http.hpp"

namespace tideline::feed {

inline const eventsourcing::Rejection kNoSuchImage{
    eventsourcing::RejectionKind::Invalid, "no-such-image", "upload an image before you name it"};

inline std::vector<std::string> read_images(http::FieldReader& fields, std::size_t max) {
  constexpr std::size_t kHashLength = 64;
  auto images = fields.optional_text_array("images", max, {kHashLength, kHashLength});
  for (const std::string& image : images) {
    if (!uploads::is_content_hash(image)) {
      fields.violate("images", "holds something that is no content hash");
    }
  }
  return images;
}

// Of each of the owner's images how it looks, null where that is not known.
inline http::Json image_previews(const uploads::ImageStore::Previews& previews,
                                 const core::AccountId& owner,
                                 const std::vector<std::string>& hashes) {
  http::Json all = http::Json::array();
  for (const std::string& hash : hashes) {
    const auto found = previews.find({owner, hash});
    all.push_back(found == previews.end() ? http::Json(nullptr)
                                          : uploads::preview_json(found->second));
  }
  return all;
}

}  // namespace tideline::feed
