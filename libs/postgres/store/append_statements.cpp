#include "postgres/store/append_statements.hpp"

#include <string>
#include <utility>

#include "core/check.hpp"
#include "postgres/connections/pipeline.hpp"
#include "sql/binary_array.hpp"

namespace tideline::postgres {
namespace {

using core::LogIndex;
using core::LogPosition;
using core::StreamVersion;
using eventsourcing::IdempotencyKey;
using eventsourcing::PositionVector;
using eventsourcing::Visibility;
using sql::BinaryArray;
using Type = BinaryArray::Type;

// The columns of several rows, each as one array: one parameter a column, not one a value.
template <class Rows, class Column>
std::string array_of(Type type, const Rows& rows, const Column& column) {
  BinaryArray array(type, rows.size());
  for (const auto& row : rows) array.add(column(row));
  return array.take();
}

template <class Rows, class Column>
std::string texts_of(const Rows& rows, const Column& column) {
  return array_of(Type::Text, rows, [&](const auto& row) { return std::string_view(column(row)); });
}

std::string names_of(const std::vector<std::string_view>& streams) {
  return texts_of(streams, [](std::string_view stream) { return stream; });
}

std::int32_t number_of(LogIndex log) { return static_cast<std::int32_t>(log.value()); }

template <class Strong>
std::int64_t number_of(Strong value) {
  return static_cast<std::int64_t>(value.value());
}

std::string logs_of(const std::vector<LogIndex>& logs) {
  return array_of(Type::Int4, logs, [](LogIndex log) { return number_of(log); });
}

PreparedCall insert_events(const std::vector<PlannedEvent>& events) {
  using Event = const PlannedEvent&;
  using Text = const std::string&;
  BinaryArray ids(Type::Uuid, events.size());
  for (Event event : events) ids.add_uuid(event.id);
  return {
      "insert_events",
      {array_of(Type::Int4, events, [](Event e) { return number_of(e.log); }),
       array_of(Type::Int8, events, [](Event e) { return number_of(e.position); }),
       texts_of(events, [](Event e) { return e.stream; }),
       array_of(Type::Int8, events, [](Event e) { return number_of(e.version); }), ids.take(),
       texts_of(events, [](Event e) -> Text { return e.event->type; }),
       array_of(Type::Int4, events,
                [](Event e) { return static_cast<std::int32_t>(e.event->schema_version.value()); }),
       array_of(Type::Bool, events,
                [](Event e) { return e.event->visibility == Visibility::Private; }),
       array_of(Type::Timestamptz, events, [](Event e) { return e.append->time; }),
       texts_of(events, [](Event e) -> Text { return e.append->metadata.correlation_id; }),
       texts_of(events, [](Event e) -> Text { return e.append->metadata.causation_id; }),
       texts_of(events, [](Event e) -> Text { return e.append->metadata.traceparent; }),
       texts_of(events, [](Event e) -> Text { return e.append->metadata.seen; }),
       texts_of(events, [](Event e) -> Text { return e.event->data; })}};
}

PreparedCall insert_results(const char* statement, const std::vector<PlannedResult>& results) {
  using Result = const PlannedResult&;
  using Text = const std::string&;
  std::vector<std::string> tokens;
  for (Result result : results) tokens.push_back(result.result.positions.to_token());
  return {statement,
          {texts_of(results, [](Result r) -> Text { return r.key->scope; }),
           texts_of(results, [](Result r) -> Text { return r.key->route; }),
           texts_of(results, [](Result r) -> Text { return r.key->key; }),
           texts_of(results, [](Result r) -> Text { return r.key->body_hash; }),
           array_of(Type::Int4, results,
                    [](Result r) { return static_cast<std::int32_t>(r.result.status); }),
           texts_of(results, [](Result r) -> Text { return r.result.body; }),
           texts_of(results, [](Result r) -> Text { return r.result.location; }),
           texts_of(results, [](Result r) -> Text { return r.result.etag; }),
           texts_of(tokens, [](Text token) -> Text { return token; }),
           array_of(Type::Timestamptz, results, [](Result r) { return r.expires_at; })}};
}

using Heads = std::map<LogIndex, LogPosition>;

std::string logs_of(const Heads& heads) {
  return array_of(Type::Int4, heads, [](const auto& head) { return number_of(head.first); });
}

std::string positions_of(const Heads& heads) {
  return array_of(Type::Int8, heads, [](const auto& head) { return number_of(head.second); });
}

PreparedCall move_logs(const Heads& heads) {
  return {"move_logs", {logs_of(heads), positions_of(heads)}};
}

// Logs that are only locked move to where they are.
PreparedCall move_presumed_logs(const Heads& presumed, Heads moved) {
  moved.insert(presumed.begin(), presumed.end());
  return {"move_presumed_logs", {logs_of(presumed), positions_of(presumed), positions_of(moved)}};
}

PreparedCall expect_versions(const std::vector<std::string_view>& streams,
                             const LockedState& presumed) {
  return {"expect_versions",
          {names_of(streams), array_of(Type::Int8, streams, [&](std::string_view stream) {
             return number_of(presumed.versions.at(stream));
           })}};
}

std::vector<PreparedCall> writes_of(const BatchPlan& plan) {
  std::vector<PreparedCall> calls;
  if (!plan.results.empty()) calls.push_back(insert_results("insert_results", plan.results));
  if (plan.events.empty()) return calls;
  calls.push_back(insert_events(plan.events));
  calls.push_back(move_logs(plan.heads));
  return calls;
}

void run_and_commit(Session& session, std::vector<PreparedCall> calls, Wake wake) {
  calls.push_back({"commit_batch", {}});
  if (wake == Wake::Now) calls.push_back({"notify", {}});
  session.run_pipeline(calls);
}

PreparedCall read_results(const std::vector<const IdempotencyKey*>& keys) {
  using Key = const IdempotencyKey*;
  using Text = const std::string&;
  return {"read_results",
          {texts_of(keys, [](Key key) -> Text { return key->scope; }),
           texts_of(keys, [](Key key) -> Text { return key->route; }),
           texts_of(keys, [](Key key) -> Text { return key->key; })}};
}

KnownResult known_result(const BinaryRows& answer, std::size_t row) {
  const auto positions = PositionVector::from_token(answer.text(row, 7));
  CHECK(positions.has_value(), "a stored position token is one that to_token() wrote");
  return {std::string(answer.text(row, 2)),
          {static_cast<int>(answer.integer(row, 3)), std::string(answer.text(row, 4)),
           std::string(answer.text(row, 5)), std::string(answer.text(row, 6)), *positions},
          core::Timestamp(std::chrono::microseconds(answer.integer(row, 1)))};
}

struct Statement {
  const char* name;
  std::string sql;
};

// Generic plans are made once, perhaps while the tables are empty: whatever their size then, every
// statement here is a lookup by index, in the order of its parameters: position rows are locked in
// the order of their logs.
constexpr const char* kPlanning = R"sql(
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
)sql";

// unnest() of several arrays among the columns, not in FROM, where PostgreSQL would first write
// each array into a table of its own: a quarter of the insert's time.
const std::string kInsertResults =
    "INSERT INTO idempotency_result (scope, route, key, body_hash, status, body, location, etag,"
    " positions, expires_at)"
    " SELECT unnest($1::text[]), unnest($2::text[]), unnest($3::text[]), unnest($4::text[]),"
    " unnest($5::int[]), unnest($6::text[]), unnest($7::text[]), unnest($8::text[]),"
    " unnest($9::text[]), unnest($10::timestamptz[])";

// A row that is locked is read as it is then, not as it was when the statement began. Only an
// expired result can be in the way of a new one, since a live one was found under the same lock.
const Statement kStatements[] = {
    {"begin_batch", "BEGIN ISOLATION LEVEL READ COMMITTED"},
    {"lock_logs",
     "SELECT log, position FROM event_log WHERE log = ANY($1::int[]) ORDER BY log FOR UPDATE"},
    {"move_presumed_logs",
     "WITH done AS (UPDATE event_log SET position = moved.after"
     " FROM unnest($1::int[], $2::bigint[], $3::bigint[]) moved(log, before, after)"
     " WHERE event_log.log = moved.log AND event_log.position = moved.before RETURNING 1)"
     " SELECT presume(count(*) = cardinality($1::int[])) FROM done"},
    {"expect_versions",
     "SELECT presume(count(*) = cardinality($1::text[]))"
     " FROM unnest($1::text[], $2::bigint[]) presumed(id, version)"
     " WHERE presumed.version = coalesce((SELECT version FROM event WHERE stream_id = presumed.id"
     " ORDER BY version DESC LIMIT 1), 0)"},
    {"read_versions",
     "SELECT coalesce((SELECT version FROM event WHERE stream_id = wanted.id"
     " ORDER BY version DESC LIMIT 1), 0)"
     " FROM unnest($1::text[]) WITH ORDINALITY wanted(id, index) ORDER BY wanted.index"},
    {"read_results",
     "SELECT wanted.index, (extract(epoch FROM known.expires_at) * 1000000)::bigint,"
     " known.body_hash, known.status, known.body, known.location, known.etag, known.positions"
     " FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY"
     "      wanted(scope, route, key, index)"
     " CROSS JOIN LATERAL (SELECT * FROM idempotency_result r WHERE r.scope = wanted.scope"
     "   AND r.route = wanted.route AND r.key = wanted.key LIMIT 1) known"},
    {"insert_events",
     "INSERT INTO event (log, position, stream_id, version, event_id, type, schema_version,"
     " private, recorded_at, correlation_id, causation_id, traceparent, seen, data)"
     " SELECT unnest($1::int[]), unnest($2::bigint[]), unnest($3::text[]), unnest($4::bigint[]),"
     " unnest($5::uuid[]), unnest($6::text[]), unnest($7::int[]), unnest($8::boolean[]),"
     " unnest($9::timestamptz[]), unnest($10::text[]), unnest($11::text[]), unnest($12::text[]),"
     " unnest($13::text[]), unnest($14::text[])"},
    {"insert_new_results", kInsertResults},
    {"insert_results",
     kInsertResults +
         " ON CONFLICT (scope, route, key) DO UPDATE"
         " SET body_hash = excluded.body_hash, status = excluded.status, body = excluded.body,"
         " location = excluded.location, etag = excluded.etag, positions = excluded.positions,"
         " expires_at = excluded.expires_at"},
    {"move_logs",
     "UPDATE event_log SET position = moved.position"
     " FROM unnest($1::int[], $2::bigint[]) moved(log, position) WHERE event_log.log = moved.log"},
    {"commit_batch", "COMMIT"},
    {"notify",
     "SELECT set_config('synchronous_commit', 'off', true), pg_notify('tideline_append', '')"},
};

}  // namespace

