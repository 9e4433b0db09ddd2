// Viewers lie in 64 shards, and each shard is at one instance of this service at a time: it alone
// keeps its viewers' timelines in memory. Here is the rule by which instances share the shards;
// projections/shard_leases.hpp carries it out.
//
// With n instances each has 64/n shards, rounded up or down. One that comes takes just its share, a
// shard from here and there, and one that goes leaves just its own: no other shard moves.
//
// Values and pure functions.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <string>
#include <vector>

#include "core/ids.hpp"

namespace tideline::feed {

inline constexpr std::size_t kShards = 64;
using ShardSet = std::bitset<kShards>;

// The first six bits of the account id.
constexpr std::size_t shard_of(const core::AccountId& account) { return account.bytes()[0] >> 2; }

// Where a shard is, as far as one instance knows.
struct ShardPlace {
  enum class Kind {
    Here,
    Elsewhere,  // at another instance, which lives as far as is known
    Nowhere,    // at nobody, or not known
  };

  Kind kind = Kind::Nowhere;
  std::string instance;  // its name; "" of Nowhere
  std::string address;   // host:port of Elsewhere
};

// Who had what at one moment.
struct ShardTable {
  std::vector<std::string> instances;       // that live, ascending
  std::array<std::string, kShards> owners;  // "" = anyone who comes first may have it
};

// What one instance is to do. Everybody who looks at the same table comes to the same end: what one
// claims no other one does.
struct ShardPlan {
  ShardSet give_up;         // of its own
  ShardSet claim;           // of those that are nobody's
  bool is_settled = false;  // nothing is left to be done by anybody

  friend bool operator==(const ShardPlan&, const ShardPlan&) = default;
};

// How many shards the instance in that place (from 0) of `instances` is to have.
constexpr std::size_t share_of(std::size_t place, std::size_t instances) {
  return kShards / instances + (place < kShards % instances ? 1 : 0);
}

ShardPlan plan_shards(const std::string& instance, const ShardTable& table);

}  // namespace tideline::feed
