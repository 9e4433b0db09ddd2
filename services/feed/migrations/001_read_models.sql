-- Read models of the feed: moments and messages. Texts stay sealed here as they are in the events.

-- One row a moment. The partition is the first byte of the author's account id, which is also a part
-- of the moment's id: both "this moment" and "this author's moments" lie in one hash partition.
CREATE TABLE moment (
  author_partition smallint NOT NULL,
  id bigint NOT NULL,
  author uuid NOT NULL,
  audience text NOT NULL,
  lists jsonb NOT NULL,      -- {"group_ids":[],"tag_ids":[],"user_ids":[]}, user_ids as account ids
  content text,              -- sealed; NULL once deleted
  images jsonb NOT NULL,
  published_at timestamptz NOT NULL,
  deleted boolean NOT NULL,
  PRIMARY KEY (id, author_partition)
) PARTITION BY HASH (author_partition);

CREATE INDEX moment_author ON moment (author, id DESC);

-- The canonical copy of a message under its natural key.
CREATE TABLE message (
  sender uuid NOT NULL,
  sent_at timestamptz NOT NULL,
  recipient uuid,
  group_id text,
  text text NOT NULL,        -- sealed
  PRIMARY KEY (sender, sent_at)
) PARTITION BY HASH (sender);

-- Keys of messages in people's boxes, by UTC day. An entry is also the right to read the message.
CREATE TABLE message_entry (
  owner uuid NOT NULL,
  box smallint NOT NULL,     -- 0 inbox, 1 sent
  day date NOT NULL,
  sent_at timestamptz NOT NULL,
  sender uuid NOT NULL,
  group_id text,
  PRIMARY KEY (owner, box, day, sent_at, sender)
) PARTITION BY HASH (owner);

CREATE INDEX message_entry_group ON message_entry (owner, group_id, day, sent_at, sender)
  WHERE group_id IS NOT NULL;

DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE moment_%s PARTITION OF moment FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
    EXECUTE format(
      'CREATE TABLE message_%s PARTITION OF message FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
    EXECUTE format(
      'CREATE TABLE message_entry_%s PARTITION OF message_entry'
      ' FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
  END LOOP;
END $$;
