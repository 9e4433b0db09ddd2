// Lists page by opaque cursors, both ways.
//
// A cursor is base64url of "<kind>:<text>": short, not secret, not signed. It is input from outside
// like any other: what it says selects a place in a list, never a right to see it.
//
// Threads: plain values. Nothing here blocks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/messages/problem.hpp"

namespace tideline::http {

// `kind` names the list ("timeline", "members"), so that a cursor of one list is refused by
// another.
[[nodiscard]] std::string encode_cursor(std::string_view kind, std::string_view place);
// 400 for anything that encode_cursor(kind, ...) did not make, or whose place is above 512 bytes.
Parsed<std::string> decode_cursor(std::string_view kind, std::string_view cursor);

// At most one of both places is set, none = the list's beginning. `after` asks for the items that
// follow the place in list order (for newest-first lists: older ones), `before` for the `limit`
// items immediately ahead of it, still in list order.
template <class Place>
struct PageRequest {
  std::optional<Place> before;
  std::optional<Place> after;
  int limit = 20;  // 1 to 100
};

namespace detail {
Parsed<PageRequest<std::string>> read_page_texts(const Request& request, std::string_view kind);
Problem foreign_cursor();
}  // namespace detail

// From ?before= ?after= ?limit=; 400 for garbage, both cursors, or a limit outside 1..100. `parse`
// makes an optional place of what encode_cursor() was given, nullopt for anything else.
template <class Parse>
auto read_page(const Request& request, std::string_view kind, const Parse& parse)
    -> Parsed<PageRequest<typename std::invoke_result_t<Parse, std::string_view>::value_type>> {
  auto texts = detail::read_page_texts(request, kind);
  if (!texts) return texts.problem();
  PageRequest<typename std::invoke_result_t<Parse, std::string_view>::value_type> page;
  page.limit = texts->limit;
  if (const auto& text = texts->before ? texts->before : texts->after) {
    auto place = parse(*text);
    if (!place) return detail::foreign_cursor();
    (texts->before ? page.before : page.after) = std::move(place);
  }
  return page;
}

// What a query hands over: the items in list order, and the places from which the neighbouring
// pages begin (nullopt = there is no further page on that side).
struct Page {
  Json items = Json::array();
  std::optional<std::string> before;
  std::optional<std::string> after;
};

// 200 {"items":[...],"before":cursor|null,"after":cursor|null}. Pass `before` back as ?before= to
// read the previous page, `after` as ?after= for the next.
[[nodiscard]] Response page_response(std::string_view kind, Page page);

// The same of items that are JSON texts already: all that is copied of them goes into one body.
class PageText {
 public:
  // The places as in Page.
  PageText(std::string_view kind, const std::optional<std::string>& before,
           const std::optional<std::string>& after);

  // Where to append the items, with commas between.
  std::string& items() { return body_; }
  Response response() &&;

 private:
  std::string body_;
};

}  // namespace tideline::http
