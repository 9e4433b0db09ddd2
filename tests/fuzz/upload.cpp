// What an uploaded file is, by its bytes: an image has sides and stays what it is whatever follows.
#include <string>

#include "core/check.hpp"
#include "fuzz/input.hpp"
#include "uploads/document_type.hpp"
#include "uploads/image_header.hpp"
#include "uploads/image_metadata.hpp"
#include "uploads/zip_directory.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tideline;
  const std::string_view bytes = fuzz::as_text(data, size);
  const auto type = uploads::document_type_of(bytes);
  CHECK(!type || !bytes.empty(), "nothing is no document");
  if (const auto header = uploads::read_image_header(bytes)) {
    CHECK(header->width > 0 && header->height > 0, "an image has sides");
    CHECK(type == uploads::media_type_of(header->kind) || type->starts_with("text/plain"),
          "an image is a document of its type, or nothing but text");
    CHECK(uploads::read_image_header(std::string(bytes) + "x") == header, "a header is a prefix");
  }
  CHECK(!type || type->starts_with("image/") || uploads::document_content(bytes, *type) == bytes,
        "other documents stay as they are");
  if (const auto entries = uploads::read_zip_directory(bytes)) {
    for (const auto& entry : *entries) {
      const auto content = uploads::zip_content(bytes, entry, 4096);
      CHECK(!content || content->size() <= 4096, "no more is inflated than was asked for");
    }
  }
  const std::string cleaned = uploads::without_metadata(bytes);
  CHECK(uploads::without_metadata(cleaned) == cleaned, "metadata goes at once");
  const std::string still = uploads::still_without_metadata(bytes);
  CHECK(still.size() <= cleaned.size() + 1, "a still picture is no more than all of it");
  CHECK(uploads::still_without_metadata(still) == still, "further frames go at once");
  const auto header = uploads::read_image_header(cleaned);
  CHECK(!header || uploads::read_image_header(bytes) == header, "the picture stays");
  return 0;
}
