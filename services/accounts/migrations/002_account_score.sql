-- What scoring publishes of each account, from the topic of latest states: the newest version of
-- each, by (version, as_of). `days` and `day_contributions` lie one beside the other. Null and empty
-- once the account is closed.
CREATE TABLE account_score (
  account_id uuid NOT NULL PRIMARY KEY,
  version bigint NOT NULL,
  as_of date NOT NULL,
  closed boolean NOT NULL,
  points bigint,
  level bigint,
  rank bigint,
  contributions bigint,
  days date[] NOT NULL,
  day_contributions bigint[] NOT NULL,
  CHECK (cardinality(days) = cardinality(day_contributions))
) PARTITION BY HASH (account_id);

DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE account_score_%s PARTITION OF account_score'
      ' FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
      i, i);
  END LOOP;
END $$;
