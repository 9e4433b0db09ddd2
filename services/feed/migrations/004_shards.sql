-- Which instance has which shard of the viewers, for how long. The times are this server's.

CREATE TABLE feed_instance (
  name text PRIMARY KEY,
  address text NOT NULL,
  lives_until timestamptz NOT NULL
);

-- Free: nobody's, or beyond its lease. Each claim takes the next generation, so that of two processes under one
-- name the older one renews nothing.
CREATE TABLE feed_shard (
  shard smallint PRIMARY KEY CHECK (shard BETWEEN 0 AND 63),
  owner text,
  generation bigint NOT NULL DEFAULT 0,
  leased_until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);

INSERT INTO feed_shard (shard) SELECT generate_series(0, 63);
