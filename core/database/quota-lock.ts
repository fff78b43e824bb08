/** The lock for counting an owner's quota. */
import { type Sql, sql } from './sql.ts';

/**
 * Locks until the end of the transaction, so that transactions that count for one owner run one
 * after the other.
 */
export function quotaLock(owner: string): Sql {
  const key = `sluice quota ${owner}`;
  return sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
}
