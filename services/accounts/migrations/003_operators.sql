-- Null: nobody has ever given or taken a role.
ALTER TABLE account ADD COLUMN is_operator boolean;
CREATE INDEX account_operator ON account (account_id) WHERE is_operator;
