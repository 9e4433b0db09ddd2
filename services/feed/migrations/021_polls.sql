-- Polls in moments, and who has voted how. Who may see a result is asked when it is read.
ALTER TABLE moment ADD COLUMN has_poll boolean NOT NULL DEFAULT false;

-- Gone with its moment.
CREATE TABLE poll (
  author_partition smallint NOT NULL,
  moment bigint NOT NULL,
  author uuid NOT NULL,
  options text NOT NULL,     -- sealed, one a line
  option_count smallint NOT NULL,
  multiple boolean NOT NULL,
  closes_at timestamptz NOT NULL,
  PRIMARY KEY (moment, author_partition)
) PARTITION BY HASH (author_partition);

CREATE TABLE poll_vote (
  author_partition smallint NOT NULL,
  moment bigint NOT NULL,
  voter uuid NOT NULL,
  choices smallint NOT NULL, -- the n-th bit: the n-th option
  voted_at timestamptz NOT NULL,
  PRIMARY KEY (moment, voter, author_partition)
) PARTITION BY HASH (author_partition);

DO $$
DECLARE
  parent text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['poll', 'poll_vote'] LOOP
    FOR i IN 0..15 LOOP
      EXECUTE format(
        'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
        parent || '_' || i, parent, i);
    END LOOP;
  END LOOP;
END $$;

-- For the export of what somebody has voted.
CREATE INDEX poll_vote_voter ON poll_vote (voter, moment);
