#include "blocks/block_model.hpp"

#include "blocks/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::blocks {

void BlockModel::apply(const eventsourcing::RecordedEvent& event) {
  if (const auto blocked = eventsourcing::read_as<read::PersonBlocked>(event)) {
    rows_[{blocked->by, blocked->other}] = {true, event.time, event.version};
  } else if (const auto unblocked = eventsourcing::read_as<read::PersonUnblocked>(event)) {
    rows_[{unblocked->by, unblocked->other}] = {false, event.time, event.version};
  }
}

void BlockModel::flush(sql::Transaction& transaction) const {
  sql::write_batch(transaction,
                   "INSERT INTO person_block AS held (owner, other, active, since, version)"
                   " SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::boolean[],"
                   " $4::timestamptz[], $5::bigint[])"
                   " ON CONFLICT (owner, other) DO UPDATE SET active = excluded.active,"
                   " since = excluded.since, version = excluded.version"
                   " WHERE excluded.version > held.version",
                   rows_, &Key::first, &Key::second, &Row::active, &Row::since, &Row::version);
}

}  // namespace tideline::blocks
