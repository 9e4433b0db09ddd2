-- Read models of projects. Cards and texts stay sealed under their author's key.

CREATE TABLE project (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  author uuid NOT NULL,
  card text NOT NULL,
  labels text[] NOT NULL,
  published_at timestamptz NOT NULL,
  edited_at timestamptz,
  version bigint NOT NULL
) PARTITION BY HASH (id);

-- A person's projects, all at once: he has few.
CREATE TABLE project_by_author (
  author uuid NOT NULL,
  published_at timestamptz NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (author, published_at, project_id)
) PARTITION BY HASH (author);

CREATE TABLE project_by_label (
  label text COLLATE "C" NOT NULL,
  published_at timestamptz NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (label, published_at, project_id)
) PARTITION BY HASH (label);
CREATE INDEX project_by_label_project ON project_by_label (project_id);

CREATE TABLE comment (
  project_id text COLLATE "C" NOT NULL,
  id bigint NOT NULL,
  parent_id bigint NOT NULL,
  author uuid NOT NULL,
  body text NOT NULL,
  written_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id)
) PARTITION BY HASH (project_id);

-- Fed by two kinds of streams: `state` by the ballot box alone, `tally` by deltas of votes.
CREATE TABLE voting (
  project_id text COLLATE "C" NOT NULL PRIMARY KEY,
  state text NOT NULL DEFAULT 'not-opened' CHECK (state IN ('not-opened', 'open', 'closed')),
  tally bigint NOT NULL DEFAULT 0
) PARTITION BY HASH (project_id);
CREATE INDEX voting_board ON voting (tally DESC, project_id ASC) WHERE state = 'open';

CREATE TABLE vote (
  project_id text COLLATE "C" NOT NULL,
  voter uuid NOT NULL,
  standing boolean NOT NULL,
  PRIMARY KEY (project_id, voter)
) PARTITION BY HASH (project_id);

DO $$
DECLARE
  parent text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['project', 'project_by_author', 'project_by_label', 'comment',
                                'voting', 'vote'] LOOP
    FOR i IN 0..15 LOOP
      EXECUTE format(
        'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
        parent || '_' || i, parent, i);
    END LOOP;
  END LOOP;
END $$;
