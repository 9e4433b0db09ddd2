-- Rows of days are put off as totals are, in the same row of a flush: what it adds to table day_score.
-- A program of before writes such rows itself, and nothing here.
ALTER TABLE score_delta
  ADD COLUMN day_accounts uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN days date[] NOT NULL DEFAULT '{}',
  ADD COLUMN day_points bigint[] NOT NULL DEFAULT '{}',
  ADD COLUMN day_reached_at timestamptz[] NOT NULL DEFAULT '{}';
ALTER TABLE score_delta
  ALTER COLUMN day_accounts SET STORAGE EXTERNAL,
  ALTER COLUMN days SET STORAGE EXTERNAL,
  ALTER COLUMN day_points SET STORAGE EXTERNAL,
  ALTER COLUMN day_reached_at SET STORAGE EXTERNAL;
