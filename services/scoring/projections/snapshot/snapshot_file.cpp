#include "scoring/projections/snapshot/snapshot_file.hpp"

#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace tideline::scoring {
namespace {

using nlohmann::json;

// "TLscore2": another form of the file gets another number.
constexpr std::uint64_t kForm = 0x3265726f63734c54U;
constexpr std::uint64_t kPeople = 1;
constexpr std::uint64_t kDays = 2;
constexpr std::uint64_t kCounts = 3;
constexpr std::uint64_t kAwards = 4;

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

constexpr std::size_t kRowsMax = 1U << 16;
static_assert(kRowsMax * sizeof(PersonRow) <= snapshots::kBlockBytesMax);

static_assert(std::has_unique_object_representations_v<PersonRow> && sizeof(PersonRow) == 32);
static_assert(std::has_unique_object_representations_v<DayRow> && sizeof(DayRow) == 24);
static_assert(std::has_unique_object_representations_v<CountRow> && sizeof(CountRow) == 16);
static_assert(std::has_unique_object_representations_v<AwardsRow> && sizeof(AwardsRow) == 24);

std::vector<std::string> reason_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kReasonCount; ++i) {
    names.emplace_back(name_of(static_cast<Reason>(i)));
  }
  return names;
}

std::string origin_text(const SnapshotOrigin& origin) {
  return json{{"tables", origin.tables},
              {"flush", origin.flush},
              {"flush_id", origin.flush_id},
              {"taken_at", core::format_iso8601(origin.taken_at)},
              {"today", core::format_day(origin.today)},
              {"reasons", reason_names()}}
      .dump();
}

std::optional<SnapshotOrigin> parse_origin(const std::string& text) {
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

core::Result<SnapshotReader> SnapshotReader::open(const std::filesystem::path& file) {
  auto blocks = snapshots::BlockReader::open(file, kForm);
  if (!blocks) return blocks.error();
  auto origin = parse_origin(blocks->head());
  if (!origin) return snapshots::not_whole("it is of another version");
  if (blocks->totals()[0] > blocks->bytes() / sizeof(PersonRow)) {
    return snapshots::not_whole("it is shorter than it says");
  }
  return SnapshotReader(*std::move(blocks), *std::move(origin));
}

template <class R>
std::span<const R> SnapshotReader::rows() const {
  // The words were written as rows of this kind, and words are aligned as rows have to be.
  const auto words = blocks_.words();
  return {reinterpret_cast<const R*>(words.data()), words.size_bytes() / sizeof(R)};
}

core::Status SnapshotReader::visit(std::uint64_t kind, SnapshotVisitor& visitor) {
  const auto take = [&](auto found, const auto& is_sound, auto tell) -> core::Status {
    for (const auto& row : found) {
      if (!is_sound(row)) return snapshots::not_whole("a row names what is not there");
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
      return snapshots::not_whole("a block is of no kind");
  }
}

core::Status SnapshotReader::read(SnapshotVisitor& visitor) {
  while (true) {
    const auto more = blocks_.next();
    if (!more) return more.error();
    if (!*more) break;
    if (const auto visited = visit(blocks_.kind(), visitor); !visited) return visited;
  }
  if (people_seen_ != people() || rows_seen_ != blocks_.totals()[1]) {
    return snapshots::not_whole("it has not as many rows as it says");
  }
  return core::success();
}

SnapshotWriter::SnapshotWriter(std::filesystem::path file, const SnapshotOrigin& origin)
    : blocks_(std::move(file), kForm, origin_text(origin)) {}

template <class R>
void SnapshotWriter::write_rows(std::vector<R>& rows) {
  if (rows.empty()) return;
  blocks_.write(kKindOf<R>, std::as_bytes(std::span(rows)));
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
  return blocks_.finish({people_, rows_});
}

}  // namespace tideline::scoring
