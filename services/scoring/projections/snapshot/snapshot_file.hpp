// One file with the points of everybody as the tables held them at one moment: a start takes it up
// (snapshot_restore.hpp) and statistics are computed from it (statistics.hpp) without a look at the
// live tables.
//
// A file is a row of blocks of 64-bit words: its checksum, its kind, its length, and rows of one
// kind. The checksum also covers the block's place, the first block says where all comes from, and
// the last one counts the others. So a file that was cut, damaged or put together anywhere is not
// taken for a snapshot. Words are in the byte order of the machine.
//
// A file has its name only once all of it is on the disk. Not synchronized; blocks on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "scoring/domain/rules.hpp"
#include "scoring/projections/engine/score_memory.hpp"

namespace tideline::scoring {

// Which tables it was taken from, and when.
struct SnapshotOrigin {
  std::int64_t tables = 0;  // the object identifier of table score
  // The last flush that is in it: its number in table score_flush, and its id.
  std::int64_t flush = 0;
  std::string flush_id;
  core::Timestamp taken_at{};
  // Of the campus. Counters and days of points are in it as a start and statistics of that day need
  // them.
  core::Day today{};

  friend bool operator==(const SnapshotOrigin&, const SnapshotOrigin&) = default;
};

// Rows as they lie in the file. People are numbered as they come, from 0.
struct PersonRow {
  core::AccountId account;
  std::int64_t points = 0;
  std::int64_t reached_us_and_standing = 0;  // microseconds since 1970 * 256 + standing

  static PersonRow of(const core::AccountId& account, const PersonScore& score);
  PersonScore score() const;
};
struct DayRow {
  MemberNumber person = 0;
  std::int32_t day = 0;  // since 1970
  std::int64_t points = 0;
  std::int64_t reached_us = 0;
};
struct CountRow {
  MemberNumber person = 0;
  std::int32_t day = 0;
  std::uint32_t reason = 0;
  std::uint32_t events = 0;
};
// Awards of a reason on a day, of everybody.
struct AwardsRow {
  std::int32_t day = 0;
  std::uint32_t reason = 0;
  std::int64_t events = 0;
  std::int64_t points = 0;
};

// Called with the rows of one block after the other.
class SnapshotVisitor {
 public:
  virtual ~SnapshotVisitor() = default;
  virtual void people(std::span<const PersonRow>) {}
  virtual void days(std::span<const DayRow>) {}
  virtual void counts(std::span<const CountRow>) {}
  virtual void awards(std::span<const AwardsRow>) {}
};

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

class SnapshotReader {
 public:
  // Looks at the first and the last block. InvalidInput: not a whole snapshot.
  static core::Result<SnapshotReader> open(const std::filesystem::path& file);

  const SnapshotOrigin& origin() const { return origin_; }
  std::uint64_t people() const { return people_; }
  std::uint64_t bytes() const { return bytes_; }

  // Reads all rows, once. InvalidInput: it is damaged, maybe after some blocks have been visited;
  // what was made of them is to be thrown away.
  core::Status read(SnapshotVisitor& visitor);

 private:
  SnapshotReader() = default;
  core::Status read_end();
  core::Status read_origin();
  // The kind of the next block, whose words are then in block_.
  core::Result<std::uint64_t> next_block();
  core::Status visit(std::uint64_t kind, SnapshotVisitor& visitor);
  template <class R>
  std::span<const R> rows() const;

  FileHandle file_;
  SnapshotOrigin origin_;
  std::uint64_t bytes_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t people_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t place_ = 0;  // of the next block
  std::uint64_t people_seen_ = 0;
  std::uint64_t rows_seen_ = 0;
  std::vector<std::uint64_t> block_;
};

class SnapshotWriter {
 public:
  // Begins `file` under another name, that of a part.
  SnapshotWriter(std::filesystem::path file, const SnapshotOrigin& origin);
  // Removes what was not finished.
  ~SnapshotWriter();
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  // Whoever is named by a row has come as a person before.
  void add(const PersonRow& row);
  void add(const DayRow& row);
  void add(const CountRow& row);
  void add(const AwardsRow& row);
  // All of it is on the disk, under its name. Otherwise the first thing that failed since the
  // beginning.
  core::Status finish();

 private:
  template <class R>
  void keep(std::vector<R>& rows, const R& row);
  template <class R>
  void write_rows(std::vector<R>& rows);
  void write_all();
  void write_block(std::uint64_t kind, std::span<const std::byte> bytes);
  void write_bytes(std::span<const std::byte> bytes);
  void failed(const std::string& what);

  const std::filesystem::path file_;
  const std::filesystem::path part_;
  FileHandle handle_;
  std::optional<core::Error> error_;
  std::uint64_t place_ = 0;
  std::uint64_t people_ = 0;
  std::uint64_t rows_ = 0;
  std::vector<PersonRow> person_rows_;
  std::vector<DayRow> day_rows_;
  std::vector<CountRow> count_rows_;
  std::vector<AwardsRow> awards_rows_;
};

}  // namespace tideline::scoring
