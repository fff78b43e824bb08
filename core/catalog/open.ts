/** Opens the catalog of a process and keeps it current until it is closed. */
import type { Config } from '#core/config/config.ts';
import type { Pool } from '#core/database/pool.ts';
import type { Log } from '#core/log/log.ts';
import type { MessageBus } from '#core/messages/bus.ts';
import { Lease } from '#core/system/lease.ts';
import { systemSchema } from '#core/system/table.ts';
import { Builder } from './builder.ts';
import { Follower } from './follower.ts';
import { keepCatalog } from './keeper.ts';
import type { CatalogSource } from './source.ts';

export interface CatalogParts {
  readonly pool: Pool;
  readonly bus: MessageBus;
  readonly log: Log;
  /** Stand for election as the one process that watches the database for changes. */
  readonly keep: boolean;
  /** Milliseconds between two looks at counters and schema; a second when not given. */
  readonly pause?: number;
}

/** The holder renews at half of it; after a holder's death another takes over within it. */
const LEASE_MS = 6_000;

/**
 * Loads the published catalog, after building and publishing it where that is due, and follows it:
 * by message, and by a look at the shared counters about once a second.
 * @throws when the database cannot be asked, or no catalog was ever published and none can be built
 */
export async function openCatalog(
  config: Pick<Config, 'DATABASE_SCHEMA'>,
  { pool, bus, log, keep, pause = 1_000 }: CatalogParts,
): Promise<CatalogSource> {
  const system = systemSchema(config);
  const place = { schemas: [...new Set(config.DATABASE_SCHEMA)], system };
  const builder = new Builder({ pool, bus, log, place });
  const follower = new Follower({ pool, bus, log, system, builder, pause });
  await follower.start();
  if (!keep) return follower;
  return keepCatalog(follower, { lease: new Lease(pool, system, 'catalog', LEASE_MS), log, pause });
}
