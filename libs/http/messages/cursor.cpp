#include "http/messages/cursor.hpp"

#include <charconv>

#include "core/encoding.hpp"
#include "core/text.hpp"

namespace tideline::http {
namespace {

constexpr std::size_t kPlaceBytesMax = 512;
constexpr std::size_t kCursorBytesMax = 1024;
constexpr int kLimitMax = 100;

Json cursor_or_null(std::string_view kind, const std::optional<std::string>& place) {
  return place ? Json(encode_cursor(kind, *place)) : Json(nullptr);
}

}  // namespace

std::string encode_cursor(std::string_view kind, std::string_view place) {
  std::string text(kind);
  text.append(":").append(place);
  return core::to_base64url(core::as_bytes(text));
}

Parsed<std::string> decode_cursor(std::string_view kind, std::string_view cursor) {
  const Problem refused = detail::foreign_cursor();
  if (cursor.empty() || cursor.size() > kCursorBytesMax) return refused;
  const auto bytes = core::from_base64url(cursor);
  if (!bytes) return refused;
  std::string text(bytes->begin(), bytes->end());
  if (!core::code_points(text)) return refused;
  if (text.size() <= kind.size() || text[kind.size()] != ':' || !text.starts_with(kind)) {
    return refused;
  }
  text.erase(0, kind.size() + 1);
  if (text.size() > kPlaceBytesMax) return refused;
  return text;
}

namespace detail {

Problem foreign_cursor() { return malformed("the cursor is not one that this list gave out"); }

Parsed<PageRequest<std::string>> read_page_texts(const Request& request, std::string_view kind) {
  PageRequest<std::string> page;
  const auto before = request.query("before");
  const auto after = request.query("after");
  if (before && after) return malformed("give one of the cursors before and after, not both");
  if (const auto& cursor = before ? before : after) {
    auto place = decode_cursor(kind, *cursor);
    if (!place) return place.problem();
    (before ? page.before : page.after) = std::move(place).value();
  }
  if (const auto limit = request.query("limit")) {
    const char* end = limit->data() + limit->size();
    const auto [rest, error] = std::from_chars(limit->data(), end, page.limit);
    if (error != std::errc{} || rest != end || page.limit < 1 || page.limit > kLimitMax) {
      return malformed("limit is a number from 1 to 100");
    }
  }
  return page;
}

}  // namespace detail

Response page_response(std::string_view kind, Page page) {
  return Response::json(200, {{"items", std::move(page.items)},
                              {"before", cursor_or_null(kind, page.before)},
                              {"after", cursor_or_null(kind, page.after)}});
}

PageText::PageText(std::string_view kind, const std::optional<std::string>& before,
                   const std::optional<std::string>& after) {
  const auto add = [&](std::string_view name, const std::optional<std::string>& place) {
    body_.append(name);
    // A cursor has nothing that JSON would escape.
    body_.append(place ? '"' + encode_cursor(kind, *place) + '"' : "null");
  };
  add(R"({"after":)", after);
  add(R"(,"before":)", before);
  body_.append(R"(,"items":[)");
}

Response PageText::response() && {
  body_.append("]}");
  return Response::text(200, "application/json", std::move(body_));
}

}  // namespace tideline::http
