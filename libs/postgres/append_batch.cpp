#include "postgres/append_batch.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/check.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/append_rules.hpp"

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
using eventsourcing::Visibility;

auto name_of(const IdempotencyKey& key) { return std::tie(key.scope, key.route, key.key); }

struct ByName {
  bool operator()(const IdempotencyKey* one, const IdempotencyKey* other) const {
    return name_of(*one) < name_of(*other);
  }
};

// The columns of several rows, to be written as arrays: one parameter a column, not one a value.
template <class Rows, class Column>
std::string array_of(Session& session, const Rows& rows, const Column& column) {
  std::vector<std::decay_t<decltype(column(*rows.begin()))>> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(column(row));
  return session.quote(eventsourcing::Param(values));
}

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
    const auto version_of = [&](const StreamId& stream) { return versions_.at(stream); };
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
      const LogIndex log = core::log_of(stream.stream.value(), terms_.logs);
      LogPosition& head = heads_.at(log);
      StreamVersion& version = versions_.at(stream.stream);
      for (const auto& event : stream.events) {
        head = LogPosition(head.value() + 1);
        version = StreamVersion(version.value() + 1);
        plan_.events.push_back({&append, &event, stream.stream, version, log, head,
                                core::make_uuid_v7(append.time, random_)});
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
  std::unordered_map<StreamId, StreamVersion> versions_;
  std::map<const IdempotencyKey*, KnownResult, ByName> results_;
  BatchPlan plan_;
};

// "EXECUTE name(literal, literal ...);"
std::string execute_sql(const char* name, const std::vector<std::string>& literals) {
  std::string sql = std::string("EXECUTE ") + name;
  const char* separator = "(";
  for (const std::string& literal : literals) {
    sql.append(separator).append(literal);
    separator = ",";
  }
  return sql + ");";
}

std::string insert_events_sql(Session& session, const std::vector<PlannedEvent>& events) {
  using Event = const PlannedEvent&;
  const auto column = [&](const auto& value_of) { return array_of(session, events, value_of); };
  const auto text = [&](const auto& value_of) {
    return column([&](Event e) { return std::string_view(value_of(e)); });
  };
  using Text = const std::string&;
  return execute_sql(
      "insert_events",
      {column([](Event e) { return e.log; }), column([](Event e) { return e.position; }),
       text([](Event e) -> Text { return e.stream.value(); }),
       column([](Event e) { return e.version; }), text([](Event e) -> Text { return e.id; }),
       text([](Event e) -> Text { return e.event->type; }),
       column([](Event e) { return e.event->schema_version; }),
       column([](Event e) { return e.event->visibility == Visibility::Private ? "t" : "f"; }),
       column([](Event e) { return e.append->time; }),
       text([](Event e) -> Text { return e.append->metadata.correlation_id; }),
       text([](Event e) -> Text { return e.append->metadata.causation_id; }),
       text([](Event e) -> Text { return e.append->metadata.traceparent; }),
       text([](Event e) -> Text { return e.event->data; })});
}

std::string insert_results_sql(Session& session, const std::vector<PlannedResult>& results) {
  using Result = const PlannedResult&;
  const auto column = [&](const auto& value_of) { return array_of(session, results, value_of); };
  const auto text = [&](const auto& value_of) {
    return column([&](Result r) { return std::string_view(value_of(r)); });
  };
  using Text = const std::string&;
  return execute_sql("insert_results",
                     {text([](Result r) -> Text { return r.key->scope; }),
                      text([](Result r) -> Text { return r.key->route; }),
                      text([](Result r) -> Text { return r.key->key; }),
                      text([](Result r) -> Text { return r.key->body_hash; }),
                      column([](Result r) { return r.result.status; }),
                      text([](Result r) -> Text { return r.result.body; }),
                      text([](Result r) -> Text { return r.result.location; }),
                      text([](Result r) -> Text { return r.result.etag; }),
                      column([](Result r) { return r.result.positions.to_token(); }),
                      column([](Result r) { return r.expires_at; })});
}

}  // namespace

const char* const kAppendChannel = "tideline_append";

// Generic plans are made once, perhaps while the tables are empty: whatever their size then, every
// statement here is a lookup by index. Only an expired result can be in the way of a new one, since
// a live one was found under the same lock.
const char* const kPrepareSql = R"sql(
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
PREPARE lock_logs(int[]) AS
  SELECT 1 FROM event_log WHERE log = ANY($1) ORDER BY log FOR UPDATE;
PREPARE read_state(int[], text[], text[], text[], text[]) AS
  SELECT 'head', log::bigint, position, NULL::text, NULL::int, NULL::text, NULL::text, NULL::text,
         NULL::text
    FROM event_log WHERE log = ANY($1)
  UNION ALL
  SELECT 'stream', wanted.index, coalesce((SELECT version FROM event WHERE stream_id = wanted.id
                                           ORDER BY version DESC LIMIT 1), 0),
         NULL, NULL, NULL, NULL, NULL, NULL
    FROM unnest($2) WITH ORDINALITY wanted(id, index)
  UNION ALL
  SELECT 'key', wanted.index, known.expires_us, known.body_hash, known.status, known.body,
         known.location, known.etag, known.positions
    FROM unnest($3, $4, $5) WITH ORDINALITY wanted(scope, route, key, index)
    CROSS JOIN LATERAL (
      SELECT r.*, (extract(epoch FROM r.expires_at) * 1000000)::bigint AS expires_us
        FROM idempotency_result r
       WHERE r.scope = wanted.scope AND r.route = wanted.route AND r.key = wanted.key LIMIT 1) known;
