#include "scoring/projections/snapshot/snapshot_take.hpp"

#include <algorithm>
#include <optional>

#include "scoring/projections/engine/member_ids.hpp"
#include "scoring/projections/engine/score_tables.hpp"
#include "scoring/projections/snapshot/statistics.hpp"

namespace tideline::scoring {
namespace {

using sql::Transaction;

std::int32_t number_of(core::Day day) {
  return static_cast<std::int32_t>(day.time_since_epoch().count());
}

}  // namespace

SnapshotOrigin origin_of_tables(Transaction& transaction, const SnapshotMoment& moment) {
  FlushMark flush = last_flush(transaction);
  return {flush.tables, flush.number, std::move(flush.id), moment.now, moment.today};
}

void write_tables(Transaction& transaction, core::Day today, SnapshotWriter& writer) {
  const core::Day from =
      std::min(ScoreMemory::earned_from(today), today - std::chrono::days(kStatisticsDays - 1));
  MemberIds people;
  // Who has nothing but counters comes as somebody without points, as a load of the tables takes
  // it.
  const auto number = [&](const core::AccountId& account) {
    const auto known = people.size();
    const MemberNumber person = people.number_of(account);
    if (person == known) writer.add(PersonRow::of(account, {}));
    return person;
  };
  visit_scores(transaction, std::nullopt,
               [&](const core::AccountId& account, const PersonScore& score) {
                 people.number_of(account);
                 writer.add(PersonRow::of(account, score));
               });
  visit_days(transaction, std::nullopt, from,
             [&](const core::AccountId& account, core::Day day, const Totals& earned) {
               writer.add(DayRow{number(account), number_of(day), earned.points,
                                 earned.reached_at.time_since_epoch().count()});
             });
  visit_counts(
      transaction, std::nullopt, ScoreMemory::counted_from(today),
      [&](const core::AccountId& account, core::Day day, Reason reason, std::uint32_t events) {
        writer.add(
            CountRow{number(account), number_of(day), static_cast<std::uint32_t>(reason), events});
      });
  for (const DayAwards& one : list_awards(transaction, from)) {
    writer.add(AwardsRow{number_of(one.day), static_cast<std::uint32_t>(one.reason), one.events,
                         one.points});
  }
}

core::Result<std::filesystem::path> take_snapshot(sql::Database& database,
                                                  const SnapshotFolder& folder,
                                                  const SnapshotMoment& moment, std::size_t kept) {
  std::filesystem::path file = folder.file_of(moment.now);
  std::optional<SnapshotWriter> writer;
  const auto read = database.snapshot([&](Transaction& transaction) {
    hold_tables(transaction);
    writer.emplace(file, origin_of_tables(transaction, moment));
    write_tables(transaction, moment.today, *writer);
  });
  if (!read) return read.error();
  if (const auto written = writer->finish(); !written) return written.error();
  folder.forget_others(kept);
  return file;
}

}  // namespace tideline::scoring
