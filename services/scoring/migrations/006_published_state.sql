-- What is published of a person beside his points: contributions of all days, and the number of
-- events that counted for him, which is the version of his published state. Deltas alone, as the rest.
ALTER TABLE score
  ADD COLUMN contributions bigint NOT NULL DEFAULT 0,
  ADD COLUMN events bigint NOT NULL DEFAULT 0;

-- What the calendars hold already. How many events it came of they do not tell: the count of an older
-- installation begins at 0, below what a rebuild counts, so that versions rise all the same.
INSERT INTO score AS held (account_id, points, reached_at, standing, contributions)
SELECT account_id, 0, to_timestamp(0), 0, sum(amount)
FROM calendar, unnest(days) AS amount
GROUP BY account_id
ON CONFLICT (account_id) DO UPDATE SET contributions = excluded.contributions;
