/** Variables: Database and Redis. */
import { define, duration, flag, integer, list, url } from '../variable.ts';

export const databaseVariables = {
  DATABASE_URL: define({
    parse: url('postgres', 'postgresql'),
    fallback: undefined,
    secret: true,
    meaning: 'PostgreSQL 14 to 18 to serve; unset: an embedded PostgreSQL under DATA_DIR',
  }),
  DATABASE_DIRECT_URL: define({
    parse: url('postgres', 'postgresql'),
    fallback: undefined,
    secret: true,
    meaning:
      'The same database without a transaction pooler, for LISTEN and migrations; unset: DATABASE_URL',
  }),
  DATABASE_SCHEMA: define({
    parse: list,
    fallback: 'public',
    meaning: 'Schemas to serve, a comma list; the first one contains the system tables',
  }),
  DATABASE_POOL_MAX: define({
    parse: integer(1, 1_000),
    fallback: '10',
    meaning:
      'Maximum connections of one process to the database, without those of the queue; a worker has at least two',
  }),
  DATABASE_POOL_WAIT: define({
    parse: duration,
    fallback: '5s',
    meaning: 'Maximum wait for a connection; then the answer is 503',
  }),
  SCHEMA_EVENT_TRIGGER: define({
    parse: flag,
    fallback: 'true',
    meaning:
      'Report tables that others alter at once, with an event trigger; needs a superuser and no REDIS_URL',
  }),
  SCHEMA_LOCK_TIMEOUT: define({
    parse: duration,
    fallback: '3s',
    meaning:
      'Maximum time of one attempt of a schema change to lock a table; it gives up after ten times that',
  }),
  REDIS_URL: define({
    parse: url('redis', 'rediss'),
    fallback: undefined,
    secret: true,
    meaning: 'Redis 6.2 or later for queue and messages; unset: both run on PostgreSQL',
  }),
};
