#include <string>

#include "core/check.hpp"

#include "postgres/migrations/migrations.hpp"
#include "postgres/projections/projection_tables.hpp"

namespace tideline::postgres {
namespace {

// `traceparent` holds the whole text of a trace, with its state where there is one
// (core/trace.hpp). The owner of the table gives up the right to change it, and the trigger keeps
// the owner from taking it back without noticing.
constexpr const char* kEventSql = R"sql(
CREATE TABLE event (
  log            int         NOT NULL CHECK (log >= 0),
  position       bigint      NOT NULL CHECK (position > 0),
  stream_id      text        NOT NULL,
  version        bigint      NOT NULL CHECK (version > 0),
  event_id       uuid        NOT NULL,
  type           text        NOT NULL,
  schema_version int         NOT NULL,
  private        boolean     NOT NULL,
  recorded_at    timestamptz NOT NULL,
  correlation_id text        NOT NULL,
  causation_id   text        NOT NULL,
  traceparent    text        NOT NULL,
  data           text        NOT NULL,
  PRIMARY KEY (log, position),
  UNIQUE (stream_id, version)
);

CREATE FUNCTION refuse_change_of_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'events are never changed' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER event_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_event();
REVOKE UPDATE, DELETE, TRUNCATE ON event FROM CURRENT_USER;
)sql";

// Position rows change with every batch: room in the page keeps those updates out of the index.
constexpr const char* kLogSql = R"sql(
CREATE TABLE event_log (
  log      int    PRIMARY KEY,
  position bigint NOT NULL CHECK (position >= 0)
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
INSERT INTO event_log (log, position) SELECT log, 0 FROM generate_series(0, $LOGS - 1) log;

CREATE TABLE relay_checkpoint (
  log      int    PRIMARY KEY,
  position bigint NOT NULL CHECK (position >= 0)
) WITH (fillfactor = 10);
INSERT INTO relay_checkpoint (log, position) SELECT log, 0 FROM event_log;
)sql";

constexpr const char* kIdempotencySql = R"sql(
CREATE TABLE idempotency_result (
  scope      text        NOT NULL,
  route      text        NOT NULL,
  key        text        NOT NULL,
  body_hash  text        NOT NULL,
  status     int         NOT NULL,
  body       text        NOT NULL,
  location   text        NOT NULL,
  etag       text        NOT NULL,
  positions  text        NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (scope, route, key)
);
CREATE INDEX idempotency_result_expiry ON idempotency_result (expires_at);
)sql";

constexpr const char* kSubjectKeySql = R"sql(
CREATE TABLE subject_key (
  subject      uuid        PRIMARY KEY,
  key          bytea,
  created_at   timestamptz NOT NULL DEFAULT now(),
  destroyed_at timestamptz,
  CHECK ((key IS NULL) = (destroyed_at IS NOT NULL))
);
)sql";

// Names are compared byte by byte: a collation of people's languages costs a multiple and orders
// nothing that anybody sees.
constexpr const char* kPlainNamesSql = R"sql(
ALTER TABLE event ALTER COLUMN stream_id TYPE text COLLATE "C";
ALTER TABLE idempotency_result
  ALTER COLUMN scope TYPE text COLLATE "C",
  ALTER COLUMN route TYPE text COLLATE "C",
  ALTER COLUMN key TYPE text COLLATE "C";
)sql";

// A batch that is written at once, without reading first, stops here when it presumed wrongly.
constexpr const char* kPresumeSql = R"sql(
CREATE FUNCTION presume(holds boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT holds THEN
    RAISE EXCEPTION 'somebody else has appended meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
END
$$;
)sql";

// The writer's position token. Events from before have it, where they have it, in their data.
constexpr const char* kSeenSql = R"sql(
ALTER TABLE event ADD seen text NOT NULL DEFAULT '';
ALTER TABLE dead_letter ADD seen text NOT NULL DEFAULT '';
)sql";

// Which events of a long stream count: written now and then by those who read it for a decision.
constexpr const char* kCompactionSql = R"sql(
CREATE TABLE stream_compaction (
  stream_id text COLLATE "C" PRIMARY KEY,
  revision  int      NOT NULL,
  upto      bigint   NOT NULL,
  kept      bigint[] NOT NULL
);
)sql";

// Events that a recovery took out of the logs, for people to look at (recovery/log_recovery.hpp).
constexpr const char* kSetAsideSql = R"sql(
CREATE TABLE event_set_aside (
  LIKE event,
  set_aside_at timestamptz NOT NULL DEFAULT now()
);
)sql";

}  // namespace

MigrationSet base_migrations(std::uint32_t logs) {
  CHECK(logs > 0, "a service has at least one log");
  const std::string count = std::to_string(logs);
  std::string log_sql = kLogSql;
  log_sql.replace(log_sql.find("$LOGS"), 5, count);
  return {"base",
          {{1, "event", kEventSql},
           {2, "event_log_" + count, log_sql},
           {3, "idempotency_result", kIdempotencySql},
           {4, "subject_key", kSubjectKeySql},
           {5, "projection", kProjectionTablesSql},
           {6, "plain_names", kPlainNamesSql},
           {7, "dead_letter_replay", kDeadLetterReplaySql},
           {8, "presume", kPresumeSql},
           {9, "seen", kSeenSql},
           {10, "stream_compaction", kCompactionSql},
           {11, "state_topic_edition", kStateTopicEditionSql},
           {12, "event_set_aside", kSetAsideSql}}};
}

}  // namespace tideline::postgres
