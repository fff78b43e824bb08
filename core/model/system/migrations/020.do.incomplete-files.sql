-- Jobs with a file of which something is not known, as of imports of 0.1.0. All other imports, and jobs with a
-- file name or size, have all three, so that lists by one of these fields need not pass the jobs without.
CREATE INDEX system_jobs_incomplete_file ON system_jobs (sequence)
  WHERE (kind = 'import' OR file_name IS NOT NULL OR file_size IS NOT NULL)
    AND (file_name IS NULL OR file_size IS NULL OR file_format IS NULL);
