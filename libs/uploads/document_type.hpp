// What a document is, by its content. A pure function over bytes from outside.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tideline::uploads {

// The media type of a PDF file, of an office document without macros (office_type.hpp), of an image
// (image_header.hpp) or of plain text: UTF-8 without control bytes other than tabs and line ends.
// nullopt: something else, or nothing at all.
std::optional<std::string> document_type_of(std::string_view bytes);

// What is stored of a document: an image without its metadata, anything else as it is.
// `type`: its own, of document_type_of().
std::string document_content(std::string_view bytes, std::string_view type);

}  // namespace tideline::uploads
