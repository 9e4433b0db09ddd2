// What answers say of one moment, in one block of memory: a page has twenty of them, which lie
// anywhere, and waits for each line of the cache that it needs. The first line has what is asked of
// it, and the text begins behind that.
//
// Never changes: shared by as many threads as like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/time_ordered_id.hpp"

namespace tideline::feed {

constexpr std::size_t kImageHash = 64;

// Texts are members of JSON objects, without the braces.
struct MomentTexts {
  core::AccountId author;
  std::uint32_t edits = 0;             // with the text of this edit
  std::uint32_t audience_changes = 0;  // and the audience of this change
  std::uint64_t names_as_of = 0;       // see MomentContents::name_changes()
  std::string shown;     // to everybody who may see the moment, with its author's name
  std::string images;    // their hashes, one behind the other, each of kImageHash bytes
  std::string audience;  // to its author: audience, group_ids, tag_ids
  std::vector<core::AccountId>
      user_ids;  // the first of those listed: for its author, by their names
  std::vector<core::AccountId> mentions{};  // for everybody, by their names
  std::optional<core::MomentId> repost_of{};
};

class MomentContent {
 public:
  static std::shared_ptr<const MomentContent> of(const MomentTexts& texts,
                                                 core::Timestamp good_until);

  std::uint32_t edits() const { return edits_; }
  std::uint32_t audience_changes() const { return audience_changes_; }
  core::Timestamp good_until() const { return good_until_; }
  std::uint64_t names_as_of() const { return names_as_of_; }
  const core::AccountId& author() const { return author_; }
  std::string_view shown() const { return {rest(), shown_}; }
  std::size_t images() const { return images_; }
  // The hash of one of them.
  std::string_view image(std::size_t i) const {
    return {rest() + shown_ + i * kImageHash, kImageHash};
  }
  // 0: none.
  core::MomentId repost_of() const { return repost_of_; }
  std::span<const core::AccountId> mentions() const {
    return {reinterpret_cast<const core::AccountId*>(rest() + shown_ + images_ * kImageHash),
            mentions_};
  }
  std::string_view audience() const { return {rest() + before_audience(), audience_}; }
  std::span<const core::AccountId> user_ids() const {
    return {reinterpret_cast<const core::AccountId*>(rest() + before_audience() + audience_),
            user_ids_};
  }
  // Of the block, all of them, and the first ones, with what everybody is shown.
  std::size_t bytes_shown() const { return sizeof *this + before_audience(); }
  std::size_t bytes() const {
    return bytes_shown() + audience_ + user_ids_ * sizeof(core::AccountId);
  }

 private:
  MomentContent(const MomentTexts& texts, core::Timestamp good_until);
  std::size_t before_audience() const {
    return shown_ + images_ * kImageHash + mentions_ * sizeof(core::AccountId);
  }
  // Where the texts and ids begin.
  const char* rest() const { return reinterpret_cast<const char*>(this + 1); }

  const std::uint16_t edits_;
  const std::uint16_t audience_changes_;
  const std::uint32_t shown_;     // bytes
  const std::uint32_t audience_;  // bytes
  const std::uint16_t user_ids_;  // how many
  const std::uint8_t images_;     // likewise
  const std::uint8_t mentions_;   // likewise
  const core::Timestamp good_until_;
  const std::uint64_t names_as_of_;
  const core::AccountId author_;
  const core::MomentId repost_of_;
};

}  // namespace tideline::feed
