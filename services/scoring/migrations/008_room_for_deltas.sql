-- Rows that deltas come to again and again: with room on its page the next version of a row lies
-- beside the last one, and no index is written.
DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format('ALTER TABLE score_%s SET (fillfactor = 85)', i);
    EXECUTE format('ALTER TABLE day_score_%s SET (fillfactor = 85)', i);
  END LOOP;
END $$;

-- Days are written in their order, so ranges of pages tell them apart: no entry for each row.
DROP INDEX day_score_by_day;
CREATE INDEX day_score_by_day ON day_score USING brin (day);
