-- When each session was begun or last renewed; null in rows of releases that did not record it.
ALTER TABLE system_sessions ADD COLUMN renewed_on timestamptz;
ALTER TABLE system_sessions ALTER COLUMN renewed_on SET DEFAULT now();
