-- The name of the reason why a row is rejected, and what its sentence was made of; null in rows that a
-- release without such names has stored.
ALTER TABLE system_job_errors ADD COLUMN reason_code text, ADD COLUMN reason_parameters jsonb;
