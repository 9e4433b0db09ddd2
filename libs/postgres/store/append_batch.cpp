#include "postgres/store/append_batch.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "core/check.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/store/append_rules.hpp"

namespace tideline::postgres {
namespace {

using core::LogIndex;
using core::LogPosition;
using core::StreamId;
using core::StreamVersion;
using eventsourcing::AlreadyDone;
using eventsourcing::Append;
using eventsourcing::Appended;
using eventsourcing::AppendOutcome;
using eventsourcing::IdempotencyKey;
using eventsourcing::KeyReused;
using eventsourcing::PositionVector;

auto name_of(const IdempotencyKey& key) { return std::tie(key.scope, key.route, key.key); }

struct ByName {
  bool operator()(const IdempotencyKey* one, const IdempotencyKey* other) const {
    return name_of(*one) < name_of(*other);
  }
};

// Folds the appends of one batch over the state that the database had.
class Planner {
 public:
  Planner(const BatchScope& scope, const LockedState& state, const BatchTerms& terms,
          core::Random& random)
      : terms_(terms), random_(random), heads_(state.heads), versions_(state.versions) {
    for (const auto& [index, known] : state.results) results_[scope.keys[index]] = known;
  }

  AppendOutcome decide(const Append& append) {
    if (append.idempotency) {
      if (auto outcome = known(*append.idempotency, append.time)) return std::move(*outcome);
    }
    const auto version_of = [&](const StreamId& stream) { return versions_.at(stream.value()); };
    if (auto conflict = first_conflict(append, version_of)) return std::move(*conflict);

    PositionVector positions = place(append);
    if (append.idempotency) remember(append, positions);
    return Appended{std::move(positions)};
  }

  BatchPlan take() { return std::move(plan_); }

 private:
  std::optional<AppendOutcome> known(const IdempotencyKey& key, core::Timestamp now) const {
    const auto found = results_.find(&key);
    if (found == results_.end() || found->second.expires_at <= now) return std::nullopt;
    if (found->second.body_hash != key.body_hash) return AppendOutcome(KeyReused{});
    return AppendOutcome(AlreadyDone{found->second.result});
  }

  PositionVector place(const Append& append) {
    PositionVector positions;
    for (const auto& stream : append.streams) {
      const std::string_view name = stream.stream.value();
      const LogIndex log = core::log_of(name, terms_.logs);
      LogPosition& head = heads_.at(log);
      StreamVersion& version = versions_.at(name);
      for (const auto& event : stream.events) {
        head = LogPosition(head.value() + 1);
        version = StreamVersion(version.value() + 1);
        plan_.events.push_back(
            {&append, &event, name, version, log, head, core::make_uuid_v7(append.time, random_)});
      }
      positions.raise(terms_.service, log, head);
      plan_.heads[log] = head;
    }
    return positions;
  }

  void remember(const Append& append, const PositionVector& positions) {
    KnownResult& known = results_[&*append.idempotency];
    known = {append.idempotency->body_hash, append.result, append.time + terms_.idempotency_ttl};
    known.result.positions.join(positions);
    plan_.results.push_back({&*append.idempotency, known.result, known.expires_at});
  }

  const BatchTerms& terms_;
  core::Random& random_;
  std::map<LogIndex, LogPosition> heads_;
  StreamVersions versions_;
  std::map<const IdempotencyKey*, KnownResult, ByName> results_;
  BatchPlan plan_;
};

}  // namespace

BatchScope scope_of(Appends appends, std::uint32_t logs) {
  BatchScope scope;
  std::set<const IdempotencyKey*, ByName> keys;
  std::set<LogIndex> all_logs;
  for (const Append* append : appends) {
    for (const auto& stream : append->streams) scope.streams.push_back(stream.stream.value());
    for (const auto& assertion : append->assertions) {
      scope.streams.push_back(assertion.stream.value());
    }
    if (append->idempotency) {
      keys.insert(&*append->idempotency);
      all_logs.insert(log_of_key(*append->idempotency, logs));
    }
  }
  std::sort(scope.streams.begin(), scope.streams.end());
  scope.streams.erase(std::unique(scope.streams.begin(), scope.streams.end()), scope.streams.end());
  for (const std::string_view stream : scope.streams) all_logs.insert(core::log_of(stream, logs));
  scope.logs.assign(all_logs.begin(), all_logs.end());
  scope.keys.assign(keys.begin(), keys.end());
  return scope;
}

BatchPlan plan_batch(Appends appends, const BatchScope& scope, const LockedState& state,
                     const BatchTerms& terms, core::Random& random) {
  Planner planner(scope, state, terms, random);
  std::vector<AppendOutcome> outcomes;
  outcomes.reserve(appends.size());
  for (const Append* append : appends) outcomes.push_back(planner.decide(*append));
  BatchPlan plan = planner.take();
  plan.outcomes = std::move(outcomes);
  return plan;
}

LockedState presumed_state(Appends appends, const BatchScope& scope,
                           const std::map<LogIndex, LogPosition>& heads) {
  LockedState state;
  for (const LogIndex log : scope.logs) state.heads[log] = heads.at(log);
  state.versions.reserve(scope.streams.size());
  for (const Append* append : appends) {
    for (const auto& assertion : append->assertions) {
      state.versions.emplace(assertion.stream.value(), assertion.expected);
    }
    for (const auto& stream : append->streams) {
      state.versions.emplace(stream.stream.value(), stream.expected);
    }
  }
  return state;
}

std::vector<std::string_view> unproven_streams(const BatchScope& scope, const BatchPlan& plan) {
  std::unordered_set<std::string_view> begun;
  begun.reserve(plan.events.size());
  for (const PlannedEvent& event : plan.events) {
    if (event.version == StreamVersion(1)) begun.insert(event.stream);
  }
  std::vector<std::string_view> unproven;
  for (const std::string_view stream : scope.streams) {
    if (!begun.contains(stream)) unproven.push_back(stream);
  }
  return unproven;
}

bool all_appended(const BatchPlan& plan) {
  return std::all_of(plan.outcomes.begin(), plan.outcomes.end(),
                     [](const auto& outcome) { return std::holds_alternative<Appended>(outcome); });
}

std::vector<LogIndex> logs_of(const BatchPlan& plan, std::uint32_t logs) {
  std::set<LogIndex> all;
  for (const auto& [log, position] : plan.heads) all.insert(log);
  for (const PlannedResult& result : plan.results) all.insert(log_of_key(*result.key, logs));
  return {all.begin(), all.end()};
}

}  // namespace tideline::postgres
