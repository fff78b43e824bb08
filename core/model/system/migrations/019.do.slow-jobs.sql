-- Jobs that have not started and ended within an hour of their creation. All others have nearly the same
-- place by each of their dates, so that lists which mix these dates need not pass all jobs.
CREATE INDEX system_jobs_slow ON system_jobs (sequence)
  WHERE (started_on BETWEEN created_on AND finished_on AND finished_on - created_on <= '1 hour') IS NOT TRUE;
