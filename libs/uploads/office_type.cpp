#include "uploads/office_type.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "uploads/zip_directory.hpp"

namespace tideline::uploads {
namespace {

constexpr std::string_view kOpenDocument = "application/vnd.oasis.opendocument.";
constexpr std::array<std::string_view, 3> kOpenDocuments{"text", "spreadsheet", "presentation"};

constexpr std::string_view kOpenXml = "application/vnd.openxmlformats-officedocument.";
constexpr std::array<std::string_view, 3> kOpenXmlDocuments{
    "wordprocessingml.document", "spreadsheetml.sheet", "presentationml.presentation"};

// Of large spreadsheets it has some 100 KiB.
constexpr std::size_t kContentTypesBytesMax = 1024 * 1024;

std::string lower(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(),
                         [](unsigned char letter) { return std::tolower(letter); });
  return lowered;
}

bool holds_macros(const std::vector<ZipEntry>& entries) {
  return std::ranges::any_of(entries, [](const ZipEntry& entry) {
    const std::string name = lower(entry.name);
    return name.starts_with("basic/") || name.starts_with("scripts/") ||
           name.ends_with("vbaproject.bin") || name.find("/activex/") != std::string::npos;
  });
}

// OpenDocument 1.3, part 2, 3.3: its first entry is "mimetype", and not packed.
std::optional<std::string> open_document_type(std::string_view bytes, const ZipEntry& first) {
  if (first.name != "mimetype" || first.method != 0 || first.offset != 0) return std::nullopt;
  const auto type = zip_content(bytes, first, 100);
  if (!type || !type->starts_with(kOpenDocument)) return std::nullopt;
  const std::string_view kind = std::string_view(*type).substr(kOpenDocument.size());
  if (std::ranges::find(kOpenDocuments, kind) == kOpenDocuments.end()) return std::nullopt;
  return type;
}

// ECMA-376, part 2: "[Content_Types].xml" names the type of each part; the type of the main one
// says what the document is.
std::optional<std::string> open_xml_type(std::string_view bytes,
                                         const std::vector<ZipEntry>& entries) {
  const auto named = std::ranges::find(entries, "[Content_Types].xml", &ZipEntry::name);
  if (named == entries.end()) return std::nullopt;
  const auto content = zip_content(bytes, *named, kContentTypesBytesMax);
  if (!content || lower(*content).find("macroenabled") != std::string::npos) return std::nullopt;
  std::optional<std::string> found;
  for (const std::string_view kind : kOpenXmlDocuments) {
    const std::string type = std::string(kOpenXml).append(kind);
    if (content->find("\"" + type + ".main+xml\"") == std::string::npos) continue;
    if (found) return std::nullopt;  // it would be two
    found = type;
  }
  return found;
}

}  // namespace

std::optional<std::string> office_type_of(std::string_view bytes) {
  const auto entries = read_zip_directory(bytes);
  if (!entries || entries->empty() || holds_macros(*entries)) return std::nullopt;
  if (auto type = open_document_type(bytes, entries->front())) return type;
  return open_xml_type(bytes, *entries);
}

}  // namespace tideline::uploads
