-- Labels are sealed like cards, and found by a keyed hash. Those of older events stay in clear, as unsealed texts, and are
-- their own keys.
ALTER TABLE project ALTER COLUMN labels TYPE text USING '0.{"names":' || to_json(labels) || '}';

ALTER TABLE project_by_label RENAME COLUMN label TO label_key;
ALTER TABLE project_by_label ADD COLUMN author uuid;
UPDATE project_by_label SET author = project.author FROM project WHERE project.id = project_id;
ALTER TABLE project_by_label ALTER COLUMN author SET NOT NULL;
