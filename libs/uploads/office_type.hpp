// Which office document a ZIP file is: OpenDocument or Office Open XML. A pure function over bytes
// from outside.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tideline::uploads {

// The media type of a text document, a spreadsheet or a presentation of either family. nullopt:
// something else, a template, or one that may hold macros.
std::optional<std::string> office_type_of(std::string_view bytes);

}  // namespace tideline::uploads
