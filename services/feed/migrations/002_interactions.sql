-- What lies under moments: later texts, likes and comments. Everything of one moment lies in the hash
-- partition of the moment itself, by the first byte of its author's account id.

-- The n-th edit of a moment's text; the text as it was published stays in `moment`. Gone with it.
CREATE TABLE moment_edit (
  author_partition smallint NOT NULL,
  moment bigint NOT NULL,
  edit smallint NOT NULL,
  content text NOT NULL,     -- sealed
  edited_at timestamptz NOT NULL,
  PRIMARY KEY (moment, edit, author_partition)
) PARTITION BY HASH (author_partition);

CREATE TABLE moment_like (
  author_partition smallint NOT NULL,
  moment bigint NOT NULL,
  account uuid NOT NULL,
  liked_at timestamptz,      -- NULL once it was taken back
  PRIMARY KEY (moment, account, author_partition)
) PARTITION BY HASH (author_partition);

CREATE TABLE moment_comment (
  author_partition smallint NOT NULL,
  moment bigint NOT NULL,
  id bigint NOT NULL,
  author uuid NOT NULL,
  text text,                 -- sealed; NULL once deleted
  written_at timestamptz NOT NULL,
  PRIMARY KEY (moment, id, author_partition)
) PARTITION BY HASH (author_partition);

DO $$
DECLARE
  parent text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['moment_edit', 'moment_like', 'moment_comment'] LOOP
    FOR i IN 0..15 LOOP
      EXECUTE format(
        'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
        parent || '_' || i, parent, i);
    END LOOP;
  END LOOP;
END $$;
