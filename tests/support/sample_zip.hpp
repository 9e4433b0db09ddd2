// ZIP files as programs write them, and as nobody should.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/sample_images.hpp"

namespace tideline::test_support {

struct ZipPart {
  std::string name;
  std::string content;
  bool packed = true;
};

inline std::string deflated(std::string_view content) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, static_cast<uLong>(content.size())), '\0');
  std::string source(content);
  stream.next_in = reinterpret_cast<Bytef*>(source.data());
  stream.avail_in = static_cast<uInt>(source.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

inline std::string zip(const std::vector<ZipPart>& parts, std::string_view comment = "") {
  std::string file;
  std::string directory;
  for (const ZipPart& part : parts) {
    const std::string data = part.packed ? deflated(part.content) : part.content;
    const auto crc =
        static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(part.content.data()),
                                         static_cast<uInt>(part.content.size())));
    const std::string about =
        little_endian(20, 2) + little_endian(0, 2) + little_endian(part.packed ? 8 : 0, 2) +
        little_endian(0, 4) + little_endian(crc, 4) +
        little_endian(static_cast<std::uint32_t>(data.size()), 4) +
        little_endian(static_cast<std::uint32_t>(part.content.size()), 4) +
        little_endian(static_cast<std::uint32_t>(part.name.size()), 2) + little_endian(0, 2);
    directory += "PK\x01\x02" + little_endian(20, 2) + about + little_endian(0, 10) +
                 little_endian(static_cast<std::uint32_t>(file.size()), 4) + part.name;
    file += "PK\x03\x04" + about + part.name + data;
  }
  const auto count = static_cast<std::uint32_t>(parts.size());
  return file + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(count, 2) +
         little_endian(count, 2) + little_endian(static_cast<std::uint32_t>(directory.size()), 4) +
         little_endian(static_cast<std::uint32_t>(file.size()), 4) +
         little_endian(static_cast<std::uint32_t>(comment.size()), 2) + std::string(comment);
}

// The type of the main part, as "[Content_Types].xml" names it.
inline std::string open_xml(const std::string& main_type, const std::vector<ZipPart>& more = {}) {
  std::vector<ZipPart> parts{
      {"[Content_Types].xml",
       R"(<?xml version="1.0"?><Types><Override PartName="/main.xml" ContentType=")" + main_type +
           R"("/></Types>)"},
      {"main.xml", "<document/>"}};
  parts.insert(parts.end(), more.begin(), more.end());
  return zip(parts);
}
inline std::string docx(const std::vector<ZipPart>& more = {}) {
  return open_xml(
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml", more);
}
inline std::string open_document(const std::string& type, const std::vector<ZipPart>& more = {}) {
  std::vector<ZipPart> parts{{"mimetype", type, false}, {"content.xml", "<content/>"}};
  parts.insert(parts.end(), more.begin(), more.end());
  return zip(parts);
}

}  // namespace tideline::test_support
