-- Advice on projects. Texts stay sealed under their author's key; what was withdrawn has no row.

CREATE TABLE advice (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  adviser uuid NOT NULL,
  body text NOT NULL,
  given_at timestamptz NOT NULL,
  adopted_at timestamptz,
  PRIMARY KEY (project_id, id)
) PARTITION BY HASH (project_id);

-- Fed by the streams of all advice on a project, by deltas.
CREATE TABLE advice_count (
  project_id text COLLATE "C" NOT NULL PRIMARY KEY,
  standing bigint NOT NULL,
  adopted bigint NOT NULL
) PARTITION BY HASH (project_id);

DO $$
DECLARE
  parent text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['advice', 'advice_count'] LOOP
    FOR i IN 0..15 LOOP
      EXECUTE format(
        'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
        parent || '_' || i, parent, i);
    END LOOP;
  END LOOP;
END $$;
