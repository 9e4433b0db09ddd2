#include "scoring/projections/snapshot/snapshot_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

namespace tideline::scoring {
namespace {

using nlohmann::json;

// "TLscore1": another form of the file gets another number.
constexpr std::uint64_t kOrigin = 0x3165726f63734c54U;
constexpr std::uint64_t kPeople = 1;
constexpr std::uint64_t kDays = 2;
constexpr std::uint64_t kCounts = 3;
constexpr std::uint64_t kAwards = 4;
constexpr std::uint64_t kEnd = 5;

template <class R>
constexpr std::uint64_t kKindOf = 0;
template <>
constexpr std::uint64_t kKindOf<PersonRow> = kPeople;
template <>
constexpr std::uint64_t kKindOf<DayRow> = kDays;
template <>
constexpr std::uint64_t kKindOf<CountRow> = kCounts;
template <>
constexpr std::uint64_t kKindOf<AwardsRow> = kAwards;

constexpr std::size_t kHeadWords = 3;  // checksum, kind, words that follow
constexpr std::size_t kEndWords = 3;   // blocks before it, people, rows of all kinds
constexpr std::size_t kRowsMax = 1U << 16;
constexpr std::size_t kBlockWordsMax = kRowsMax * sizeof(PersonRow) / sizeof(std::uint64_t);

static_assert(std::has_unique_object_representations_v<PersonRow> && sizeof(PersonRow) == 32);
static_assert(std::has_unique_object_representations_v<DayRow> && sizeof(DayRow) == 24);
static_assert(std::has_unique_object_representations_v<CountRow> && sizeof(CountRow) == 16);
static_assert(std::has_unique_object_representations_v<AwardsRow> && sizeof(AwardsRow) == 24);

// Each step can be turned back, so that no single word can change without the sum.
std::uint64_t summed(std::uint64_t sum, std::uint64_t word) {
  sum = (sum ^ word) * 0x9e3779b97f4a7c15U;
  return sum ^ (sum >> 32U);
}

// Of whole words.
using Bytes = std::span<const std::byte>;

std::uint64_t checksum(std::uint64_t place, std::uint64_t kind, Bytes bytes) {
  std::uint64_t sum = summed(summed(summed(0, place), kind), bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    sum = summed(sum, word);
  }
  return sum;
}

core::Error damaged(const char* what) {
  return core::invalid_input(std::string("not a whole snapshot: ") + what);
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

std::vector<std::string> reason_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kReasonCount; ++i) {
    names.emplace_back(name_of(static_cast<Reason>(i)));
  }
  return names;
}

std::vector<std::uint64_t> origin_words(const SnapshotOrigin& origin) {
  const std::string text = json{
      {"tables", origin.tables},
      {"flush", origin.flush},
      {"flush_id", origin.flush_id},
      {"taken_at", core::format_iso8601(origin.taken_at)},
      {"today", core::format_day(origin.today)},
      {"reasons",
       reason_names()}}.dump();
  std::vector<std::uint64_t> words((text.size() + 7) / 8);
  std::memcpy(words.data(), text.data(), text.size());
  return words;
}

std::optional<SnapshotOrigin> parse_origin(std::span<const std::uint64_t> words) {
  std::string text(words.size_bytes(), '\0');
  std::memcpy(text.data(), words.data(), text.size());
  text.resize(std::strlen(text.c_str()));
  try {
    const json data = json::parse(text);
    SnapshotOrigin origin;
    data.at("tables").get_to(origin.tables);
    data.at("flush").get_to(origin.flush);
    data.at("flush_id").get_to(origin.flush_id);
    const auto taken_at = core::parse_iso8601(data.at("taken_at").get<std::string>());
    const auto today = core::parse_day(data.at("today").get<std::string>());
    // Rows name reasons by their number.
    const bool same_reasons = data.at("reasons") == json(reason_names());
    if (!taken_at || !today || !same_reasons) return std::nullopt;
    origin.taken_at = *taken_at;
    origin.today = *today;
    return origin;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

PersonRow PersonRow::of(const core::AccountId& account, const PersonScore& score) {
  return {account, score.points,
          score.reached_at.time_since_epoch().count() * 256 + score.standing};
}

PersonScore PersonRow::score() const {
  return {points, core::Timestamp(std::chrono::microseconds(reached_us_and_standing >> 8)),
          static_cast<std::uint8_t>(reached_us_and_standing & 255)};
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

core::Result<SnapshotReader> SnapshotReader::open(const std::filesystem::path& file) {
  SnapshotReader reader;
  reader.file_ = FileHandle(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (!reader.file_.is_open() || ::fstat(reader.file_.get(), &about) != 0) {
    return core::invalid_input("cannot be read: " + system_text());
  }
  reader.bytes_ = static_cast<std::uint64_t>(about.st_size);
  if (const auto end = reader.read_end(); !end) return end.error();
  if (const auto origin = reader.read_origin(); !origin) return origin.error();
  return reader;
}

core::Status SnapshotReader::read_end() {
  std::array<std::uint64_t, kHeadWords + kEndWords> words{};
  const auto at = static_cast<off_t>(bytes_) - static_cast<off_t>(sizeof words);
  if (at < 0 || ::lseek(file_.get(), at, SEEK_SET) < 0 ||
      !read_whole(file_.get(), words.data(), sizeof words) || ::lseek(file_.get(), 0, SEEK_SET)) {
    return damaged("it has no end");
  }
  const auto end = std::span(words).subspan(kHeadWords);
  blocks_ = end[0];
  people_ = end[1];
  rows_ = end[2];
  if (words[1] != kEnd || words[2] != kEndWords ||
      words[0] != checksum(blocks_, kEnd, std::as_bytes(end))) {
    return damaged("it has no end");
  }
  return core::success();
}

core::Status SnapshotReader::read_origin() {
  const auto kind = next_block();
  if (!kind) return kind.error();
  const auto origin = *kind == kOrigin ? parse_origin(block_) : std::nullopt;
  if (!origin) return damaged("it is of another version");
  origin_ = *origin;
  return core::success();
}

core::Result<std::uint64_t> SnapshotReader::next_block() {
  std::array<std::uint64_t, kHeadWords> head{};
  if (!read_whole(file_.get(), head.data(), sizeof head)) return damaged("it ends too early");
  const auto [sum, kind, words] = head;
  if (words > kBlockWordsMax) return damaged("a block has another length");
  block_.resize(words);
  if (!read_whole(file_.get(), block_.data(), words * sizeof(std::uint64_t))) {
    return damaged("it ends too early");
  }
  if (sum != checksum(place_, kind, std::as_bytes(std::span(block_))))
    return damaged("a checksum is another");
  ++place_;
  return kind;
}

template <class R>
std::span<const R> SnapshotReader::rows() const {
  // The words were written as rows of this kind, and words are aligned as rows have to be.
  return {reinterpret_cast<const R*>(block_.data()),
          block_.size() * sizeof(std::uint64_t) / sizeof(R)};
}

core::Status SnapshotReader::visit(std::uint64_t kind, SnapshotVisitor& visitor) {
  const auto take = [&](auto found, const auto& is_sound, auto tell) -> core::Status {
    for (const auto& row : found) {
      if (!is_sound(row)) return damaged("a row names what is not there");
    }
    rows_seen_ += found.size();
    (visitor.*tell)(found);
    return core::success();
  };
  const auto known = [&](const auto& row) { return row.person < people_seen_; };
  const auto reason = [](const auto& row) { return row.reason < kReasonCount; };
  switch (kind) {
    case kPeople:
      people_seen_ += rows<PersonRow>().size();
      return take(
          rows<PersonRow>(), [](const PersonRow&) { return true; }, &SnapshotVisitor::people);
    case kDays:
      return take(rows<DayRow>(), known, &SnapshotVisitor::days);
    case kCounts:
      return take(
          rows<CountRow>(), [&](const CountRow& row) { return known(row) && reason(row); },
          &SnapshotVisitor::counts);
    case kAwards:
      return take(rows<AwardsRow>(), reason, &SnapshotVisitor::awards);
    default:
      return damaged("a block is of no kind");
  }
}

core::Status SnapshotReader::read(SnapshotVisitor& visitor) {
  while (place_ < blocks_) {
    const auto kind = next_block();
    if (!kind) return kind.error();
    if (const auto visited = visit(*kind, visitor); !visited) return visited;
  }
  const auto end = next_block();
  if (!end) return end.error();
  if (*end != kEnd || people_seen_ != people_ || rows_seen_ != rows_) {
    return damaged("it has not as many rows as it says");
  }
  return core::success();
}

SnapshotWriter::SnapshotWriter(std::filesystem::path file, const SnapshotOrigin& origin)
    : file_(std::move(file)),
      part_(file_.string() + ".part"),
      handle_(::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640)) {
  if (!handle_.is_open()) {
    failed("cannot write " + part_.string());
    return;
  }
  const auto words = origin_words(origin);
  write_block(kOrigin, std::as_bytes(std::span(words)));
}

SnapshotWriter::~SnapshotWriter() {
  if (handle_.is_open()) ::unlink(part_.c_str());
}

void SnapshotWriter::failed(const std::string& what) {
  if (!error_) error_ = core::unavailable(what + ": " + system_text());
}

void SnapshotWriter::write_bytes(std::span<const std::byte> bytes) {
  while (!bytes.empty() && !error_) {
    const ssize_t written = ::write(handle_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return failed("cannot write " + part_.string());
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void SnapshotWriter::write_block(std::uint64_t kind, std::span<const std::byte> bytes) {
  const std::array<std::uint64_t, kHeadWords> head{checksum(place_++, kind, bytes), kind,
                                                   bytes.size() / sizeof(std::uint64_t)};
  write_bytes(std::as_bytes(std::span(head)));
  write_bytes(bytes);
}

template <class R>
void SnapshotWriter::write_rows(std::vector<R>& rows) {
  if (rows.empty()) return;
  write_block(kKindOf<R>, std::as_bytes(std::span(rows)));
  rows_ += rows.size();
  rows.clear();
}

// People first: the others name them.
void SnapshotWriter::write_all() {
  people_ += person_rows_.size();
  write_rows(person_rows_);
  write_rows(day_rows_);
  write_rows(count_rows_);
  write_rows(awards_rows_);
}

template <class R>
void SnapshotWriter::keep(std::vector<R>& rows, const R& row) {
  rows.push_back(row);
  if (rows.size() == kRowsMax) write_all();
}

void SnapshotWriter::add(const PersonRow& row) { keep(person_rows_, row); }
void SnapshotWriter::add(const DayRow& row) { keep(day_rows_, row); }
void SnapshotWriter::add(const CountRow& row) { keep(count_rows_, row); }
void SnapshotWriter::add(const AwardsRow& row) { keep(awards_rows_, row); }

core::Status SnapshotWriter::finish() {
  write_all();
  const std::array<std::uint64_t, kEndWords> end{place_, people_, rows_};
  write_block(kEnd, std::as_bytes(std::span(end)));
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

}  // namespace tideline::scoring
