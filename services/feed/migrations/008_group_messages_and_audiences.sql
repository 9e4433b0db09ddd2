-- A group's messages lie in a list of the group's own, one row each, in place of an entry for each member; everybody has a
-- list of those with whom he exchanges personal messages; and the audience of a moment may be changed.

-- Who may read a row is asked when it is read. `seen`: what of the graph its sender had seen, for a reader that is not so far
-- may still be taken for a member; "" of messages that named their readers.
CREATE TABLE group_message (
  group_id text COLLATE "C" NOT NULL,
  sent_at timestamptz NOT NULL,
  sender uuid NOT NULL,
  seen text NOT NULL,
  recalled boolean NOT NULL,
  PRIMARY KEY (group_id, sent_at, sender)
) PARTITION BY HASH (group_id);

-- Up to which message somebody has read a group's.
CREATE TABLE group_mark (
  reader uuid NOT NULL,
  group_id text COLLATE "C" NOT NULL,
  sent_at timestamptz NOT NULL,
  sender uuid NOT NULL,
  PRIMARY KEY (reader, group_id)
) PARTITION BY HASH (reader);

-- The newest message between two people that is in one of the owner's boxes, Inbox or Sent.
CREATE TABLE conversation (
  owner uuid NOT NULL,
  peer uuid NOT NULL,
  last_at timestamptz NOT NULL,
  last_sender uuid NOT NULL,
  PRIMARY KEY (owner, peer)
) PARTITION BY HASH (owner);

DO $$
DECLARE
  parent text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['group_message', 'group_mark', 'conversation'] LOOP
    FOR i IN 0..15 LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
                     parent || '_' || i, parent, i);
    END LOOP;
  END LOOP;
END $$;

CREATE INDEX conversation_newest ON conversation (owner, last_at, peer);

-- Of a recalled message the text is '' and there are no images.
ALTER TABLE message ADD COLUMN images jsonb NOT NULL DEFAULT '[]', ADD COLUMN recalled boolean NOT NULL DEFAULT false;

CREATE INDEX message_thread ON message (sender, recipient, sent_at) WHERE recipient IS NOT NULL;

-- An Inbox is personal. Entries that messages to groups made before they had a list stay and are not shown.
CREATE INDEX message_entry_personal ON message_entry (owner, box, day, sent_at, sender) WHERE group_id IS NULL;
CREATE INDEX message_entry_unread_personal ON message_entry (owner, day, sent_at, sender)
  WHERE box = 0 AND group_id IS NULL AND NOT read;
CREATE INDEX message_entry_unread_of ON message_entry (owner, sender, day, sent_at)
  WHERE box = 0 AND group_id IS NULL AND NOT read;

INSERT INTO group_message (group_id, sent_at, sender, seen, recalled)
SELECT group_id, sent_at, sender, '', false FROM message WHERE group_id IS NOT NULL;

INSERT INTO conversation (owner, peer, last_at, last_sender)
SELECT DISTINCT ON (owner, peer) owner, peer, sent_at, sender
FROM (SELECT owner, sender AS peer, sent_at, sender FROM message_entry WHERE box = 0 AND group_id IS NULL
      UNION ALL
      SELECT sender, recipient, sent_at, sender FROM message WHERE recipient IS NOT NULL) AS personal
ORDER BY owner, peer, sent_at DESC, sender DESC;
-- How often the audience of a moment was changed: audience and lists are those of the last change.
ALTER TABLE moment ADD COLUMN audience_changes smallint NOT NULL DEFAULT 0;
