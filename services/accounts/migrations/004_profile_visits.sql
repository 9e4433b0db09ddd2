-- How often each profile was looked at, by campus day; the subject is the id of its owner's account.
-- Fed by the streams of all visitors, by deltas.
CREATE TABLE profile_visit_count (
  subject text COLLATE "C" NOT NULL,
  day date NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (subject, day)
) PARTITION BY HASH (subject);

DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE profile_visit_count_%s PARTITION OF profile_visit_count'
      ' FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
      i, i);
  END LOOP;
END $$;
