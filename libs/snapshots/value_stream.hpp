// Values one after the other in the blocks of a file: what is put in some order is taken in the
// same. Arrays are copied in one go. Not synchronized; blocks on the disk.
//
//   ValueWriter out(blocks);             ValueReader in(blocks);
//   out.put(std::uint32_t{7});           const auto seven = in.take<std::uint32_t>();
//   out.put_all(numbers);                in.take_all(numbers);
//   out.finish();                        const core::Status read = in.finish();
//
// A reader whose file turns out to be damaged, or to hold something else, goes on with zeros and
// empty arrays until finish() says why: loops over counts that were taken end at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "snapshots/block_file.hpp"

namespace tideline::snapshots {

// Whose bytes say everything: no padding, no pointers.
template <class T>
concept PlainValue = std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>;

class ValueWriter {
 public:
  // `blocks` outlives it and is written by nobody else.
  explicit ValueWriter(BlockWriter& blocks) : blocks_(blocks) { block_.reserve(kBlockBytesMax); }

  template <PlainValue T>
  void put(const T& value) {
    append(std::as_bytes(std::span(&value, 1)));
  }
  // How many, then each.
  template <PlainValue T>
  void put_all(std::span<const T> values) {
    put(std::uint64_t{values.size()});
    append(std::as_bytes(values));
  }
  template <PlainValue T>
  void put_all(const std::vector<T>& values) {
    put_all(std::span<const T>(values));
  }
  void put_text(std::string_view text) { put_all(std::span<const char>(text.data(), text.size())); }

  // Finishes the file, too.
  core::Status finish();

 private:
  void append(std::span<const std::byte> bytes);
  void write_block();

  BlockWriter& blocks_;
  std::vector<std::byte> block_;
  std::uint64_t bytes_ = 0;
};

class ValueReader {
 public:
  // `blocks` outlives it and is read by nobody else.
  explicit ValueReader(BlockReader& blocks) : blocks_(blocks), left_(blocks.totals()[0]) {
    if (left_ > blocks.bytes()) fail("it is shorter than it says");
  }

  template <PlainValue T>
  T take() {
    T value{};
    take_bytes(std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  template <PlainValue T>
  void take_all(std::vector<T>& into) {
    into.resize(take_count(sizeof(T)));
    take_bytes(std::as_writable_bytes(std::span(into)));
  }
  std::string take_text() {
    std::string text(take_count(1), '\0');
    take_bytes(std::as_writable_bytes(std::span(text.data(), text.size())));
    return text;
  }
  // Of things that each take so many bytes at least: more than there are left is a failure and
  // gives 0, so that no memory is taken for them.
  std::size_t take_count(std::size_t bytes_each);

  // What was taken cannot be. Only the first failure is kept.
  void fail(const std::string& what);
  bool failed() const { return error_.has_value(); }
  // After the last value. InvalidInput: what was taken is to be thrown away.
  core::Status finish();

 private:
  void take_bytes(std::span<std::byte> into);
  bool refill();

  BlockReader& blocks_;
  std::span<const std::byte> block_;  // what is left of it
  std::uint64_t left_;                // bytes of values, in this block and behind it
  std::optional<core::Error> error_;
};

}  // namespace tideline::snapshots
