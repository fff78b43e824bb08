/** Opens the catalog of a process and keeps it current until it is closed. */
import type { Config } from '#core/config/config.ts';
import type { Pool } from '#core/database/pool.ts';
import type { Log } from '#core/log/log.ts';
import type { MessageBus } from '#core/messages/bus.ts';
import { Lease } from '#core/system/lease.ts';
import { Member } from '#core/system/member.ts';
import { systemSchema } from '#core/system/table.ts';
import { Follower } from './catalog-follower.ts';
import type { CatalogSource } from './catalog-source.ts';
import { FORMAT } from './catalog-store.ts';
import { keepCatalog } from './database-watch.ts';
import { Builder } from './publisher.ts';

export interface CatalogParts {
  readonly pool: Pool;
  /**
   * Connections for looking at the counters, which nothing else may hold up; those of `pool` when
   * not given.
   */
  readonly watch?: Pool;
  /** What the process is called among the live ones: `edge`, `worker` and the like. */
  readonly kind: string;
  readonly bus: MessageBus;
  readonly log: Log;
  /** Stand for election as the one process that watches the database for changes. */
  readonly keep: boolean;
  /** Milliseconds between two looks at counters and schema; a second when not given. */
  readonly pause?: number;
  /** Milliseconds for which others wait for a process that is not heard of; 4 s when not given. */
  readonly lease?: number;
}

/** Three looks may fail or go missing before a process stops serving. */
const MEMBER_MS = 4_000;
/** The holder renews at half of it; after a holder's death another takes over within it. */
const LEASE_MS = 6_000;

/**
 * Loads the published catalog, after building and publishing it where that is due, and follows it:
 * by message, and by a look at the shared counters about once a second.
 * @throws when the database cannot be asked, or no catalog was ever published and none can be built
 */
export async function openCatalog(
  config: Pick<Config, 'DATABASE_SCHEMA'>,
  { pool, watch = pool, kind, bus, log, keep, pause = 1_000, lease = MEMBER_MS }: CatalogParts,
): Promise<CatalogSource> {
  const system = systemSchema(config);
  const catalogSchemas = { schemas: [...new Set(config.DATABASE_SCHEMA)], system };
  const builder = new Builder({ pool, bus, log, catalogSchemas });
  const member = new Member({ pool: watch, schema: system, kind, lease, form: FORMAT });
  const follower = new Follower({ pool: watch, bus, log, system, builder, member, pause });
  await follower.start();
  if (!keep) return follower;
  // Each form of the catalog has a watch of its own, of which only the latest has something to do.
  const watching = new Lease(pool, system, `catalog ${FORMAT}`, LEASE_MS);
  return keepCatalog(follower, { lease: watching, bus, log, pause });
}
