-- What moderators have hidden: the latest ruling on each subject. `comment` is 0 where it is the moment itself.

CREATE TABLE moderation_hiding (
  moment bigint NOT NULL,
  comment bigint NOT NULL,
  opening integer NOT NULL,
  hidden boolean NOT NULL,   -- false: restored
  author uuid NOT NULL,
  reason text NOT NULL,      -- sealed under the author's key
  ruled_at timestamptz NOT NULL,
  PRIMARY KEY (moment, comment)
);

CREATE INDEX moderation_hiding_time ON moderation_hiding (ruled_at DESC) WHERE hidden;

-- A topic's trend counts nothing that is hidden.
ALTER TABLE moment_search ADD COLUMN hidden boolean NOT NULL DEFAULT false;
