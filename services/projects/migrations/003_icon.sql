-- The content hash of a project's icon, which its author has uploaded.
ALTER TABLE project ADD COLUMN icon text COLLATE "C";