PREPARE insert_events(int[], bigint[], text[], bigint[], uuid[], text[], int[], boolean[],
                      timestamptz[], text[], text[], text[], text[]) AS
  INSERT INTO event (log, position, stream_id, version, event_id, type, schema_version, private,
                     recorded_at, correlation_id, causation_id, traceparent, data)
  SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);
PREPARE insert_results(text[], text[], text[], text[], int[], text[], text[], text[], text[],
                       timestamptz[]) AS
  INSERT INTO idempotency_result (scope, route, key, body_hash, status, body, location, etag,
                                  positions, expires_at)
  SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (scope, route, key) DO UPDATE
    SET body_hash = excluded.body_hash, status = excluded.status, body = excluded.body,
        location = excluded.location, etag = excluded.etag, positions = excluded.positions,
        expires_at = excluded.expires_at;
PREPARE move_logs(int[], bigint[]) AS
  UPDATE event_log SET position = moved.position FROM unnest($1, $2) moved(log, position)
   WHERE event_log.log = moved.log;
)sql";

BatchScope scope_of(Appends appends, std::uint32_t logs) {
  std::set<LogIndex> all_logs;
  std::set<StreamId> streams;
  std::set<const IdempotencyKey*, ByName> keys;
  for (const Append* append : appends) {
    for (const auto& stream : append->streams) streams.insert(stream.stream);
    for (const auto& assertion : append->assertions) streams.insert(assertion.stream);
    if (append->idempotency) {
      keys.insert(&*append->idempotency);
      all_logs.insert(log_of_key(*append->idempotency, logs));
    }
  }
  for (const StreamId& stream : streams) all_logs.insert(core::log_of(stream.value(), logs));
  return {{all_logs.begin(), all_logs.end()},
          {streams.begin(), streams.end()},
          {keys.begin(), keys.end()}};
}

std::string lock_sql(Session& session, const std::vector<LogIndex>& logs) {
  return "BEGIN ISOLATION LEVEL READ COMMITTED;" +
         execute_sql("lock_logs", {session.quote(eventsourcing::Param(logs))});
}

std::string lock_and_read_sql(Session& session, const BatchScope& scope) {
  const auto column = [&](const auto& value_of) { return array_of(session, scope.keys, value_of); };
  using Key = const IdempotencyKey*;
  return lock_sql(session, scope.logs) +
         execute_sql("read_state", {session.quote(eventsourcing::Param(scope.logs)),
                                    session.quote(eventsourcing::Param(scope.streams)),
                                    column([](Key key) { return std::string_view(key->scope); }),
                                    column([](Key key) { return std::string_view(key->route); }),
                                    column([](Key key) { return std::string_view(key->key); })});
}

LockedState read_state(const eventsourcing::Rows& rows, const BatchScope& scope) {
  LockedState state;
  for (const auto& row : rows) {
    const std::string& kind = row.text(0);
    const auto number = static_cast<std::size_t>(row.integer(1));
    const std::int64_t value = row.integer(2);
    if (kind == "head") {
      state.heads[LogIndex(static_cast<std::uint32_t>(number))] =
          LogPosition(static_cast<std::uint64_t>(value));
    } else if (kind == "stream") {
      state.versions[scope.streams.at(number - 1)] =
          StreamVersion(static_cast<std::uint64_t>(value));
    } else {
      const auto positions = PositionVector::from_token(row.text(8));
      CHECK(positions.has_value(), "a stored position token is one that to_token() wrote");
      state.results[number - 1] = {
          row.text(3),
          {static_cast<int>(row.integer(4)), row.text(5), row.text(6), row.text(7), *positions},
          row.timestamp_us(2)};
    }
  }
  return state;
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

std::string write_rows_sql(Session& session, const BatchPlan& plan) {
  std::string sql;
  if (!plan.results.empty()) sql += insert_results_sql(session, plan.results);
  if (plan.events.empty()) return sql;
  sql += insert_events_sql(session, plan.events);
  using Head = std::pair<const LogIndex, LogPosition>;
  sql += execute_sql("move_logs",
                     {array_of(session, plan.heads, [](const Head& head) { return head.first; }),
                      array_of(session, plan.heads, [](const Head& head) { return head.second; })});
  return sql;
}

std::string write_sql(Session& session, const BatchPlan& plan) {
  return write_rows_sql(session, plan) + "COMMIT; NOTIFY " + kAppendChannel;
}

std::vector<LogIndex> logs_of(const BatchPlan& plan, std::uint32_t logs) {
  std::set<LogIndex> all;
  for (const auto& [log, position] : plan.heads) all.insert(log);
  for (const PlannedResult& result : plan.results) all.insert(log_of_key(*result.key, logs));
  return {all.begin(), all.end()};
}

std::string was_committed_sql(Session& session, const BatchPlan& plan) {
  CHECK(!plan.events.empty() || !plan.results.empty(), "only a plan that writes is ever committed");
  if (plan.events.empty()) {
    const PlannedResult& result = plan.results.front();
    const auto quoted = [&](const eventsourcing::Param& value) { return session.quote(value); };
    return "SELECT 1 FROM idempotency_result WHERE scope = " + quoted(result.key->scope) +
           " AND route = " + quoted(result.key->route) + " AND key = " + quoted(result.key->key) +
           " AND body_hash = " + quoted(result.key->body_hash) +
           " AND expires_at = " + quoted(result.expires_at) +
           " AND body = " + quoted(result.result.body) +
           " AND etag = " + quoted(result.result.etag);
  }
  const PlannedEvent& event = plan.events.front();
  return "SELECT 1 FROM event WHERE log = " + std::to_string(event.log.value()) +
         " AND position = " + std::to_string(event.position.value()) +
         " AND event_id = " + session.quote(event.id);
}

}  // namespace tideline::postgres
