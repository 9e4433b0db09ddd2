#include "search/topics.hpp"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>

#include "core/check.hpp"

namespace tideline::search {
namespace {

constexpr UChar32 kSign = '#';
constexpr UChar32 kWideSign = 0xFF03;
constexpr UChar32 kBroken = 0xFFFD;  // what ICU makes of bytes that are no UTF-8

bool is_sign(UChar32 letter) { return letter == kSign || letter == kWideSign; }

bool is_of_topic(UChar32 letter) {
  return letter != kBroken &&
         (letter == '_' || u_isalnum(letter) != 0 || (U_GET_GC_MASK(letter) & U_GC_M_MASK) != 0);
}

bool forbids_sign_behind(UChar32 letter) {
  const bool is_ascii = letter < 0x80;
  return (is_ascii && u_isalnum(letter) != 0) || letter == '_' || letter == '&' || letter == '/' ||
         is_sign(letter);
}

std::string key_of(const icu::UnicodeString& written) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* fold = icu::Normalizer2::getNFKCCasefoldInstance(error);
  CHECK(U_SUCCESS(error) != 0 && fold != nullptr, "ICU has its normalizers");
  std::string key;
  fold->normalize(written, error).toUTF8String(key);
  CHECK(U_SUCCESS(error) != 0, "ICU normalizes any text");
  return key;
}

// The topic in these units of the text.
std::optional<Topic> topic_at(const icu::UnicodeString& text, std::int32_t begin,
                              std::int32_t end) {
  const icu::UnicodeString written = text.tempSubStringBetween(begin, end);
  const std::int32_t length = written.countChar32();
  if (length == 0 || length > static_cast<std::int32_t>(kTopicLength)) return std::nullopt;
  bool digits_alone = true;
  for (std::int32_t at = 0; at < written.length(); at = written.moveIndex32(at, 1)) {
    digits_alone = digits_alone && u_isdigit(written.char32At(at)) != 0;
  }
  if (digits_alone) return std::nullopt;
  Topic topic{key_of(written), ""};
  written.toUTF8String(topic.written);
  return topic;
}

icu::UnicodeString decoded(std::string_view text) {
  return icu::UnicodeString::fromUTF8(
      icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
}

std::int32_t end_of_topic(const icu::UnicodeString& text, std::int32_t begin) {
  while (begin < text.length() && is_of_topic(text.char32At(begin))) {
    begin = text.moveIndex32(begin, 1);
  }
  return begin;
}

}  // namespace

std::vector<Topic> topics_of(std::string_view bytes) {
  const icu::UnicodeString text = decoded(bytes);
  std::vector<Topic> topics;
  UChar32 before = ' ';
  for (std::int32_t at = 0; at < text.length() && topics.size() < kTopicsMax;) {
    const UChar32 letter = text.char32At(at);
    const bool begins = is_sign(letter) && !forbids_sign_behind(before);
    before = letter;
    at = text.moveIndex32(at, 1);
    if (!begins) continue;
    const std::int32_t end = end_of_topic(text, at);
    if (end == at) continue;
    auto topic = topic_at(text, at, end);
    before = text.char32At(text.moveIndex32(end, -1));
    at = end;
    if (at < text.length() && is_sign(text.char32At(at))) {
      before = ' ';
      at = text.moveIndex32(at, 1);
    }
    const auto is_same = [&](const Topic& other) { return topic->key == other.key; };
    if (topic && std::ranges::none_of(topics, is_same)) topics.push_back(*std::move(topic));
  }
  return topics;
}

std::optional<std::string> topic_key(std::string_view name) {
  const icu::UnicodeString text = decoded(name);
  const std::int32_t begin = text.length() > 0 && is_sign(text.char32At(0)) ? 1 : 0;
  if (end_of_topic(text, begin) != text.length()) return std::nullopt;
  const auto topic = topic_at(text, begin, text.length());
  return topic ? std::optional(topic->key) : std::nullopt;
}

}  // namespace tideline::search
