-- Read models of accounts. All rows can be rebuilt from events.

-- Each row belongs to one stream and takes only newer versions of it. `profile` is sealed under the
-- account's key, and null once the account is closed.
CREATE TABLE account (
  account_id uuid NOT NULL PRIMARY KEY,
  profile text,
  registered_at timestamptz,
  closed boolean NOT NULL,
  version bigint NOT NULL
) PARTITION BY HASH (account_id);

-- The projects of an author. Project ids sort by the time at which they were made.
CREATE TABLE account_project (
  author uuid NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (author, project_id)
) PARTITION BY HASH (author);

DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE account_%s PARTITION OF account FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
      i, i);
    EXECUTE format(
      'CREATE TABLE account_project_%s PARTITION OF account_project'
      ' FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
      i, i);
  END LOOP;
END $$;
