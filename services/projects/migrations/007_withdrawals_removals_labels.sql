-- Projects that are withdrawn or whose author's account was closed, removed comments, and how much each label is used.

ALTER TABLE project ADD COLUMN withdrawn boolean NOT NULL DEFAULT false;
ALTER TABLE project ADD COLUMN abandoned boolean NOT NULL DEFAULT false;
CREATE INDEX project_newest ON project (published_at DESC, id DESC) WHERE NOT withdrawn AND NOT abandoned;

ALTER TABLE project_by_author ADD COLUMN withdrawn boolean NOT NULL DEFAULT false;
-- Neither withdrawn nor abandoned.
ALTER TABLE project_by_label ADD COLUMN listed boolean NOT NULL DEFAULT true;
-- Fed by the project's own stream, as `state` is by the ballot box.
ALTER TABLE voting ADD COLUMN withdrawn boolean NOT NULL DEFAULT false;

-- A removed comment keeps its row, without its text.
ALTER TABLE comment ADD COLUMN removed_at timestamptz;
CREATE INDEX comment_removed ON comment (project_id) WHERE removed_at IS NOT NULL;

-- How many listed projects of an author have a label, and how many projects and authors that makes. Fed by the streams of
-- many projects, by deltas.
CREATE TABLE label_author (
  label_key text COLLATE "C" NOT NULL,
  author uuid NOT NULL,
  projects bigint NOT NULL,
  PRIMARY KEY (label_key, author)
) PARTITION BY HASH (label_key);
CREATE TABLE label_use (
  label_key text COLLATE "C" NOT NULL PRIMARY KEY,
  authors bigint NOT NULL,
  projects bigint NOT NULL
) PARTITION BY HASH (label_key);
CREATE INDEX label_use_most ON label_use (authors DESC, projects DESC, label_key) WHERE authors > 0;

-- What an account has voted for, for when it is closed.
CREATE INDEX vote_by_voter ON vote (voter, project_id) WHERE standing;

DO $$
DECLARE
  parent text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['label_author', 'label_use'] LOOP
    FOR i IN 0..15 LOOP
      EXECUTE format(
        'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
        parent || '_' || i, parent, i);
    END LOOP;
  END LOOP;
END $$;

INSERT INTO label_author SELECT label_key, author, count(*) FROM project_by_label GROUP BY label_key, author;
INSERT INTO label_use SELECT label_key, count(*), sum(projects) FROM label_author GROUP BY label_key;
