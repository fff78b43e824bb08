-- What a job that works in steps has done so far; each step writes it in its own transaction, so that
-- another delivery goes on there.
ALTER TABLE system_jobs ADD COLUMN checkpoint jsonb;
