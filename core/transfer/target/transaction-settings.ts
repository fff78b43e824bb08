/** The settings of transactions that write many rows. */
import { type Sql, sql } from '#core/database/sql.ts';

/**
 * No timeout but the caller's signal, the same parsing of values everywhere, and enough memory to
 * match many rows by key.
 */
const SETTINGS = sql`
  SET LOCAL statement_timeout = 0;
  SET LOCAL lock_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL TimeZone = 'UTC';
  SET LOCAL DateStyle = 'ISO, YMD';
  SET LOCAL IntervalStyle = 'postgres';
  SET LOCAL client_min_messages = 'error';
  SET LOCAL work_mem = '128MB';
  SET LOCAL jit = off`;

/** @param job shown in `pg_stat_activity`; undefined without one */
export function transactionSettings(job: string | undefined): Sql {
  if (job === undefined) return SETTINGS;
  return sql`${SETTINGS};
    SELECT set_config('application_name', ${`sluice job ${job}`}, true)`;
}
