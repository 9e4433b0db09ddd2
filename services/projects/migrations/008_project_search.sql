-- What projects are found by: keyed hashes of the words of card and labels (docs/adr/0056). Empty once the author's account is
-- closed. Each row belongs to one stream and takes only newer versions of it.
CREATE TABLE project_search (
  project_id text COLLATE "C" NOT NULL PRIMARY KEY,
  terms bigint[] NOT NULL,
  version bigint NOT NULL
);
CREATE INDEX project_search_terms ON project_search USING gin (terms);
