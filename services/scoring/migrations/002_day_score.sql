-- What somebody earned on a campus day: the boards of days, weeks and months are summed from it.
-- reached_at is the latest event of the day, also one behind a cap. Takes deltas alone, as the others.
CREATE TABLE day_score (
  account_id uuid NOT NULL,
  day date NOT NULL,
  points bigint NOT NULL,
  reached_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, day)
) PARTITION BY HASH (account_id);

-- A start reads the last two months of everybody.
CREATE INDEX day_score_by_day ON day_score (day);

DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format('CREATE TABLE day_score_%s PARTITION OF day_score'
                   ' FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
  END LOOP;
END $$;

-- What the ledger holds already.
INSERT INTO day_score
SELECT account_id, day, sum(earned), max(reached_at)
FROM (
  SELECT account_id, day, points * least(count(*), coalesce(cap, count(*))) AS earned,
         max(happened_at) AS reached_at
  FROM ledger GROUP BY account_id, day, reason, points, cap
) AS by_reason
GROUP BY account_id, day;
