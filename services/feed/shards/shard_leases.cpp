#include "feed/shards/shard_leases.hpp"

#include <algorithm>
#include <utility>

namespace tideline::feed {
namespace {

using sql::Transaction;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Parts of a lease: renewed so often while all is settled, looked at so often while it is not, and
// so much earlier over for its owner than for the others.
constexpr int kRenewals = 5;
constexpr int kHurriedLooks = 25;
constexpr int kMargins = 5;
constexpr std::size_t kWaitingMax = 1'000;

// Until then whether it can serve is asked this often.
constexpr milliseconds kBeforeJoining{50};

std::vector<std::int64_t> numbers_of(const ShardSet& shards) {
  std::vector<std::int64_t> numbers;
  for (std::size_t shard = 0; shard < kShards; ++shard) {
    if (shards[shard]) numbers.push_back(static_cast<std::int64_t>(shard));
  }
  return numbers;
}

std::size_t shard_in(const sql::Row& row) { return static_cast<std::size_t>(row.integer(0)); }

constexpr const char* kStay =
    "INSERT INTO feed_instance (name, address, lives_until)"
    " VALUES ($1, $2, clock_timestamp() + $3::bigint * interval '1 millisecond')"
    " ON CONFLICT (name) DO UPDATE"
    " SET address = excluded.address, lives_until = excluded.lives_until";
// What a process before this one has left under its name.
constexpr const char* kFreeLeftovers =
    "UPDATE feed_shard SET owner = NULL, leased_until = '-infinity' WHERE owner = $1";
// Also beyond the lease, when nobody has claimed it meanwhile.
constexpr const char* kRenew =
    "UPDATE feed_shard SET leased_until = clock_timestamp() + $4::bigint * interval '1 millisecond'"
    " WHERE owner = $1 AND (shard, generation) IN"
    " (SELECT * FROM unnest($2::smallint[], $3::bigint[])) RETURNING shard";
constexpr const char* kShardsOfAll =
    "SELECT shard, CASE WHEN leased_until > clock_timestamp() THEN owner END FROM feed_shard";
constexpr const char* kInstances =
    "SELECT name, address FROM feed_instance WHERE lives_until > clock_timestamp()";
// A row that somebody else has in flight is his, or is left for the next look.
constexpr const char* kLockFree =
    "SELECT shard FROM feed_shard WHERE shard = ANY($1::smallint[])"
    " AND (owner IS NULL OR leased_until <= clock_timestamp()) FOR UPDATE SKIP LOCKED";
constexpr const char* kClaim =
    "UPDATE feed_shard SET owner = $1, generation = generation + 1,"
    " leased_until = clock_timestamp() + $3::bigint * interval '1 millisecond'"
    " WHERE shard = ANY($2::smallint[]) RETURNING shard, generation";
constexpr const char* kFree =
    "UPDATE feed_shard SET owner = NULL, leased_until = '-infinity' WHERE owner = $1"
    " AND (shard, generation) IN (SELECT * FROM unnest($2::smallint[], $3::bigint[]))";
constexpr const char* kGo =
    "UPDATE feed_instance SET lives_until = '-infinity' WHERE name = $1 AND address = $2";

}  // namespace

ShardLeases::ShardLeases(Ports ports, ShardLeaseOptions options)
    : ports_(std::move(ports)), options_(std::move(options)) {}

void ShardLeases::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    if (has_joined() || ports_.can_serve()) look();
    call_waiting();
    std::unique_lock lock(mutex_);
    stopped_.wait_for(lock, stop, has_joined_ ? pause() : kBeforeJoining, [] { return false; });
  }
  leave();
  {
    const std::lock_guard lock(mutex_);
    is_looking_ = false;
  }
  call_waiting();
}

milliseconds ShardLeases::pause() const {
  return options_.lease / (is_settled_ ? kRenewals : kHurriedLooks);
}

void ShardLeases::look() {
  const nanoseconds asked_at = ports_.time_since_boot();
  Rows rows;
  const auto done =
      ports_.database.transact([&](Transaction& transaction) { rows = exchange(transaction); });
  if (done.ok() != is_connected_) {
    is_connected_ = done.ok();
    if (done) {
      log("info", "the shards' rows can be reached again");
    } else {
      log("warning", "the shards' rows cannot be reached: " + done.error().message);
    }
  }
  // What it holds runs out by itself.
  if (!done) return;
  std::erase_if(generations_, [&](const auto& mine) { return !rows.renewed[mine.first]; });
  {
    const std::lock_guard lock(mutex_);
    seen_ = rows.table;
    seen_at_ = asked_at;
    addresses_ = std::move(rows.addresses);
  }
  ShardPlan plan = plan_shards(options_.instance, rows.table);
  plan.give_up &= rows.renewed;
  carry_out(plan, rows.renewed, asked_at);
}

