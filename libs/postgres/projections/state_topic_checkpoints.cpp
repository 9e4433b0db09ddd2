#include "postgres/projections/state_topic_checkpoints.hpp"

#include <algorithm>
#include <vector>

namespace tideline::postgres {

StateTopicPlace state_topic_place(sql::Transaction& transaction, std::string_view view) {
  StateTopicPlace place;
  for (const sql::Row& row : transaction.execute(
           "SELECT partition, next_offset, edition FROM state_topic_checkpoint WHERE view = $1",
           {view})) {
    place.next[static_cast<std::uint32_t>(row.integer(0))] = core::KafkaOffset(row.integer(1));
    place.edition = std::max(place.edition, row.integer(2));
  }
  return place;
}

void advance_state_topic(sql::Transaction& transaction, std::string_view view,
                         const StateTopicPlace& place) {
  std::vector<std::uint32_t> partitions;
  std::vector<std::int64_t> offsets;
  for (const auto& [partition, offset] : place.next) {
    partitions.push_back(partition);
    offsets.push_back(offset.value());
  }
  transaction.execute(
      "INSERT INTO state_topic_checkpoint AS c (view, partition, next_offset, edition)"
      " SELECT $1, n.partition, n.next_offset, $4::bigint FROM unnest($2::int[], $3::bigint[])"
      " AS n(partition, next_offset) ORDER BY n.partition"
      " ON CONFLICT (view, partition) DO UPDATE"
      " SET next_offset = excluded.next_offset, edition = excluded.edition"
      " WHERE (excluded.edition, excluded.next_offset) > (c.edition, c.next_offset)",
      {view, partitions, offsets, place.edition});
}

}  // namespace tideline::postgres
