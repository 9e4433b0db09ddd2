// One file with the points of everybody as the tables held them at one moment: a start takes it up
// (snapshot_restore.hpp) and statistics are computed from it (statistics.hpp) without a look at the
// live tables.
//
// A file is a row of checked blocks (snapshots/block_file.hpp), each of rows of one kind. Not
// synchronized; blocks on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "scoring/domain/rules.hpp"
#include "scoring/projections/engine/score_memory.hpp"
#include "snapshots/block_file.hpp"

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

class SnapshotReader {
 public:
  // Looks at the first and the last block. InvalidInput: not a whole snapshot.
  static core::Result<SnapshotReader> open(const std::filesystem::path& file);

  const SnapshotOrigin& origin() const { return origin_; }
  std::uint64_t people() const { return blocks_.totals()[0]; }
  std::uint64_t bytes() const { return blocks_.bytes(); }

  // Reads all rows, once. InvalidInput: it is damaged, maybe after some blocks have been visited;
  // what was made of them is to be thrown away.
  core::Status read(SnapshotVisitor& visitor);

 private:
  SnapshotReader(snapshots::BlockReader blocks, SnapshotOrigin origin)
      : blocks_(std::move(blocks)), origin_(std::move(origin)) {}
  core::Status visit(std::uint64_t kind, SnapshotVisitor& visitor);
  template <class R>
  std::span<const R> rows() const;

  snapshots::BlockReader blocks_;
  SnapshotOrigin origin_;
  std::uint64_t people_seen_ = 0;
  std::uint64_t rows_seen_ = 0;
};

class SnapshotWriter {
 public:
  // Begins `file` under another name, that of a part, which is removed if it is not finished.
  SnapshotWriter(std::filesystem::path file, const SnapshotOrigin& origin);

  // Anyone who is named by a row has come as a person before.
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

  snapshots::BlockWriter blocks_;
  std::uint64_t people_ = 0;
  std::uint64_t rows_ = 0;
  std::vector<PersonRow> person_rows_;
  std::vector<DayRow> day_rows_;
  std::vector<CountRow> count_rows_;
  std::vector<AwardsRow> awards_rows_;
};

}  // namespace tideline::scoring