// In one transaction: what it returns holds together.
ShardLeases::Rows ShardLeases::exchange(Transaction& transaction) const {
  Rows rows;
  if (ports_.can_serve()) {
    const std::int64_t lease_ms = options_.lease.count();
    transaction.execute(kStay, {options_.instance, options_.address, lease_ms});
    if (!has_joined()) transaction.execute(kFreeLeftovers, {options_.instance});
    std::vector<std::int64_t> shards;
    std::vector<std::int64_t> generations;
    for (const auto& [shard, generation] : generations_) {
      shards.push_back(static_cast<std::int64_t>(shard));
      generations.push_back(generation);
    }
    for (const auto& row :
         transaction.execute(kRenew, {options_.instance, shards, generations, lease_ms})) {
      rows.renewed.set(shard_in(row));
    }
  } else {
    ShardSet all;
    free(transaction, all.set());
    transaction.execute(kGo, {options_.instance, options_.address});
  }
  for (const auto& row : transaction.execute(kShardsOfAll)) {
    rows.table.owners[shard_in(row)] = row.nullable_text(1).value_or("");
  }
  for (const auto& row : transaction.execute(kInstances)) {
    rows.addresses[row.text(0)] = row.text(1);
  }
  for (const auto& [name, address] : rows.addresses) rows.table.instances.push_back(name);
  return rows;
}

void ShardLeases::carry_out(const ShardPlan& plan, ShardSet held, nanoseconds asked_at) {
  is_settled_ = plan.is_settled;
  // Not answered for any more, before anybody else can have it.
  held &= ~plan.give_up;
  hold(held, asked_at);
  Generations claimed;
  if (plan.give_up.any() || plan.claim.any()) {
    const auto done = ports_.database.transact([&](Transaction& transaction) {
      claimed.clear();
      if (plan.give_up.any()) free(transaction, plan.give_up);
      if (plan.claim.any()) held |= claim(transaction, plan.claim, claimed);
    });
    if (!done) return log("warning", "shards did not move: " + done.error().message);
    std::erase_if(generations_, [&](const auto& mine) { return plan.give_up[mine.first]; });
    for (const auto& [shard, generation] : claimed) generations_[shard] = generation;
    hold(held, asked_at);
    log("info", "gave up " + std::to_string(plan.give_up.count()) + " shards, claimed " +
                    std::to_string(claimed.size()) + ", has " + std::to_string(held.count()));
  }
  const std::lock_guard lock(mutex_);
  has_joined_ = has_joined_ || std::ranges::count(seen_.instances, options_.instance) != 0;
}

ShardSet ShardLeases::claim(Transaction& transaction, const ShardSet& wanted,
                            Generations& claimed) const {
  std::vector<std::int64_t> locked;
  for (const auto& row : transaction.execute(kLockFree, {numbers_of(wanted)})) {
    locked.push_back(row.integer(0));
  }
  ShardSet got;
  for (const auto& row :
       transaction.execute(kClaim, {options_.instance, locked, options_.lease.count()})) {
    got.set(shard_in(row));
    claimed[shard_in(row)] = row.integer(1);
  }
  return got;
}

void ShardLeases::free(Transaction& transaction, const ShardSet& shards) const {
  std::vector<std::int64_t> freed;
  std::vector<std::int64_t> generations;
  for (const auto& [shard, generation] : generations_) {
    if (!shards[shard]) continue;
    freed.push_back(static_cast<std::int64_t>(shard));
    generations.push_back(generation);
  }
  if (!freed.empty()) transaction.execute(kFree, {options_.instance, freed, generations});
}

void ShardLeases::hold(const ShardSet& shards, nanoseconds asked_at) {
  bool is_change = false;
  {
    const std::lock_guard lock(mutex_);
    is_change = held_ != shards;
    held_ = shards;
    held_until_ = asked_at + options_.lease - options_.lease / kMargins;
    for (std::size_t shard = 0; shard < kShards; ++shard) {
      if (shards[shard]) seen_.owners[shard] = options_.instance;
    }
  }
  if (is_change) ports_.on_change(shards);
}

void ShardLeases::leave() {
  {
    const std::lock_guard lock(mutex_);
    held_.reset();
  }
  const auto done = ports_.database.transact([&](Transaction& transaction) {
    ShardSet all;
    free(transaction, all.set());
    transaction.execute(kGo, {options_.instance, options_.address});
  });
  if (!done) log("warning", "left without a word: " + done.error().message);
  generations_.clear();
}

ShardPlace ShardLeases::find(std::size_t shard) const {
  using enum ShardPlace::Kind;
  const std::lock_guard lock(mutex_);
  if (held_[shard] && ports_.time_since_boot() < held_until_) return {Here, options_.instance, ""};
  const std::string& owner = seen_.owners[shard];
  const auto address = addresses_.find(owner);
  if (owner == options_.instance || address == addresses_.end()) return {};
  return {Elsewhere, owner, address->second};
}

std::size_t ShardLeases::held_count() const {
  const std::lock_guard lock(mutex_);
  return ports_.time_since_boot() < held_until_ ? held_.count() : 0;
}

bool ShardLeases::has_joined() const {
  const std::lock_guard lock(mutex_);
  return has_joined_;
}

void ShardLeases::after_next_look(std::function<void()> then) {
  {
    const std::lock_guard lock(mutex_);
    const bool is_seeing = ports_.time_since_boot() < seen_at_ + options_.lease;
    if (is_looking_ && is_seeing && waiting_.size() < kWaitingMax) {
      waiting_.push_back(std::move(then));
      return;
    }
  }
  then();
}

void ShardLeases::call_waiting() {
  std::vector<std::function<void()>> due;
  {
    const std::lock_guard lock(mutex_);
    due.swap(waiting_);
  }
  for (const auto& then : due) then();
}

void ShardLeases::log(std::string_view level, const std::string& text) const {
  if (ports_.log) ports_.log(level, text);
}

}  // namespace tideline::feed
