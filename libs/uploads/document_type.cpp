#include "uploads/document_type.hpp"

#include <algorithm>

#include "http/messages/json.hpp"
#include "uploads/image_header.hpp"
#include "uploads/image_metadata.hpp"
#include "uploads/office_type.hpp"

namespace tideline::uploads {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// ISO 32000-1, 7.5: "%PDF-1.7" first; "%%EOF" ends the last line, but for what some writers add.
bool is_pdf(std::string_view bytes) {
  constexpr std::size_t kTail = 1024;
  if (bytes.size() < 16 || !bytes.starts_with("%PDF-")) return false;
  if (!is_digit(bytes[5]) || bytes[6] != '.' || !is_digit(bytes[7])) return false;
  return bytes.substr(bytes.size() - std::min(bytes.size(), kTail)).find("%%EOF") !=
         std::string_view::npos;
}

bool is_plain_text(std::string_view bytes) {
  const auto is_control = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
  };
  return !bytes.empty() && std::none_of(bytes.begin(), bytes.end(), is_control) &&
         http::is_valid_utf8(bytes);
}

}  // namespace

std::optional<std::string> document_type_of(std::string_view bytes) {
  if (is_pdf(bytes)) return "application/pdf";
  // A text may begin like an image; no image is a text.
  if (is_plain_text(bytes)) return "text/plain; charset=utf-8";
  if (const auto image = read_image_header(bytes)) return std::string(media_type_of(image->kind));
  return office_type_of(bytes);
}

std::string document_content(std::string_view bytes, std::string_view type) {
  return type.starts_with("image/") ? without_metadata(bytes) : std::string(bytes);
}

}  // namespace tideline::uploads
