-- Read models of scoring. Every row is fed by several logs and takes deltas alone; the rows of the
-- ledger are facts, one for each person and event. All are hash-partitioned by the person.

-- Narrow on purpose: it is read whole at every start. standing: 1 registered, 2 closed.
CREATE TABLE score (
  account_id uuid NOT NULL PRIMARY KEY,
  points bigint NOT NULL,
  reached_at timestamptz NOT NULL,
  standing smallint NOT NULL
) PARTITION BY HASH (account_id);

-- Events of a reason on a campus day, also those behind the cap.
CREATE TABLE cap_counter (
  account_id uuid NOT NULL,
  day date NOT NULL,
  reason text COLLATE "C" NOT NULL,
  events bigint NOT NULL,
  PRIMARY KEY (account_id, day, reason)
) PARTITION BY HASH (account_id);

-- Contributions of a month: days[1] to days[31].
CREATE TABLE calendar (
  account_id uuid NOT NULL,
  year smallint NOT NULL,
  month smallint NOT NULL CHECK (month BETWEEN 1 AND 12),
  days bigint[] NOT NULL CHECK (cardinality(days) = 31),
  PRIMARY KEY (account_id, year, month)
) PARTITION BY HASH (account_id);

CREATE FUNCTION calendar_days_add(held bigint[], more bigint[]) RETURNS bigint[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT array_agg(one + other ORDER BY day)
  FROM unnest(held, more) WITH ORDINALITY AS both_days (one, other, day)
$$;

-- points and cap as the rule says; `event` tells where the event lies, "<service>/<log>/<position>".
CREATE TABLE ledger (
  account_id uuid NOT NULL,
  happened_at timestamptz NOT NULL,
  event text COLLATE "C" NOT NULL,
  day date NOT NULL,
  reason text COLLATE "C" NOT NULL,
  points bigint NOT NULL,
  cap integer,
  person uuid,
  project_id text COLLATE "C",
  note text,
  PRIMARY KEY (account_id, happened_at, event)
) PARTITION BY HASH (account_id);

CREATE INDEX ledger_by_cap ON ledger (account_id, reason, day, happened_at, event)
  WHERE cap IS NOT NULL;

DO $$
DECLARE
  part text;
BEGIN
  FOREACH part IN ARRAY ARRAY['score', 'cap_counter', 'calendar', 'ledger'] LOOP
    FOR i IN 0..15 LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
                     part || '_' || i, part, i);
    END LOOP;
  END LOOP;
END $$;
