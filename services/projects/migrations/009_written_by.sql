-- What a person has written below projects, for the export of it.
CREATE INDEX comment_by_author ON comment (author, project_id, id) WHERE removed_at IS NULL;
CREATE INDEX advice_by_adviser ON advice (adviser, project_id, id);
CREATE INDEX document_by_author ON document (author, project_id, id);
