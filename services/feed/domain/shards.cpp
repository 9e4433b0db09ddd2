#include "feed/domain/shards.hpp"

namespace tideline::feed {

ShardPlan plan_shards(const std::string& instance, const ShardTable& table) {
  ShardPlan plan;
  plan.is_settled = true;
  std::size_t next_free = 0;
  const auto take_next_free = [&]() -> std::size_t {
    while (next_free < kShards && !table.owners[next_free].empty()) ++next_free;
    return next_free < kShards ? next_free++ : kShards;
  };
  for (std::size_t place = 0; place < table.instances.size(); ++place) {
    const std::string& owner = table.instances[place];
    const std::size_t share = share_of(place, table.instances.size());
    std::size_t has = 0;
    for (std::size_t shard = 0; shard < kShards; ++shard) {
      if (table.owners[shard] != owner) continue;
      ++has;
      if (has > share && owner == instance) plan.give_up.set(shard);
    }
    plan.is_settled = plan.is_settled && has == share;
    for (; has < share; ++has) {
      const std::size_t shard = take_next_free();
      if (shard == kShards) break;
      if (owner == instance) plan.claim.set(shard);
    }
  }
  return plan;
}

}  // namespace tideline::feed
