-- What a person has written below moments and liked, for the export of it.
CREATE INDEX moment_comment_author ON moment_comment (author, moment, id) WHERE text IS NOT NULL;
CREATE INDEX moment_like_account ON moment_like (account, moment) WHERE liked_at IS NOT NULL;
