-- What flushes have added to the totals and table score does not hold yet: one row a flush, in which
-- the arrays lie beside one another, an element for each person. A flush writes its people in one
-- piece, however many there are in table score and wherever they lie; what it has put off is folded
-- into that table behind it. A part of the read model: a person's total is his row of table score and
-- all that stands here. `number` is that of the flush in score_flush.
CREATE TABLE score_delta (
  number bigint NOT NULL PRIMARY KEY,
  accounts uuid[] NOT NULL,
  points bigint[] NOT NULL,
  reached_at timestamptz[] NOT NULL,
  standing smallint[] NOT NULL,
  contributions bigint[] NOT NULL,
  events bigint[] NOT NULL
);
-- Written once, read once: packing them costs more than it saves.
ALTER TABLE score_delta
  ALTER COLUMN accounts SET STORAGE EXTERNAL,
  ALTER COLUMN points SET STORAGE EXTERNAL,
  ALTER COLUMN reached_at SET STORAGE EXTERNAL,
  ALTER COLUMN standing SET STORAGE EXTERNAL,
  ALTER COLUMN contributions SET STORAGE EXTERNAL,
  ALTER COLUMN events SET STORAGE EXTERNAL;
