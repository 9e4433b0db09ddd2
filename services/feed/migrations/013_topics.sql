-- The topics of a moment's text, as keyed hashes: they lie among its words, by which it is found, and here alone, to be counted.
ALTER TABLE moment_search ADD COLUMN topics bigint[] NOT NULL DEFAULT '{}';

-- Trends count public moments of the last days: those have the scope of their week.
CREATE INDEX moment_search_topics ON moment_search (scope, id) WHERE topics <> '{}';
