#include "feed/contents/moment_content.hpp"

#include <algorithm>
#include <new>
#include <type_traits>

namespace tideline::feed {

static_assert(alignof(core::AccountId) == 1 && std::is_trivially_copyable_v<core::AccountId>,
              "ids lie behind the texts as they are");
static_assert(std::is_trivially_destructible_v<MomentContent>, "the block is freed as words");

namespace {

char* copy_ids(const std::vector<core::AccountId>& ids, char* end) {
  const auto bytes = std::as_bytes(std::span(ids));
  return reinterpret_cast<char*>(std::ranges::copy(bytes, reinterpret_cast<std::byte*>(end)).out);
}

}  // namespace

MomentContent::MomentContent(const MomentTexts& texts, core::Timestamp good_until)
    : edits_(static_cast<std::uint16_t>(texts.edits)),
      audience_changes_(static_cast<std::uint16_t>(texts.audience_changes)),
      shown_(static_cast<std::uint32_t>(texts.shown.size())),
      audience_(static_cast<std::uint32_t>(texts.audience.size())),
      user_ids_(static_cast<std::uint16_t>(texts.user_ids.size())),
      images_(static_cast<std::uint8_t>(texts.images.size() / kImageHash)),
      mentions_(static_cast<std::uint8_t>(texts.mentions.size())),
      good_until_(good_until),
      names_as_of_(texts.names_as_of),
      author_(texts.author),
      repost_of_(texts.repost_of.value_or(core::MomentId())) {}

std::shared_ptr<const MomentContent> MomentContent::of(const MomentTexts& texts,
                                                       core::Timestamp good_until) {
  using Word = std::uint64_t;
  static_assert(alignof(MomentContent) <= alignof(Word));
  const MomentContent head(texts, good_until);
  auto block =
      std::make_shared_for_overwrite<Word[]>((head.bytes() + sizeof(Word) - 1) / sizeof(Word));
  const auto* content = new (block.get()) MomentContent(head);
  char* end = reinterpret_cast<char*>(block.get()) + sizeof head;
  end = std::ranges::copy(texts.shown, end).out;
  end = std::ranges::copy(texts.images, end).out;
  end = copy_ids(texts.mentions, end);
  end = std::ranges::copy(texts.audience, end).out;
  copy_ids(texts.user_ids, end);
  return {std::move(block), content};
}

}  // namespace tideline::feed
