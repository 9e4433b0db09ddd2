-- A service's topic against its table. psql variable: records (a file as topics.py writes it). Prints like laws.sql.
\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on

CREATE TEMP TABLE record (
  log int, record_offset bigint, position bigint, event_id uuid, type text, stream_id text COLLATE "C", version bigint,
  private boolean, correlation text, digest text
);
\set copy '\\copy record FROM ' :'records'
:copy
CREATE INDEX ON record (log, position);
ANALYZE record;

CREATE FUNCTION pg_temp.found(law text, offences bigint, examples json) RETURNS text LANGUAGE sql AS
  $$ SELECT json_build_object('law', law, 'offences', offences, 'examples', examples)::text $$;

SELECT pg_temp.found('in the log, but not in the topic', count(*), json_agg(row_to_json(o)) FILTER (WHERE nth <= 5))
  FROM (SELECT log, position, e.event_id, e.type, row_number() OVER () AS nth
        FROM event e LEFT JOIN record r USING (log, position) WHERE r.log IS NULL) o;

SELECT pg_temp.found('in the topic otherwise than in the log', count(*), json_agg(row_to_json(o)) FILTER (WHERE nth <= 5))
  FROM (SELECT log, position, r.record_offset, r.event_id, r.type, row_number() OVER () AS nth
        FROM record r LEFT JOIN event e USING (log, position)
        WHERE e.log IS NULL OR (e.event_id, e.type, e.stream_id, e.version, e.private, e.correlation_id)
            IS DISTINCT FROM (r.event_id, r.type, r.stream_id, r.version, r.private, r.correlation)
          OR r.digest <> md5(CASE WHEN e.private THEN '' ELSE e.data END)) o;
