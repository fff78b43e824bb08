-- What each queue did and how it stood, by minutes and by longer intervals that minutes are added to.
-- An interval that no worker saw has no rows.

CREATE TABLE system_queue_statistics (
  -- The length of the interval in seconds.
  length integer NOT NULL,
  begun_on timestamptz NOT NULL,
  queue varchar(64) NOT NULL,
  -- How many of its minutes a worker saw.
  minutes integer NOT NULL,
  completed integer NOT NULL,
  failed integer NOT NULL,
  cancelled integer NOT NULL,
  -- Rows that imports read and exports wrote.
  "rows" bigint NOT NULL,
  -- The most jobs that waited at the end of a minute, and the highest age in seconds.
  waiting integer NOT NULL,
  oldest double precision,
  -- How many jobs took how long: a count for each class of durations, without the last empty ones.
  durations integer[] NOT NULL,
  longest double precision,
  -- How many jobs failed for each of the most frequent reasons.
  reasons jsonb NOT NULL,
  -- The fewest live processes.
  edges integer NOT NULL,
  workers integer NOT NULL,
  PRIMARY KEY (length, begun_on, queue)
);
