#include "postgres/projections/state_topic_checkpoints.hpp"

#include <vector>

namespace tideline::postgres {

StateTopicOffsets state_topic_offsets(sql::Transaction& transaction, std::string_view view) {
  StateTopicOffsets offsets;
  for (const sql::Row& row : transaction.execute(
           "SELECT partition, next_offset FROM state_topic_checkpoint WHERE view = $1", {view})) {
    offsets[static_cast<std::uint32_t>(row.integer(0))] = core::KafkaOffset(row.integer(1));
  }
  return offsets;
}

void advance_state_topic(sql::Transaction& transaction, std::string_view view,
                         const StateTopicOffsets& next) {
  std::vector<std::uint32_t> partitions;
  std::vector<std::int64_t> offsets;
  for (const auto& [partition, offset] : next) {
    partitions.push_back(partition);
    offsets.push_back(offset.value());
  }
  transaction.execute(
      "INSERT INTO state_topic_checkpoint AS c (view, partition, next_offset)"
      " SELECT $1, n.partition, n.next_offset FROM unnest($2::int[], $3::bigint[])"
      " AS n(partition, next_offset) ORDER BY n.partition"
      " ON CONFLICT (view, partition) DO UPDATE SET next_offset = EXCLUDED.next_offset",
      {view, partitions, offsets});
}

}  // namespace tideline::postgres
