-- What moments and messages are found by. Words are keyed hashes (docs/adr/0056); the scope of a public moment is its week, of any other
-- one its author, so that nobody's search looks at what only strangers' contacts may see.
CREATE FUNCTION scoped_words(words bigint[], scope bigint) RETURNS bigint[]
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT coalesce(array_agg(word # scope), '{}') FROM unnest(words) AS word $$;

CREATE TABLE moment_search (
  id bigint PRIMARY KEY,
  author uuid NOT NULL,
  scope bigint NOT NULL,
  edit smallint NOT NULL,    -- whose words these are
  words bigint[] NOT NULL
);

CREATE INDEX moment_search_author ON moment_search (author);
-- A list of what is not in the index yet would be read by each search.
CREATE INDEX moment_search_words ON moment_search USING gin (scoped_words(words, scope)) WITH (fastupdate = off);

-- The scopes of a message are those who read it: its sender, and its recipient or group.
CREATE FUNCTION words_in_scopes(words bigint[], scopes bigint[]) RETURNS bigint[]
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT coalesce(array_agg(word # scope), '{}') FROM unnest(words) AS word, unnest(scopes) AS scope $$;

CREATE TABLE message_search (
  sender uuid NOT NULL,
  sent_at timestamptz NOT NULL,
  scopes bigint[] NOT NULL,
  words bigint[] NOT NULL,
  PRIMARY KEY (sender, sent_at)
);

CREATE INDEX message_search_words ON message_search USING gin (words_in_scopes(words, scopes)) WITH (fastupdate = off);

-- Who has closed the account: what comes later of them is kept no more.
CREATE TABLE search_closed (
  author uuid PRIMARY KEY
);
