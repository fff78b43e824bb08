-- What quotas count: whose a job is, and how much of an upload that is still arriving.

-- The user, or the address of somebody unknown; null: counted for nobody.
ALTER TABLE system_jobs ADD COLUMN holder varchar(64);
CREATE INDEX system_jobs_holder ON system_jobs (holder)
  WHERE state IN ('waiting', 'running') AND holder IS NOT NULL;

-- Uploads that have no job yet. A process that dies leaves its rows, which stop counting by themselves.
CREATE TABLE system_uploads (
  id uuid PRIMARY KEY,
  holder varchar(64) NOT NULL,
  -- At least what has arrived.
  bytes bigint NOT NULL,
  seen_on timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX system_uploads_holder ON system_uploads (holder);
