-- What people are found by: keyed hashes of the words of user_id, name and department. Empty once the
-- account is closed. Each row belongs to one stream and takes only newer versions of it.
CREATE TABLE person_search (
  account_id uuid NOT NULL PRIMARY KEY,
  terms bigint[] NOT NULL,
  version bigint NOT NULL
);
CREATE INDEX person_search_terms ON person_search USING gin (terms);
