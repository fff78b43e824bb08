-- The record of every job: what was accepted, how it stands and how it ended. The queue only
-- decides when a job runs; a job that the queue lost is put back from here.

CREATE TABLE system_jobs (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  kind varchar(64) NOT NULL,
  queue varchar(64) NOT NULL,
  -- Jobs of one mailbox run one at a time, by their sequence; null: in any order.
  mailbox varchar(255),
  sequence bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  state varchar(16) NOT NULL DEFAULT 'waiting'
    CHECK (state IN ('waiting', 'running', 'completed', 'failed', 'cancelled')),
  -- Deliveries so far; only the latest one may write a result.
  attempt integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  message jsonb NOT NULL,
  message_version integer NOT NULL,
  progress jsonb,
  result jsonb,
  error jsonb CHECK (jsonb_typeof(error) = 'array'),
  "user" uuid,
  collection varchar(255),
  -- Tells identical work apart from other work; null: never joined.
  fingerprint varchar(255),
  cancel_requested boolean NOT NULL DEFAULT false,
  -- The database session that does the work of the latest delivery; ended before the next begins.
  backend_pid integer,
  backend_start timestamptz,
  created_on timestamptz NOT NULL DEFAULT now(),
  started_on timestamptz,
  finished_on timestamptz,
  CHECK ((finished_on IS NOT NULL) = (state IN ('completed', 'failed', 'cancelled'))),
  CHECK ((backend_pid IS NULL) = (backend_start IS NULL))
);
CREATE INDEX system_jobs_mailbox ON system_jobs (mailbox, sequence)
  WHERE state IN ('waiting', 'running');
CREATE INDEX system_jobs_open ON system_jobs (sequence) WHERE state IN ('waiting', 'running');
CREATE UNIQUE INDEX system_jobs_fingerprint ON system_jobs (
  coalesce("user", '00000000-0000-0000-0000-000000000000'), kind, coalesce(collection, ''),
  fingerprint
) WHERE state IN ('waiting', 'running') AND NOT cancel_requested AND fingerprint IS NOT NULL;
CREATE INDEX system_jobs_created_on ON system_jobs (created_on);
CREATE INDEX system_jobs_user ON system_jobs ("user", created_on);
CREATE INDEX system_jobs_finished_on ON system_jobs (finished_on) WHERE finished_on IS NOT NULL;

-- The rows of a file that a job rejected, in the order in which they were found.
CREATE TABLE system_job_errors (
  job uuid NOT NULL REFERENCES system_jobs ON DELETE CASCADE,
  position integer NOT NULL,
  -- 1 for the first row of data; null when the fault lies with no single row.
  "row" bigint,
  field text,
  value text,
  reason text NOT NULL,
  code varchar(64) NOT NULL,
  PRIMARY KEY (job, position)
);
