-- How many jobs of the queue each worker does at once; null for the configured number.
ALTER TABLE system_queues ADD COLUMN concurrency smallint CHECK (concurrency BETWEEN 1 AND 100);
