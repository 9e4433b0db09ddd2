-- The moment that a moment reposts; none once deleted.
ALTER TABLE moment ADD COLUMN repost_of bigint;
