#include "scoring/fence/fence.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace tideline::scoring {
namespace {

using sql::Transaction;
using std::chrono::nanoseconds;

// Parts of a lease: renewed so often, and so much earlier over for its holder than for the others.
constexpr int kRenewals = 10;
constexpr int kMargins = 5;
constexpr std::chrono::milliseconds kAttempts{500};

constexpr const char* kTake =
    "UPDATE scoring_fence SET holder = $1, generation = generation + 1,"
    " leased_until = clock_timestamp() + $2::bigint * interval '1 millisecond'"
    " WHERE holder = $1 OR leased_until <= clock_timestamp() RETURNING generation";
// Also beyond the lease, when nobody has taken it meanwhile.
constexpr const char* kRenew =
    "UPDATE scoring_fence SET"
    " leased_until = clock_timestamp() + $2::bigint * interval '1 millisecond'"
    " WHERE generation = $1 RETURNING generation";
constexpr const char* kLeave =
    "UPDATE scoring_fence SET leased_until = '-infinity' WHERE generation = $1";

}  // namespace

Fence::Fence(Ports ports, FenceOptions options)
    : ports_(std::move(ports)), options_(std::move(options)) {}

void Fence::wait() {
  if (take()) return;
  log("info", "waits until no other process answers");
  while (!take()) std::this_thread::sleep_for(kAttempts);
}

void Fence::run(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  while (!stop.stop_requested()) {
    if (generation_ && !renew() && !generation_) ports_.on_lost();
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, stop, options_.lease / kRenewals, [] { return false; });
  }
  leave();
}

bool Fence::take() {
  const nanoseconds asked_at = ports_.time_since_boot();
  std::optional<std::int64_t> taken;
  const auto done = ports_.database.transact([&](Transaction& transaction) {
    const auto rows = transaction.execute(kTake, {options_.holder, options_.lease.count()});
    taken = rows.empty() ? std::nullopt : std::optional(rows.front().integer(0));
  });
  if (!done) log("warning", "the fence cannot be reached: " + done.error().message);
  if (!done || !taken) return false;
  generation_ = taken;
  hold(asked_at);
  return true;
}

bool Fence::renew() {
  const nanoseconds asked_at = ports_.time_since_boot();
  bool renewed = false;
  const auto done = ports_.database.transact([&](Transaction& transaction) {
    renewed = !transaction.execute(kRenew, {*generation_, options_.lease.count()}).empty();
  });
  if (done.ok() != is_reached_) {
    is_reached_ = done.ok();
    log(is_reached_ ? "info" : "warning",
        is_reached_ ? "the fence can be reached again"
                    : "the fence cannot be reached: " + done.error().message);
  }
  if (!done) return false;  // what it holds runs out by itself
  if (renewed) {
    hold(asked_at);
    return true;
  }
  good_until_ = nanoseconds(-1);
  generation_.reset();
  log("error", "another process answers now");
  return false;
}

void Fence::leave() {
  good_until_ = nanoseconds(-1);
  if (!generation_) return;
  const auto done = ports_.database.transact(
      [&](Transaction& transaction) { transaction.execute(kLeave, {*generation_}); });
  if (!done) log("warning", "left without a word: " + done.error().message);
  generation_.reset();
}

void Fence::hold(nanoseconds asked_at) {
  good_until_ = asked_at + options_.lease - options_.lease / kMargins;
}

nanoseconds Fence::good_until() const { return good_until_; }

void Fence::log(std::string_view level, const std::string& text) const {
  if (ports_.log) ports_.log(level, text);
}

}  // namespace tideline::scoring
