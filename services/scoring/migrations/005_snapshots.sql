-- What snapshots are tied to: whose rows each flush has written. A start that takes up a snapshot reads
-- the rows of those anew whom later flushes have written. One row a flush, in the order of their
-- commits, the last 10,000 of them. Not a part of the read model: a rebuild has none of it.
CREATE TABLE score_flush (
  number bigint NOT NULL PRIMARY KEY,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  accounts uuid[] NOT NULL
);
-- Keyed hashes cannot be packed.
ALTER TABLE score_flush ALTER COLUMN accounts SET STORAGE EXTERNAL;
INSERT INTO score_flush (number, accounts) VALUES (0, '{}');

-- Awards of everybody by reason and campus day: events, also those behind a cap, and what they earned.
-- Takes deltas alone; some ten rows a day, so they need no partitions.
CREATE TABLE award_day (
  day date NOT NULL,
  reason text COLLATE "C" NOT NULL,
  events bigint NOT NULL,
  points bigint NOT NULL,
  PRIMARY KEY (day, reason)
);

-- What the ledger holds already.
INSERT INTO award_day (day, reason, events, points)
SELECT day, reason, sum(events), sum(points * least(events, coalesce(cap, events)))
FROM (
  SELECT day, reason, points, cap, count(*) AS events
  FROM ledger GROUP BY account_id, day, reason, points, cap
) AS of_person
GROUP BY day, reason;
