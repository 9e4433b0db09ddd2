-- Which moments people have bookmarked. Whether the owner may still see one is asked when it is read.

CREATE TABLE bookmark (
  owner uuid NOT NULL,
  moment bigint NOT NULL,
  bookmarked_at timestamptz NOT NULL,
  PRIMARY KEY (owner, moment)
) PARTITION BY HASH (owner);

DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE bookmark_%s PARTITION OF bookmark FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
  END LOOP;
END $$;

CREATE INDEX bookmark_newest ON bookmark (owner, bookmarked_at, moment);
