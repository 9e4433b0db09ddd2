-- Read models of social-graph. Every row belongs to one stream and takes only newer versions of it.
-- Rows are kept when what they say ends (relation none, active false): they hold the version.

CREATE TABLE contact (
  owner uuid NOT NULL,
  other uuid NOT NULL,
  relation text NOT NULL CHECK (relation IN ('none', 'outgoing', 'incoming', 'contact')),
  since timestamptz NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (owner, other)
) PARTITION BY HASH (owner);

CREATE INDEX contact_by_relation ON contact (owner, relation, since DESC, other DESC)
  WHERE relation <> 'none';

CREATE TABLE follow (
  owner uuid NOT NULL,
  direction text NOT NULL CHECK (direction IN ('following', 'followers')),
  other uuid NOT NULL,
  active boolean NOT NULL,
  since timestamptz NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (owner, direction, other)
) PARTITION BY HASH (owner);

CREATE INDEX follow_by_time ON follow (owner, direction, since DESC, other DESC) WHERE active;

DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE contact_%s PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
      i, i);
    EXECUTE format(
      'CREATE TABLE follow_%s PARTITION OF follow FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
      i, i);
  END LOOP;
END $$;

-- `name` is sealed under the owner's key.
CREATE TABLE tag (
  owner uuid NOT NULL,
  tag_id text COLLATE "C" NOT NULL,
  name text,
  created_at timestamptz,
  deleted boolean NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (owner, tag_id)
);

CREATE INDEX tag_by_time ON tag (owner, created_at DESC, tag_id DESC) WHERE NOT deleted;

CREATE TABLE tag_member (
  owner uuid NOT NULL,
  tag_id text COLLATE "C" NOT NULL,
  account_id uuid NOT NULL,
  active boolean NOT NULL,
  since timestamptz NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (owner, tag_id, account_id)
);

CREATE INDEX tag_member_by_tag ON tag_member (owner, tag_id, since DESC, account_id DESC)
  WHERE active;
CREATE INDEX tag_member_by_account ON tag_member (account_id, owner, since DESC, tag_id DESC)
  WHERE active;

CREATE TABLE moment_setting (
  owner uuid NOT NULL,
  other uuid NOT NULL,
  hides_other boolean NOT NULL,
  hidden_from_other boolean NOT NULL,
  since timestamptz NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (owner, other)
);

CREATE INDEX moment_setting_hidden ON moment_setting (owner, since DESC, other DESC)
  WHERE hides_other;
CREATE INDEX moment_setting_hidden_from ON moment_setting (owner, since DESC, other DESC)
  WHERE hidden_from_other;
CREATE INDEX moment_setting_by_other ON moment_setting (other, since DESC, owner DESC)
  WHERE hides_other OR hidden_from_other;

-- `name` is sealed under the creator's key.
CREATE TABLE social_group (
  group_id text COLLATE "C" NOT NULL PRIMARY KEY,
  creator uuid,
  name text,
  private boolean,
  created_at timestamptz,
  dissolved boolean NOT NULL,
  version bigint NOT NULL
);

-- Apart from social_group: another stream writes it.
CREATE TABLE social_group_size (
  group_id text COLLATE "C" NOT NULL PRIMARY KEY,
  members bigint NOT NULL,
  version bigint NOT NULL
);

CREATE TABLE group_member (
  group_id text COLLATE "C" NOT NULL,
  account_id uuid NOT NULL,
  phase text NOT NULL CHECK (phase IN ('invited', 'member', 'left')),
  since timestamptz NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (group_id, account_id)
);

CREATE INDEX group_member_by_group ON group_member (group_id, since DESC, account_id DESC)
  WHERE phase = 'member';
CREATE INDEX group_member_by_account ON group_member (account_id, phase, since DESC, group_id DESC);
