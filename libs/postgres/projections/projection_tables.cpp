#include "postgres/projections/projection_tables.hpp"

namespace tideline::postgres {

// Checkpoints are updated many times a second: room in the page keeps those updates out of the
// index.
const char* const kProjectionTablesSql = R"sql(
CREATE TABLE projection_checkpoint (
  projection  text   NOT NULL,
  service     text   NOT NULL,
  log         int    NOT NULL,
  next_offset bigint NOT NULL,
  position    bigint NOT NULL,
  generation  bigint NOT NULL,
  PRIMARY KEY (projection, service, log)
) WITH (fillfactor = 40);

CREATE TABLE dead_letter (
  projection     text        NOT NULL,
  service        text        NOT NULL,
  log            int         NOT NULL,
  position       bigint      NOT NULL,
  stream         text        NOT NULL,
  stream_version bigint      NOT NULL,
  event_id       text        NOT NULL,
  type           text        NOT NULL,
  schema_version int         NOT NULL,
  event_time     timestamptz NOT NULL,
  data           text        NOT NULL,
  reason         text        NOT NULL,
  parked_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (projection, service, log, position)
);
CREATE INDEX dead_letter_stream ON dead_letter (projection, service, stream);

CREATE TABLE dead_letter_skip (
  projection text        NOT NULL,
  service    text        NOT NULL,
  log        int         NOT NULL,
  position   bigint      NOT NULL,
  reason     text        NOT NULL,
  skipped_by text        NOT NULL,
  skipped_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (projection, service, log, position)
);

CREATE TABLE state_topic_checkpoint (
  view        text   NOT NULL,
  partition   int    NOT NULL,
  next_offset bigint NOT NULL,
  PRIMARY KEY (view, partition)
) WITH (fillfactor = 40);
)sql";

// What an event needs to be applied again as it was, and what the audit says of a skipped one.
const char* const kDeadLetterReplaySql = R"sql(
ALTER TABLE dead_letter
  ADD correlation_id text NOT NULL DEFAULT '',
  ADD causation_id text NOT NULL DEFAULT '',
  ADD traceparent text NOT NULL DEFAULT '',
  ADD replay_requested_at timestamptz;
ALTER TABLE dead_letter_skip
  ADD stream text NOT NULL DEFAULT '',
  ADD type text NOT NULL DEFAULT '',
  ADD parked_reason text NOT NULL DEFAULT '';
)sql";

// 0: of a topic that has lost nothing yet.
const char* const kStateTopicEditionSql = R"sql(
ALTER TABLE state_topic_checkpoint ADD edition bigint NOT NULL DEFAULT 0;
)sql";

}  // namespace tideline::postgres
