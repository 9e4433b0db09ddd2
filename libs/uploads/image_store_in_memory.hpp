// An ImageStore for tests of routes.
//
// Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "uploads/image_store.hpp"

namespace tideline::uploads {

class InMemoryImageStore final : public ImageStore {
 public:
  // Keeps the large size there, which must outlive this.
  explicit InMemoryImageStore(ContentStore& contents) : contents_(contents) {}

  core::Result<bool> put(const core::AccountId& owner, const images::Renditions& made) override {
    const Content large = large_content(made);
    auto stored = contents_.put(owner, large);
    if (stored && *stored) made_[{owner, hash_of(large.bytes)}] = made;
    return stored;
  }

  core::Result<std::optional<Content>> find(const core::AccountId& owner, const std::string& hash,
                                            ImageSize size) override {
    auto large = contents_.find(owner, hash);
    const auto made = made_.find({owner, hash});
    if (!large || !*large || made == made_.end() || size == ImageSize::Large) return large;
    const auto& smaller =
        size == ImageSize::Small && made->second.small ? made->second.small : made->second.medium;
    if (smaller) (*large)->bytes = *smaller;
    return large;
  }

  core::Result<Previews> previews(std::span<const ImageName> names) override {
    Previews found;
    for (const ImageName& name : names) {
      const auto made = made_.find(name);
      if (made == made_.end()) continue;
      found[name] = {made->second.width, made->second.height, made->second.blurhash};
    }
    return found;
  }

 private:
  ContentStore& contents_;
  std::map<ImageName, images::Renditions> made_;
};

}  // namespace tideline::uploads
