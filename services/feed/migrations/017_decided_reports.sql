-- Who has reported what, and when it was decided on, until both are known: then it is told, by a row of table notification.
CREATE TABLE notification_case (
  moment bigint NOT NULL,
  comment bigint NOT NULL,      -- 0: the moment itself
  opening integer NOT NULL,
  decided_at timestamptz,       -- NULL: not yet
  PRIMARY KEY (moment, comment, opening)
);

CREATE TABLE notification_report (
  moment bigint NOT NULL,
  comment bigint NOT NULL,
  opening integer NOT NULL,
  reporter uuid NOT NULL,
  PRIMARY KEY (moment, comment, opening, reporter)
);