const char* const kAppendChannel = "tideline_append";

void prepare_append_statements(Session& session) {
  session.execute_script(kPlanning);
  for (const Statement& statement : kStatements) {
    session.prepare(statement.name, statement.sql.c_str());
  }
}

LockedState lock_and_read(Session& session, const BatchScope& scope) {
  std::vector<PreparedCall> calls{{"begin_batch", {}}, {"lock_logs", {logs_of(scope.logs)}}};
  calls.push_back({"read_versions", {names_of(scope.streams)}});
  if (!scope.keys.empty()) calls.push_back(read_results(scope.keys));
  const std::vector<BinaryRows> answers = session.run_pipeline(calls);

  LockedState state;
  for (std::size_t row = 0; row < answers[1].size(); ++row) {
    state.heads[LogIndex(static_cast<std::uint32_t>(answers[1].integer(row, 0)))] =
        LogPosition(static_cast<std::uint64_t>(answers[1].integer(row, 1)));
  }
  for (std::size_t i = 0; i < scope.streams.size(); ++i) {
    state.versions[scope.streams[i]] =
        StreamVersion(static_cast<std::uint64_t>(answers[2].integer(i, 0)));
  }
  for (std::size_t row = 0; !scope.keys.empty() && row < answers[3].size(); ++row) {
    const auto key = static_cast<std::size_t>(answers[3].integer(row, 0)) - 1;
    state.results[key] = known_result(answers[3], row);
  }
  return state;
}

