-- Messages of people who are no contacts lie in box 2 until they are accepted, which brings them to
-- the Inbox; those of who is ignored lie in box 3, which nobody lists.

-- 0 no answer, 1 accepted, 2 ignored. A message may come before or after the answer: version 0 is a
-- row that only its lock was wanted of.
CREATE TABLE message_request (
  recipient uuid NOT NULL,
  sender uuid NOT NULL,
  answer smallint NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (recipient, sender)
) PARTITION BY HASH (recipient);

DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE message_request_%s PARTITION OF message_request'
      ' FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
  END LOOP;
END $$;

CREATE TABLE message_setting (
  owner uuid NOT NULL PRIMARY KEY,
  contacts_only boolean NOT NULL,
  version bigint NOT NULL
);
