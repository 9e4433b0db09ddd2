-- Documents of projects: titles sealed under their author's key, the bytes in the table of uploads.
CREATE TABLE document (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  author uuid NOT NULL,
  title text NOT NULL,
  media_type text NOT NULL,
  size bigint NOT NULL,
  hash text COLLATE "C" NOT NULL,
  added_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id)
) PARTITION BY HASH (project_id);

DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE document_%s PARTITION OF document FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
      i, i);
  END LOOP;
END $$;
