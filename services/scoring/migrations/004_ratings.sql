-- Ratings of people and projects, hash-partitioned by what is rated or by who rates.

-- Sums over all raters, by deltas alone. closed: an account that is not shown any more.
CREATE TABLE rating (
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('person', 'project')),
  subject_id text COLLATE "C" NOT NULL,
  ratings bigint NOT NULL DEFAULT 0,
  stars bigint NOT NULL DEFAULT 0,
  closed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (kind, subject_id)
) PARTITION BY HASH (subject_id);

-- The Bayesian mean in billionths of a star, as if ten ratings of three stars had come before.
CREATE INDEX rating_in_order
  ON rating (kind, ((stars + 30) * 1000000000 / (ratings + 10)) DESC, subject_id)
  WHERE ratings > 0 AND NOT closed;

-- The latest of each rater.
CREATE TABLE rating_given (
  rater uuid NOT NULL,
  kind text COLLATE "C" NOT NULL,
  subject_id text COLLATE "C" NOT NULL,
  stars smallint NOT NULL CHECK (stars BETWEEN 1 AND 5),
  PRIMARY KEY (rater, kind, subject_id)
) PARTITION BY HASH (rater);

CREATE TABLE rated_project (
  project_id text COLLATE "C" NOT NULL PRIMARY KEY,
  author uuid NOT NULL
) PARTITION BY HASH (project_id);

DO $$
DECLARE
  part text;
BEGIN
  FOREACH part IN ARRAY ARRAY['rating', 'rating_given', 'rated_project'] LOOP
    FOR i IN 0..15 LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
                     part || '_' || i, part, i);
    END LOOP;
  END LOOP;
END $$;