void write_rows(Session& session, const BatchPlan& plan) { session.run_pipeline(writes_of(plan)); }

void write_and_commit(Session& session, const BatchPlan& plan, Wake wake) {
  run_and_commit(session, writes_of(plan), wake);
}

void commit_presumed(Session& session, const BatchScope& scope, const LockedState& presumed,
                     const BatchPlan& plan, Wake wake) {
  std::vector<PreparedCall> calls{{"begin_batch", {}}};
  calls.push_back(move_presumed_logs(presumed.heads, plan.heads));
  const std::vector<std::string_view> unproven = unproven_streams(scope, plan);
  if (!unproven.empty()) calls.push_back(expect_versions(unproven, presumed));
  if (!plan.results.empty()) calls.push_back(insert_results("insert_new_results", plan.results));
  calls.push_back(insert_events(plan.events));
  run_and_commit(session, std::move(calls), wake);
}

void wake_listeners(Session& session) {
  const std::vector<PreparedCall> calls{{"notify", {}}};
  session.run_pipeline(calls);
}

void lock_logs(Session& session, const std::vector<LogIndex>& logs) {
  const std::vector<PreparedCall> calls{{"begin_batch", {}}, {"lock_logs", {logs_of(logs)}}};
  session.run_pipeline(calls);
}

void end_backends(Session& session, const std::vector<int>& backends) {
  for (const int backend : backends) {
    session.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE pid = $1 AND datname = current_database() AND usename = current_user"
        " AND wait_event IS DISTINCT FROM 'SyncRep'",
        {backend});
  }
}

bool was_committed(Session& session, const BatchPlan& plan) {
  CHECK(!plan.events.empty() || !plan.results.empty(), "only a plan that writes is ever committed");
  if (!plan.events.empty()) {
    const PlannedEvent& event = plan.events.front();
    return !session
                .execute("SELECT 1 FROM event WHERE log = $1 AND position = $2 AND event_id = $3",
                         {event.log, event.position, event.id})
                .empty();
  }
  const PlannedResult& result = plan.results.front();
  return !session
              .execute(
                  "SELECT 1 FROM idempotency_result WHERE scope = $1 AND route = $2"
                  " AND key = $3 AND body_hash = $4 AND expires_at = $5 AND body = $6"
                  " AND etag = $7",
                  {result.key->scope, result.key->route, result.key->key, result.key->body_hash,
                   result.expires_at, result.result.body, result.result.etag})
              .empty();
}

}  // namespace tideline::postgres
