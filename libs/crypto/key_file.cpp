#include "crypto/key_file.hpp"

#include <fstream>

namespace tideline::crypto {

core::Result<std::string> read_key_file(const std::filesystem::path& path) {
  std::error_code failure;
  const bool regular = std::filesystem::is_regular_file(path, failure);
  std::ifstream file;
  if (regular) file.open(path, std::ios::binary);
  if (!file.is_open()) {
    return core::Error{core::ErrorCode::NotFound, "cannot read the file " + path.string()};
  }
  std::string text(kKeyFileBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kKeyFileBytesMax) {
    return core::invalid_input("too large for a file with a key: " + path.string());
  }
  return text;
}

}  // namespace tideline::crypto
