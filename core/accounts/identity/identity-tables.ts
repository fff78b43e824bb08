/** The place where statements about accounts run. */
import type { Client, Pool } from '#core/database/pool.ts';

/** A connection or transaction, and the schema of the system tables. */
export interface IdentityTables {
  readonly db: Pool | Client;
  /** The schema of the system tables. */
  readonly schema: string;
}
