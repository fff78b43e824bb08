/** The lock of what is counted for one owner. */
import { type Sql, sql } from './sql.ts';

/** A lock until the end of the transaction, so that transactions that count for one owner run in turn. */
export function quotaLock(owner: string): Sql {
  const key = `sluice quota ${owner}`;
  return sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
}
