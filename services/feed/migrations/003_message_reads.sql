-- Which messages of their Inbox people have read. A mark may come before the message it is about: what has
-- been read lies in a table of its own, and each entry says it too, so that unread ones can be counted.

CREATE TABLE message_read (
  reader uuid NOT NULL,
  sent_at timestamptz NOT NULL,
  sender uuid NOT NULL,
  PRIMARY KEY (reader, sent_at, sender)
) PARTITION BY HASH (reader);

DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE message_read_%s PARTITION OF message_read'
      ' FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
  END LOOP;
END $$;

-- Of what one has sent always true.
ALTER TABLE message_entry ADD COLUMN read boolean NOT NULL DEFAULT false;
UPDATE message_entry SET read = true WHERE box = 1;
ALTER TABLE message_entry ALTER COLUMN read DROP DEFAULT;

CREATE INDEX message_entry_unread ON message_entry (owner, day, sent_at, sender)
  WHERE box = 0 AND NOT read;
