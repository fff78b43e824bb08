-- The storage that a job needs; null for any, as for jobs of earlier releases.
ALTER TABLE system_jobs ADD COLUMN storage varchar(64);

-- The storages that workers reach. A worker writes its own every few seconds.
CREATE TABLE system_storages (
  identity varchar(64) PRIMARY KEY,
  location varchar(255) NOT NULL,
  reached_on timestamptz NOT NULL DEFAULT now()
);
