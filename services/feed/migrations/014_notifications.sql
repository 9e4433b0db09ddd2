-- What has been done that concerns somebody. Rows are candidates: whether the owner may be told of one is asked when it is read.
CREATE TABLE notification (
  owner uuid NOT NULL,       -- whom it concerns
  kind smallint NOT NULL,    -- NotificationKind
  moment bigint NOT NULL,    -- 0: none
  actor uuid NOT NULL,
  comment bigint NOT NULL,   -- 0: none
  at timestamptz NOT NULL,
  direct boolean NOT NULL,   -- the owner may be told of it though the actor is no contact
  PRIMARY KEY (owner, kind, moment, actor, comment)
) PARTITION BY HASH (owner);

DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE notification_%s PARTITION OF notification FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
  END LOOP;
END $$;

-- The newest of a kind, and of a contact: a crowd of others is not looked at.
CREATE INDEX notification_of_kind ON notification (owner, kind, at) WHERE direct;
CREATE INDEX notification_of_actor ON notification (owner, actor, at) WHERE NOT direct;

-- Up to when somebody has looked, and of what he does not want to be told.
CREATE TABLE notification_setting (
  owner uuid PRIMARY KEY,
  seen_up_to timestamptz,
  kinds smallint[] NOT NULL DEFAULT '{}',
  persons uuid[] NOT NULL DEFAULT '{}',
  moments bigint[] NOT NULL DEFAULT '{}'
);
