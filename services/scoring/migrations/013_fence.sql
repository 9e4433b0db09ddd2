-- Which process answers for everybody, until when by this server's clock. Each that takes it over is of the next
-- generation, and renews nothing of another one.
CREATE TABLE scoring_fence (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  holder text NOT NULL DEFAULT '',
  generation bigint NOT NULL DEFAULT 0,
  leased_until timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO scoring_fence DEFAULT VALUES;
