-- Whom moments and comments mention; none once deleted.
ALTER TABLE moment ADD COLUMN mentions uuid[] NOT NULL DEFAULT '{}';
ALTER TABLE moment_comment ADD COLUMN mentions uuid[] NOT NULL DEFAULT '{}';
