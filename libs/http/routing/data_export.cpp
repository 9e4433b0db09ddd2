#include "http/routing/data_export.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "http/messages/cursor.hpp"

namespace tideline::http {
namespace {

constexpr std::string_view kKind = "export";

// "<section> <place>"
struct Place {
  std::string section;
  std::string within;
};

std::optional<Place> parse_place(std::string_view text) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  return Place{std::string(text.substr(0, space)), std::string(text.substr(space + 1))};
}

}  // namespace

void refuse_export_place() { refuse(malformed("this is no cursor of an export")); }

DataExport::DataExport(const core::Clock& clock, std::vector<ExportSection> sections)
    : clock_(clock), sections_(std::move(sections)), pages_(kPages, kPeopleRemembered) {}

Response DataExport::page(const Request& request) {
  const auto wanted = value_of(read_page(request, kKind, parse_place));
  auto section = sections_.begin();
  std::string within;
  if (wanted.before) refuse(malformed("an export is read in one direction"));
  if (wanted.after) {
    section = std::ranges::find(sections_, wanted.after->section, &ExportSection::name);
    if (section == sections_.end()) refuse(detail::foreign_cursor());
    within = wanted.after->within;
  }
  if (const auto wait = pages_.take(request.account().to_string(), clock_.now())) {
    refuse(too_many_requests(
        std::max(std::chrono::ceil<std::chrono::seconds>(*wait), std::chrono::seconds(1))));
  }
  Page page;
  while (section != sections_.end()) {
    const int left = wanted.limit - static_cast<int>(page.items.size());
    if (left == 0) break;
    ExportSlice slice = section->read(request.account(), within, left);
    for (Json& item : slice.items) {
      page.items.push_back({{"section", section->name}, {"data", std::move(item)}});
    }
    within = slice.next.value_or("");
    if (!slice.next) ++section;
  }
  if (section != sections_.end()) page.after = section->name + " " + within;
  Response response = page_response(kKind, std::move(page));
  response.headers.set("Cache-Control", "no-store");
  return response;
}

}  // namespace tideline::http
