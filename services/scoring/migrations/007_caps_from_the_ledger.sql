-- Daily caps are counted from the ledger, which has a row for each event that one counts: a table of
-- their sums only wrote the same once more. By day first: a start counts the last days of everybody.
DROP INDEX ledger_by_cap;
CREATE INDEX ledger_by_cap ON ledger (day, account_id, reason, happened_at, event)
  WHERE cap IS NOT NULL;

-- Events without points had no row yet.
INSERT INTO ledger (account_id, happened_at, event, day, reason, points, cap)
SELECT account_id, day::timestamptz, 'counted/' || reason || '/' || place, day, reason, 0, 1
FROM cap_counter AS counter, generate_series(1, events) AS place
WHERE NOT EXISTS (
  SELECT FROM ledger
  WHERE day = counter.day AND account_id = counter.account_id AND reason = counter.reason
    AND cap IS NOT NULL);

DROP TABLE cap_counter;
