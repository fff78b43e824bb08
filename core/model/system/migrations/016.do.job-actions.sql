-- Who retried or cancelled a job, the oldest first.
ALTER TABLE system_jobs ADD COLUMN actions jsonb NOT NULL DEFAULT '[]'
  CHECK (jsonb_typeof(actions) = 'array');
