-- Browsers that are sent messages while nobody looks (Web Push). No event tells of them: they belong to a session and end with it.
CREATE TABLE push_subscription (
  owner uuid NOT NULL,
  id text NOT NULL,                  -- keyed hash of the endpoint
  session_id text NOT NULL,          -- in which it was made
  password_version bigint NOT NULL,
  target text NOT NULL,              -- endpoint and keys, sealed under the owner's key
  renewed_at timestamptz NOT NULL,
  told_changes bigint NOT NULL,      -- notification_change.changes of which it knows
  told_up_to timestamptz NOT NULL,   -- of the newest notification of which it knows
  failures integer NOT NULL,         -- one after the other
  next_at timestamptz NOT NULL,      -- nothing is sent before
  PRIMARY KEY (owner, id)
);
