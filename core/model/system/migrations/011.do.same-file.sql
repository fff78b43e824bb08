-- Finds the latest import of the same file into the same collection by the same user.
CREATE INDEX system_jobs_same_file
  ON system_jobs ("user", collection, split_part(fingerprint, ':', 2), finished_on)
  WHERE kind = 'import' AND state = 'completed' AND fingerprint IS NOT NULL
    AND result ->> 'dry_run' IS NULL;
