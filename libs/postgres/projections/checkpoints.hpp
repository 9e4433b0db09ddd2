// What a runner keeps of its progress in the database, as statements. Internal to the runner and
// its tests. Every function runs inside the caller's transaction and throws TransactionFailed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventsourcing/events/position_vector.hpp"
#include "eventsourcing/topics/record_source.hpp"
#include "sql/transaction.hpp"

namespace tideline::postgres::checkpoints {

extern const char* const kInsertMissingSql;
extern const char* const kClaimSql;
extern const char* const kAdvanceSql;
extern const char* const kRestartSql;
extern const char* const kHeldSql;
extern const char* const kParkSql;
extern const char* const kParkedSql;
extern const char* const kSkippedSql;
extern const char* const kMarkedSql;
extern const char* const kUnparkSql;
extern const char* const kKeepParkedSql;

struct Claim {
  eventsourcing::SourcePartition partition;
  std::int64_t generation = 0;
  core::KafkaOffset next_offset;
  core::LogPosition position;
};

// Raises the generation of each partition, so that an earlier owner's flush finds nothing to
// update, and locks them until the transaction ends.
std::vector<Claim> claim(sql::Transaction& transaction, std::string_view projection,
                         const std::vector<eventsourcing::SourcePartition>& partitions);

struct Step {
  eventsourcing::SourcePartition partition;
  std::int64_t generation = 0;
  core::LogPosition from;
  core::LogPosition to;
  core::KafkaOffset next_offset;
};

// False, with the transaction to be rolled back: another owner has claimed one of the partitions,
// or its position is not `from`.
bool advance(sql::Transaction& transaction, std::string_view projection,
             const std::vector<Step>& steps);

// Back to the first event, for all owners: each finds its generation raised.
void restart(sql::Transaction& transaction, std::string_view projection);

struct Held {
  core::LogPosition position;
  core::KafkaOffset next_offset;
  std::int64_t generation = 0;
};

// Of all partitions, the one that owns them.
std::map<eventsourcing::SourcePartition, Held> held(sql::Transaction& transaction,
                                                    std::string_view projection);
eventsourcing::PositionVector positions_of(
    const std::map<eventsourcing::SourcePartition, Held>& held);

struct ParkedEvent {
  eventsourcing::RecordedEvent event;
  std::string reason;
};

void park(sql::Transaction& transaction, std::string_view projection,
          const std::vector<ParkedEvent>& events);

struct DeadLetters {
  std::uint64_t count = 0;
  std::map<std::pair<std::string, std::string>, std::uint64_t> streams;  // service, stream
  std::set<std::pair<eventsourcing::SourcePartition, core::LogPosition>> skipped;
};

DeadLetters dead_letters(sql::Transaction& transaction, std::string_view projection);

// Parked events that are to be applied again, of all partitions, each log in its order.
std::vector<eventsourcing::RecordedEvent> marked(sql::Transaction& transaction,
                                                 std::string_view projection);

// What became of a marked event.
struct Replayed {
  eventsourcing::SourcePartition partition;
  core::LogPosition position;
  std::string stream;
  std::optional<std::string> still_parked;  // the reason
};

// Removes the rows of those that were applied, takes the mark off the others. False, with the
// transaction to be rolled back: one of them is not there any more.
bool record_replayed(sql::Transaction& transaction, std::string_view projection,
                     const std::vector<Replayed>& events);

}  // namespace tideline::postgres::checkpoints
