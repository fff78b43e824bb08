-- What a job works on, the turns in which the jobs of several users run, the switches of queues, and
-- the keys with which clients repeat requests.

ALTER TABLE system_jobs
  -- Waiting jobs of a queue run by turn, then in their order: a user's jobs have successive turns, so
  -- that users alternate.
  ADD COLUMN turn bigint NOT NULL DEFAULT 0,
  -- The uploaded file, as the client named it.
  ADD COLUMN file_name varchar(255),
  ADD COLUMN file_size bigint,
  ADD COLUMN file_format varchar(32),
  -- How the file is read when that differs from its format.
  ADD COLUMN dialect jsonb,
  -- Attempts that did not complete the job, with their reasons.
  ADD COLUMN failures jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(failures) = 'array'),
  -- A file that is kept although the job has ended.
  ADD COLUMN kept_file uuid;

-- The next job of a mailbox and of a queue, and the last turn of a queue and of a user.
CREATE INDEX system_jobs_mailbox_turn ON system_jobs (mailbox, turn, sequence)
  WHERE state IN ('waiting', 'running');
CREATE INDEX system_jobs_turn ON system_jobs (queue, turn, sequence) WHERE state = 'waiting';
CREATE INDEX system_jobs_running ON system_jobs (queue, turn) WHERE state = 'running';
CREATE INDEX system_jobs_holder_turn ON system_jobs (queue, holder, turn)
  WHERE state IN ('waiting', 'running');
CREATE INDEX system_jobs_kept_file ON system_jobs (holder, finished_on) WHERE kept_file IS NOT NULL;

-- Lists: each order has its index, which also finds the jobs with one value.
CREATE INDEX system_jobs_list_state ON system_jobs (state, sequence);
CREATE INDEX system_jobs_list_kind ON system_jobs (kind, sequence);
CREATE INDEX system_jobs_list_queue ON system_jobs (queue, sequence);
CREATE INDEX system_jobs_list_user ON system_jobs ("user", sequence);
CREATE INDEX system_jobs_list_collection ON system_jobs (collection, sequence);
CREATE INDEX system_jobs_list_attempt ON system_jobs (attempt, sequence);
CREATE INDEX system_jobs_list_created_on ON system_jobs (created_on, sequence);
CREATE INDEX system_jobs_list_started_on ON system_jobs (started_on, sequence);
CREATE INDEX system_jobs_list_finished_on ON system_jobs (finished_on, sequence);
CREATE INDEX system_jobs_list_file_name ON system_jobs (file_name, sequence);
CREATE INDEX system_jobs_list_file_size ON system_jobs (file_size, sequence);
CREATE INDEX system_jobs_list_file_format ON system_jobs (file_format, sequence);
-- These serve prefixes, whatever the collation; the included columns spare the table.
CREATE INDEX system_jobs_prefix_file_name ON system_jobs
  (lower(file_name) text_pattern_ops, sequence) INCLUDE (file_name, "user")
  WHERE file_name IS NOT NULL;
CREATE INDEX system_jobs_prefix_collection ON system_jobs
  (lower(collection) text_pattern_ops, sequence) INCLUDE (collection, "user")
  WHERE collection IS NOT NULL;

-- Served by the indexes above.
DROP INDEX system_jobs_created_on, system_jobs_user, system_jobs_finished_on, system_jobs_mailbox;

-- Queues that do not simply run: `paused` begins no job, `draining` accepts none.
CREATE TABLE system_queues (
  name varchar(64) PRIMARY KEY,
  state varchar(16) NOT NULL CHECK (state IN ('running', 'paused', 'draining')),
  changed_on timestamptz NOT NULL DEFAULT now(),
  changed_by uuid
);

-- The first job of each Idempotency-Key; `request` tells whether the request is the same.
CREATE TABLE system_idempotency_keys (
  holder varchar(64) NOT NULL,
  key varchar(255) NOT NULL,
  request varchar(64) NOT NULL,
  job uuid NOT NULL REFERENCES system_jobs ON DELETE CASCADE,
  created_on timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (holder, key)
);
CREATE INDEX system_idempotency_keys_job ON system_idempotency_keys (job);
CREATE INDEX system_idempotency_keys_created_on ON system_idempotency_keys (created_on);
