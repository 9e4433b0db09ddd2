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

#include "eventsourcing/position_vector.hpp"
#include "eventsourcing/record_source.hpp"
#include "eventsourcing/transaction.hpp"

namespace tideline::eventsourcing::checkpoints {

extern const char* const kInsertMissingSql;
extern const char* const kClaimSql;
extern const char* const kAdvanceSql;
extern const char* const kHeldSql;
extern const char* const kParkSql;
extern const char* const kParkedSql;
extern const char* const kSkippedSql;
extern const char* const kMarkedSql;
extern const char* const kUnparkSql;
extern const char* const kKeepParkedSql;

struct Claim {
  SourcePartition partition;
  std::int64_t generation = 0;
  core::KafkaOffset next_offset;
  core::LogPosition position;
};

// Raises the generation of each partition, so that an earlier owner's flush finds nothing to
// update, and locks them until the transaction ends.
std::vector<Claim> claim(Transaction& transaction, std::string_view projection,
                         const std::vector<SourcePartition>& partitions);

struct Step {
  SourcePartition partition;
  std::int64_t generation = 0;
  core::LogPosition from;
  core::LogPosition to;
  core::KafkaOffset next_offset;
};

// False, with the transaction to be rolled back: another owner has claimed one of the partitions,
// or its position is not `from`.
bool advance(Transaction& transaction, std::string_view projection, const std::vector<Step>& steps);

struct Held {
  core::LogPosition position;
  core::KafkaOffset next_offset;
  std::int64_t generation = 0;
};

// Of all partitions, the one that owns them.
std::map<SourcePartition, Held> held(Transaction& transaction, std::string_view projection);
PositionVector positions_of(const std::map<SourcePartition, Held>& held);

struct ParkedEvent {
  RecordedEvent event;
  std::string reason;
};

void park(Transaction& transaction, std::string_view projection,
          const std::vector<ParkedEvent>& events);

struct DeadLetters {
  std::uint64_t count = 0;
  std::map<std::pair<std::string, std::string>, std::uint64_t> streams;  // service, stream
  std::set<std::pair<SourcePartition, core::LogPosition>> skipped;
};

DeadLetters dead_letters(Transaction& transaction, std::string_view projection);

// Parked events that are to be applied again, of all partitions, each log in its order.
std::vector<RecordedEvent> marked(Transaction& transaction, std::string_view projection);

// What became of a marked event.
struct Replayed {
  SourcePartition partition;
  core::LogPosition position;
  std::string stream;
  std::optional<std::string> still_parked;  // the reason
};

// Removes the rows of those that were applied, takes the mark off the others. False, with the
// transaction to be rolled back: one of them is not there any more.
bool record_replayed(Transaction& transaction, std::string_view projection,
                     const std::vector<Replayed>& events);

}  // namespace tideline::eventsourcing::checkpoints
