#include "snapshots/block_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tideline::snapshots {
namespace {

static_assert(std::endian::native == std::endian::little, "files are in the machine's byte order");

constexpr std::uint64_t kEnd = 0;
constexpr std::size_t kHeadWords = 3;  // checksum, kind, words that follow
constexpr std::size_t kEndWords = 3;   // blocks before it, totals
constexpr std::size_t kBlockWordsMax = kBlockBytesMax / sizeof(std::uint64_t);

// Each step can be turned back, so that no single word can change without the sum.
std::uint64_t summed(std::uint64_t sum, std::uint64_t word) {
  sum = (sum ^ word) * 0x9e3779b97f4a7c15U;
  return sum ^ (sum >> 32U);
}

// Of whole words.
using Bytes = std::span<const std::byte>;

std::uint64_t word_at(Bytes bytes, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

// Four sums side by side, of every fourth word: one alone would wait for its last step.
std::uint64_t checksum(std::uint64_t place, std::uint64_t kind, Bytes bytes) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::array<std::uint64_t, 4> sums{place, kind, bytes.size(), 0};
  std::size_t at = 0;
  for (; at + sums.size() * kWord <= bytes.size(); at += sums.size() * kWord) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] = summed(sums[i], word_at(bytes, at + i * kWord));
    }
  }
  for (; at < bytes.size(); at += kWord) sums[0] = summed(sums[0], word_at(bytes, at));
  std::uint64_t sum = 0;
  for (const std::uint64_t part : sums) sum = summed(sum, part);
  return sum;
}

std::string system_text() { return std::strerror(errno); }

// False: an error, or the file ends before.
bool read_whole(int descriptor, void* into, std::size_t bytes) {
  auto* at = static_cast<char*>(into);
  while (bytes > 0) {
    const ssize_t got = ::read(descriptor, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

std::string text_of(std::span<const std::uint64_t> words) {
  std::string text(words.size_bytes(), '\0');
  std::memcpy(text.data(), words.data(), text.size());
  text.resize(std::strlen(text.c_str()));
  return text;
}

}  // namespace

core::Error not_whole(const std::string& what) {
  return core::invalid_input("not a whole snapshot: " + what);
}

FileHandle::FileHandle(FileHandle&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

void FileHandle::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

core::Result<BlockReader> BlockReader::open(const std::filesystem::path& file, std::uint64_t form) {
  BlockReader reader;
  reader.file_ = FileHandle(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (!reader.file_.is_open() || ::fstat(reader.file_.get(), &about) != 0) {
    return core::invalid_input("cannot be read: " + system_text());
  }
  reader.bytes_ = static_cast<std::uint64_t>(about.st_size);
  if (const auto end = reader.read_end(); !end) return end.error();
  if (const auto first = reader.read_block(); !first) return first.error();
  if (reader.kind_ != form) return not_whole("it is of another version");
  reader.head_ = text_of(reader.block_);
  return reader;
}

core::Status BlockReader::read_end() {
  std::array<std::uint64_t, kHeadWords + kEndWords> words{};
  const auto at = static_cast<off_t>(bytes_) - static_cast<off_t>(sizeof words);
  if (at < 0 || ::lseek(file_.get(), at, SEEK_SET) < 0 ||
      !read_whole(file_.get(), words.data(), sizeof words) || ::lseek(file_.get(), 0, SEEK_SET)) {
    return not_whole("it has no end");
  }
  const auto end = std::span(words).subspan(kHeadWords);
  blocks_ = end[0];
  totals_ = {end[1], end[2]};
  if (words[1] != kEnd || words[2] != kEndWords ||
      words[0] != checksum(blocks_, kEnd, std::as_bytes(end))) {
    return not_whole("it has no end");
  }
  return core::success();
}

core::Status BlockReader::read_block() {
  std::array<std::uint64_t, kHeadWords> head{};
  if (!read_whole(file_.get(), head.data(), sizeof head)) return not_whole("it ends too early");
  const auto [sum, kind, words] = head;
  if (words > kBlockWordsMax) return not_whole("a block has another length");
  block_.resize(words);
  if (!read_whole(file_.get(), block_.data(), words * sizeof(std::uint64_t))) {
    return not_whole("it ends too early");
  }
  if (sum != checksum(place_, kind, std::as_bytes(std::span(block_)))) {
    return not_whole("a checksum is another");
  }
  kind_ = kind;
  ++place_;
  return core::success();
}

core::Result<bool> BlockReader::next() {
  const bool is_last = place_ == blocks_;
  if (const auto read = read_block(); !read) return read.error();
  if ((kind_ == kEnd) != is_last) return not_whole("it has not as many blocks as it says");
  return !is_last;
}

BlockWriter::BlockWriter(std::filesystem::path file, std::uint64_t form, std::string_view head)
    : file_(std::move(file)),
      part_(file_.string() + ".part"),
      handle_(::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640)) {
  if (!handle_.is_open()) {
    failed("cannot write " + part_.string());
    return;
  }
  std::vector<std::uint64_t> words((head.size() + 7) / 8);
  std::memcpy(words.data(), head.data(), head.size());
  write(form, std::as_bytes(std::span(words)));
}

BlockWriter::~BlockWriter() {
  if (handle_.is_open()) ::unlink(part_.c_str());
}

void BlockWriter::failed(const std::string& what) {
  if (!error_) error_ = core::unavailable(what + ": " + system_text());
}

void BlockWriter::write_bytes(std::span<const std::byte> bytes) {
  while (!bytes.empty() && !error_) {
    const ssize_t written = ::write(handle_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return failed("cannot write " + part_.string());
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void BlockWriter::write(std::uint64_t kind, std::span<const std::byte> bytes) {
  CHECK(bytes.size() % sizeof(std::uint64_t) == 0 && bytes.size() <= kBlockBytesMax,
        "a block is whole words, and not too many");
  const std::array<std::uint64_t, kHeadWords> head{checksum(place_++, kind, bytes), kind,
                                                   bytes.size() / sizeof(std::uint64_t)};
  write_bytes(std::as_bytes(std::span(head)));
  write_bytes(bytes);
}

core::Status BlockWriter::finish(const Totals& totals) {
  const std::array<std::uint64_t, kEndWords> end{place_, totals[0], totals[1]};
  write(kEnd, std::as_bytes(std::span(end)));
  if (!error_ && ::fsync(handle_.get()) != 0) failed("cannot write " + part_.string());
  if (!error_ && ::rename(part_.c_str(), file_.c_str()) != 0) {
    failed("cannot name " + file_.string());
  }
  if (error_) return *error_;
  handle_.close();
  // The name must not get lost either.
  const FileHandle folder(::open(file_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open() || ::fsync(folder.get()) != 0) {
    failed("cannot write " + file_.parent_path().string());
    return *error_;
  }
  return core::success();
}

}  // namespace tideline::snapshots
