-- Null: nobody has given or taken a role since there are moderators.
ALTER TABLE account ADD COLUMN is_moderator boolean;
CREATE INDEX account_moderator ON account (account_id) WHERE is_moderator;
