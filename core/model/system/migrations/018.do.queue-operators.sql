-- The operator of the monitor who switched a queue; users are in changed_by.
ALTER TABLE system_queues ADD COLUMN operator varchar(64);
