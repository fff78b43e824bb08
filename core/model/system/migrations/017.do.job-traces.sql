-- The trace of the request that submitted a job (W3C Trace Context), which its worker continues; null
-- when it was not traced.
ALTER TABLE system_jobs ADD COLUMN traceparent varchar(55);
