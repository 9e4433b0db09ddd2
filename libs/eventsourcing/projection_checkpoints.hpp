// What a runner keeps of its progress in the database, as statements. Internal to the runner and
// its tests. Every function runs inside the caller's transaction and throws TransactionFailed.
#pragma once

#include <cstdint>
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
extern const char* const kPositionsSql;
extern const char* const kParkSql;
extern const char* const kParkedSql;
extern const char* const kSkippedSql;

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

// Of all partitions, whoever owns them.
PositionVector positions(Transaction& transaction, std::string_view projection);

struct ParkedEvent {
  RecordedEvent event;
  std::string reason;
};

void park(Transaction& transaction, std::string_view projection,
          const std::vector<ParkedEvent>& events);

struct DeadLetters {
  std::uint64_t count = 0;
  std::set<std::pair<std::string, std::string>> streams;  // service, stream
  std::set<std::pair<SourcePartition, core::LogPosition>> skipped;
};

DeadLetters dead_letters(Transaction& transaction, std::string_view projection);

}  // namespace tideline::eventsourcing::checkpoints
