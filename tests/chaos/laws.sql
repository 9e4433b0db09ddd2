-- What must hold of one service's event log, given the load's journal. Every SELECT is one law: its name, and
-- the count of offences and the first ones as JSON. psql variables: own, journal (a file with its lines and
-- those that others react to), run (how correlation ids of the load begin).
\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on

CREATE TEMP TABLE asked (
  correlation text COLLATE "C", kind text, service text, status int, predicted int, events text, attempts int,
  unknown int, begun_us bigint, last_attempt_us bigint, answered_us bigint, location text
);
\set copy '\\copy asked FROM ' :'journal'
:copy
CREATE TEMP TABLE journal AS SELECT * FROM asked WHERE service = :'own';
-- What a service does because of an event, its own or another service's: not what a command was answered for,
-- though it carries the command's correlation.
CREATE TEMP TABLE reaction AS
  SELECT e.event_id, e.causation_id, e.stream_id, e.type
  FROM event e LEFT JOIN event cause ON cause.event_id::text = e.causation_id
    LEFT JOIN asked a ON a.correlation = e.correlation_id
  WHERE cause.event_id IS NOT NULL OR a.service <> :'own';
CREATE TEMP TABLE written AS
  SELECT correlation_id COLLATE "C" AS correlation, count(*) AS n, string_agg(type, ',' ORDER BY type COLLATE "C") AS types
  FROM event e WHERE NOT EXISTS (SELECT FROM reaction r WHERE r.event_id = e.event_id) GROUP BY 1;
CREATE TEMP TABLE judged AS
  SELECT j.*, coalesce(w.n, 0) AS n, coalesce(w.types, '') AS types,
    coalesce(w.types, '') ~ ('^(' || j.events || ')$') AS as_expected
  FROM journal j LEFT JOIN written w USING (correlation);

CREATE FUNCTION pg_temp.found(law text, offences bigint, examples json) RETURNS text LANGUAGE sql AS
  $$ SELECT json_build_object('law', law, 'offences', offences, 'examples', examples)::text $$;

SELECT pg_temp.found('lost: acknowledged, but not in the log', count(*), json_agg(row_to_json(o)) FILTER (WHERE nth <= 5))
  FROM (SELECT correlation, kind, status, attempts, events, row_number() OVER () AS nth FROM judged
        WHERE status BETWEEN 200 AND 299 AND n = 0 AND NOT as_expected) o;

SELECT pg_temp.found('duplicated: acknowledged, but in the log otherwise than once', count(*),
    json_agg(row_to_json(o)) FILTER (WHERE nth <= 5))
  FROM (SELECT correlation, kind, status, attempts, events, types, row_number() OVER () AS nth FROM judged
        WHERE status BETWEEN 200 AND 299 AND n > 0 AND NOT as_expected) o;

SELECT pg_temp.found('refused, but in the log', count(*), json_agg(row_to_json(o)) FILTER (WHERE nth <= 5))
  FROM (SELECT correlation, kind, status, attempts, types, row_number() OVER () AS nth FROM judged
        WHERE status BETWEEN 400 AND 499 AND n > 0) o;

SELECT pg_temp.found('never answered', count(*), json_agg(row_to_json(o)) FILTER (WHERE nth <= 5))
  FROM (SELECT correlation, kind, attempts, types, row_number() OVER () AS nth FROM judged WHERE status = 0) o;

SELECT pg_temp.found('answered otherwise than its sender can explain', count(*),
    json_agg(row_to_json(o)) FILTER (WHERE nth <= 5))
  FROM (SELECT correlation, kind, status, predicted, attempts, types, row_number() OVER () AS nth FROM judged
        WHERE status <> 0 AND predicted <> 0 AND status <> predicted) o;

SELECT pg_temp.found('twice in the journal', count(*), json_agg(row_to_json(o)) FILTER (WHERE nth <= 5))
  FROM (SELECT correlation, count(*) AS lines, row_number() OVER () AS nth FROM journal
        GROUP BY correlation HAVING count(*) > 1) o;

SELECT pg_temp.found('in the log, but never asked for', count(*), json_agg(row_to_json(o)) FILTER (WHERE nth <= 5))
  FROM (SELECT w.correlation, w.types, row_number() OVER () AS nth FROM written w
        LEFT JOIN asked a USING (correlation) WHERE a.correlation IS NULL AND starts_with(w.correlation, :'run')) o;

-- Counts change as often as there was something to count.
SELECT pg_temp.found('reacted to more than once', count(*), json_agg(row_to_json(o)) FILTER (WHERE nth <= 5))
  FROM (SELECT e.causation_id, e.stream_id, e.type, count(*) AS events, row_number() OVER () AS nth
        FROM reaction e WHERE e.type NOT LIKE '%CountChanged' GROUP BY 1, 2, 3 HAVING count(*) > 1) o;

SELECT pg_temp.found('positions of a log are not gapless', count(*), json_agg(row_to_json(o)) FILTER (WHERE nth <= 5))
  FROM (SELECT log, l.position AS counted_to, count(e.position) AS events, min(e.position), max(e.position),
          row_number() OVER () AS nth
        FROM event_log l LEFT JOIN event e USING (log) GROUP BY log, l.position
        HAVING count(e.position) <> l.position OR coalesce(max(e.position), 0) <> l.position) o;

SELECT pg_temp.found('versions of a stream are not gapless or not in log order', count(*),
    json_agg(row_to_json(o)) FILTER (WHERE nth <= 5))
  FROM (SELECT stream_id, version, log, position, before, row_number() OVER () AS nth
        FROM (SELECT stream_id, version, log, position,
                lag(version, 1, 0::bigint) OVER (PARTITION BY stream_id ORDER BY position) AS before,
                lag(log, 1, log) OVER (PARTITION BY stream_id ORDER BY position) AS log_before
              FROM event) s
        WHERE version <> before + 1 OR log <> log_before) o;
