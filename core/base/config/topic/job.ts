/** Variables: Imports, exports and jobs. */
import { define, duration, integer, possiblyEmptyList, size } from '../variable.ts';

export const jobVariables = {
  IMPORT_MAX_SIZE: define({
    parse: size,
    fallback: undefined,
    alias: 'IMPORT_MAX_FILE_SIZE',
    meaning: 'Largest file that may be imported; unset: no limit',
  }),
  IMPORT_MAX_EXPANDED_SIZE: define({
    parse: size,
    fallback: '16gb',
    meaning: 'Largest content of a compressed file that may be imported',
  }),
  IMPORT_MAX_EXPANSION: define({
    parse: integer(1, 1_100),
    fallback: '200',
    meaning: 'Largest content of a compressed file, as a multiple of its size; from 16 MB on',
  }),
  IMPORT_LOCATIONS: define({
    parse: possiblyEmptyList,
    fallback: '',
    meaning:
      'Names of places that administrators import files from; each has variables STORAGE_<NAME>_…, and holds no files of Sluice',
  }),
  IMPORT_TIMEOUT: define({
    parse: duration,
    fallback: '1h',
    meaning: 'Maximum time of one import',
  }),
  EXPORT_TIMEOUT: define({
    parse: duration,
    fallback: '1h',
    meaning: 'Maximum time of one export to a file',
  }),
  EXPORT_MAX_SIZE: define({
    parse: size,
    fallback: '64gb',
    meaning: 'Largest file that an export may write',
  }),
  MAX_IMPORT_ERRORS: define({
    parse: integer(1, 1_000_000),
    fallback: '1000',
    meaning: 'Maximum rejected rows in the report of an import',
  }),
  JOBS_MAX_PER_USER: define({
    parse: integer(1, 100_000_000),
    fallback: '10000',
    meaning: 'Open jobs of one user, or of one anonymous address',
  }),
  SPOOL_MAX_PER_USER: define({
    parse: size,
    fallback: '256gb',
    meaning:
      'Bytes of uploads of one user, from their arrival to the end of their jobs; and of files that are kept then',
  }),
  JOB_WAIT_LIMIT: define({
    parse: duration,
    fallback: '50s',
    meaning: 'Maximum time that a request waits for its job before it answers 202',
  }),
  JOB_LOCK_DURATION: define({
    parse: duration,
    fallback: '15s',
    meaning: 'Time after which a job of a worker that does not respond is taken over by another',
  }),
  JOB_RETRY_DELAY: define({
    parse: duration,
    fallback: '1s',
    meaning: 'Pause before a failed job is tried again; doubled each time',
  }),
  JOBS_RETENTION: define({
    parse: duration,
    fallback: '30d',
    meaning: 'Age at which ended jobs and their reports are removed',
  }),
  JOBS_MAX_KEPT: define({
    parse: integer(0, 1_000_000_000),
    fallback: '1000000',
    meaning: 'Ended jobs that are kept; the oldest of more are removed once a day',
  }),
  JOB_FILES_RETENTION: define({
    parse: duration,
    fallback: '7d',
    meaning: 'Age at which uploads of failed jobs and files of exports are removed',
  }),
  JOB_FILES_MAX: define({
    parse: integer(0, 1_000_000),
    fallback: '20',
    meaning: 'Such files that are kept for one user; the oldest of more are removed',
  }),
  UNDO_RETENTION: define({
    parse: duration,
    fallback: '7d',
    meaning: 'Age at which the changes that imports keep for an undo are removed',
  }),
  JOB_SILENT_AFTER: define({
    parse: duration,
    fallback: '5m',
    meaning: 'Time without progress after which the health report warns of a running job',
  }),
};
