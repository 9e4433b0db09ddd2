-- What people report, and what moderators decide. `comment` is 0 where the moment itself is reported.

-- Open where opening > decided. `reporters` are those of the opening `counted`.
CREATE TABLE moderation_case (
  moment bigint NOT NULL,
  comment bigint NOT NULL,
  author uuid,               -- NULL, and opening 0, where reports came ahead of the case
  opening integer NOT NULL,
  opened_at timestamptz,
  decided integer NOT NULL,
  counted integer NOT NULL,
  reporters bigint NOT NULL,
  PRIMARY KEY (moment, comment)
);

-- The queue: what most people report comes first, of these what has waited longest.
CREATE INDEX moderation_case_queue ON moderation_case (reporters DESC, opened_at, moment, comment)
  WHERE opening > decided AND counted = opening;

CREATE TABLE moderation_report (
  moment bigint NOT NULL,
  comment bigint NOT NULL,
  reporter uuid NOT NULL,
  opening integer NOT NULL,
  category text NOT NULL,
  text text NOT NULL,        -- sealed under the reporter's key
  reported_at timestamptz NOT NULL,
  PRIMARY KEY (moment, comment, reporter)
);

CREATE TABLE moderation_decision (
  moment bigint NOT NULL,
  comment bigint NOT NULL,
  opening integer NOT NULL,
  author uuid NOT NULL,
  moderator uuid NOT NULL,
  decision text NOT NULL,
  reason text NOT NULL,      -- sealed under the author's key
  decided_at timestamptz NOT NULL,
  PRIMARY KEY (moment, comment, opening)
);

CREATE INDEX moderation_decision_author ON moderation_decision (author, decided_at DESC);
CREATE INDEX moderation_decision_time ON moderation_decision (decided_at DESC);
