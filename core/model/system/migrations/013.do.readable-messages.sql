-- Workers of two releases can run side by side. A worker takes only jobs whose message it can read, and
-- says so by naming the attempt. Those of 0.1.0 do not know that; for them this trigger leaves jobs with
-- later messages as they are.

ALTER TABLE system_jobs ADD COLUMN readable_attempt integer;

CREATE FUNCTION system_leave_job() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN RETURN NULL; END';

CREATE TRIGGER system_jobs_unreadable BEFORE UPDATE OF state ON system_jobs FOR EACH ROW
  WHEN (NEW.state = 'running' AND OLD.state IN ('waiting', 'running') AND NEW.message_version > 1
    AND NEW.attempt <> OLD.attempt AND NEW.readable_attempt IS DISTINCT FROM NEW.attempt)
  EXECUTE FUNCTION system_leave_job();
