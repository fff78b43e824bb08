-- The id of the request that submitted a job (X-Request-Id), as the log lines of its edge have it; null
-- for a job that no request submitted, and for jobs of earlier releases.
ALTER TABLE system_jobs ADD COLUMN request_id varchar(128);
