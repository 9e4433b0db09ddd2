#include "http/messages/entity_tag.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace tideline::http {
namespace {

bool is_tag_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0x21 || (byte >= 0x23 && byte != 0x7f);
}

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

// Takes one tag from the front.
std::optional<EntityTag> take_tag(std::string_view& text) {
  EntityTag tag;
  tag.weak = text.starts_with("W/");
  if (tag.weak) text.remove_prefix(2);
  if (!text.starts_with('"')) return std::nullopt;
  text.remove_prefix(1);
  const std::size_t end = text.find('"');
  if (end == std::string_view::npos) return std::nullopt;
  tag.opaque = text.substr(0, end);
  text.remove_prefix(end + 1);
  if (!std::all_of(tag.opaque.begin(), tag.opaque.end(), is_tag_byte)) return std::nullopt;
  return tag;
}

}  // namespace

std::string entity_tag(core::StreamVersion version) {
  return "\"" + std::to_string(version.value()) + "\"";
}

std::optional<std::vector<EntityTag>> parse_entity_tags(std::string_view text) {
  std::vector<EntityTag> tags;
  skip_blanks(text);
  for (;;) {
    const auto tag = take_tag(text);
    if (!tag) return std::nullopt;
    tags.push_back(*tag);
    skip_blanks(text);
    if (text.empty()) return tags;
    if (text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
    skip_blanks(text);
  }
}

std::optional<core::StreamVersion> version_of(const EntityTag& tag) {
  const std::string_view digits = tag.opaque.substr(0, tag.opaque.find('.'));
  if (tag.weak || digits.empty() || digits.front() == '0') return std::nullopt;
  std::uint64_t version = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, version);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return core::StreamVersion(version);
}

}  // namespace tideline::http
