// A file as a row of checked blocks: what a process leaves behind for the next start.
//
// A block is 64-bit words: its checksum, its kind, its length, and what it holds. The checksum also
// covers the block's place; the first block names the form of the file and has a text that says
// where all comes from, the last one counts the others. So a file that was cut, damaged or put
// together anywhere is not taken for a whole one, and nothing of a block is looked at, nor memory
// taken for it, before its length and its sum are right. Words are in the byte order of the
// machine, which is little endian.
//
// A file has its name only once all of it is on the disk. Not synchronized; blocks on the disk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace tideline::snapshots {

inline constexpr std::size_t kBlockBytesMax = std::size_t{1} << 21;

// Two numbers that the writer knows at the end and a reader at the beginning.
using Totals = std::array<std::uint64_t, 2>;

// An open file; closed with the object.
class FileHandle {
 public:
  explicit FileHandle(int descriptor = -1) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept;
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle() { close(); }

  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  void close();

 private:
  int descriptor_;
};

class BlockReader {
 public:
  // Looks at the first and the last block. InvalidInput: not a whole file of that form.
  static core::Result<BlockReader> open(const std::filesystem::path& file, std::uint64_t form);

  const std::string& head() const { return head_; }
  const Totals& totals() const { return totals_; }
  std::uint64_t bytes() const { return bytes_; }

  // Goes to the next block; false: that was the last one. InvalidInput: it is damaged, and what was
  // made of the blocks before it is to be thrown away.
  core::Result<bool> next();
  std::uint64_t kind() const { return kind_; }
  std::span<const std::uint64_t> words() const { return block_; }  // until next()

 private:
  BlockReader() = default;
  core::Status read_end();
  core::Status read_block();

  FileHandle file_;
  std::string head_;
  Totals totals_{};
  std::uint64_t bytes_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t place_ = 0;  // of the next block
  std::uint64_t kind_ = 0;
  std::vector<std::uint64_t> block_;
};

class BlockWriter {
 public:
  // Begins `file` under another name, that of a part. `head` has no zero byte.
  BlockWriter(std::filesystem::path file, std::uint64_t form, std::string_view head);
  // Removes what was not finished.
  ~BlockWriter();
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;

  // Whole words, at most kBlockBytesMax. Kinds are from 1.
  void write(std::uint64_t kind, std::span<const std::byte> bytes);
  // All of it is on the disk, under its name. Otherwise the first thing that failed since the
  // beginning.
  core::Status finish(const Totals& totals);

 private:
  void write_bytes(std::span<const std::byte> bytes);
  void failed(const std::string& what);

  const std::filesystem::path file_;
  const std::filesystem::path part_;
  FileHandle handle_;
  std::optional<core::Error> error_;
  std::uint64_t place_ = 0;
};

// InvalidInput, as everything that makes a file unusable.
core::Error not_whole(const std::string& what);

}  // namespace tideline::snapshots
