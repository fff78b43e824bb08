-- What a worker says of itself whenever it renews its lease: whether it takes jobs, and which it does;
-- null for other processes, and for workers of releases that do not say it.
ALTER TABLE system_members ADD COLUMN report jsonb;

-- When the latest delivery of a job began.
ALTER TABLE system_jobs ADD COLUMN claimed_on timestamptz;
