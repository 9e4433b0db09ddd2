#include "snapshots/value_stream.hpp"

#include <algorithm>

namespace tideline::snapshots {
namespace {

constexpr std::uint64_t kValues = 1;

}  // namespace

void ValueWriter::append(std::span<const std::byte> bytes) {
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    const std::size_t fits = std::min(bytes.size(), kBlockBytesMax - block_.size());
    block_.insert(block_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(fits));
    bytes = bytes.subspan(fits);
    if (block_.size() == kBlockBytesMax) write_block();
  }
}

void ValueWriter::write_block() {
  blocks_.write(kValues, block_);
  block_.clear();
}

core::Status ValueWriter::finish() {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  block_.resize((block_.size() + kWord - 1) / kWord * kWord);
  if (!block_.empty()) write_block();
  return blocks_.finish({bytes_, 0});
}

void ValueReader::fail(const std::string& what) {
  if (!error_) error_ = not_whole(what);
  left_ = 0;
}

std::size_t ValueReader::take_count(std::size_t bytes_each) {
  const auto count = take<std::uint64_t>();
  if (count <= left_ / bytes_each) return count;
  fail("it counts more than it holds");
  return 0;
}

bool ValueReader::refill() {
  const auto more = blocks_.next();
  if (!more) {
    if (!error_) error_ = more.error();
    left_ = 0;
    return false;
  }
  if (!*more || blocks_.kind() != kValues || blocks_.words().empty()) {
    fail("a block is of no kind");
    return false;
  }
  block_ = std::as_bytes(blocks_.words());
  return true;
}

void ValueReader::take_bytes(std::span<std::byte> into) {
  if (into.size() > left_ && !error_) fail("a value is missing");
  std::span<std::byte> rest = into;
  while (!rest.empty() && !error_) {
    if (block_.empty() && !refill()) break;
    const std::size_t part = std::min(rest.size(), block_.size());
    std::memcpy(rest.data(), block_.data(), part);
    rest = rest.subspan(part);
    block_ = block_.subspan(part);
    left_ -= part;
  }
  if (error_) std::fill(into.begin(), into.end(), std::byte{0});
}

core::Status ValueReader::finish() {
  if (!error_ && left_ > 0) fail("it holds more than was looked for");
  if (error_) return *error_;
  const auto more = blocks_.next();
  if (!more) return more.error();
  if (*more) return not_whole("it holds more than was looked for");
  return core::success();
}

}  // namespace tideline::snapshots
