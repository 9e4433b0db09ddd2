-- What who joins a group later may read; what people call their contacts; who is not suggested any
-- more; how many follow whom, and who sees that.

ALTER TABLE social_group ADD COLUMN history text DEFAULT 'from_joining'
  CHECK (history IN ('from_joining', 'from_start'));

-- `remark` is sealed under the owner's key; null: there is none any more.
CREATE TABLE contact_remark (
  owner uuid NOT NULL,
  other uuid NOT NULL,
  remark text,
  version bigint NOT NULL,
  PRIMARY KEY (owner, other)
);

CREATE TABLE dismissed_suggestion (
  owner uuid NOT NULL,
  other uuid NOT NULL,
  PRIMARY KEY (owner, other)
);

CREATE TABLE follow_setting (
  owner uuid NOT NULL PRIMARY KEY,
  shown_to text NOT NULL CHECK (shown_to IN ('nobody', 'contacts', 'everybody')),
  version bigint NOT NULL
);

-- The number of active rows of table follow: whoever is followed by a million is not counted anew at
-- each look.
CREATE TABLE follow_count (
  owner uuid NOT NULL,
  direction text NOT NULL CHECK (direction IN ('following', 'followers')),
  people bigint NOT NULL,
  PRIMARY KEY (owner, direction)
);

INSERT INTO follow_count (owner, direction, people)
SELECT owner, direction, count(*) FILTER (WHERE active) FROM follow GROUP BY owner, direction;
