/** Opens the catalog of a process and keeps it up to date until it is closed. */
import { randomUUID } from 'node:crypto';
import type { Config } from '#core/base/config/variables.ts';
import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import type { MessageBus } from '#core/messaging/bus.ts';
import { Lease } from '../system/lease.ts';
import { RegisteredProcess } from '../system/process-registry.ts';
import { systemSchema } from '../system/system-table.ts';
import { CatalogFollower } from './catalog-follower.ts';
import { CatalogPublisher } from './catalog-publisher.ts';
import type { CatalogSource } from './catalog-source.ts';
import { FORMAT } from './catalog-store.ts';
import { withSchemaChangeWatch } from './schema-change-watch.ts';

export interface CatalogParts {
  readonly pool: Pool;
  /**
   * Connections for reading the counters without waiting for other work; by default those of
   * `pool`.
   */
  readonly watch?: Pool;
  /** The unique id of the process; a new one by default. */
  readonly id?: string;
  /** The kind of the process: `edge`, `worker` and so on. */
  readonly kind: string;
  readonly bus: MessageBus;
  readonly log: Log;
  /** Take part in the election of the process that watches the database. */
  readonly keep: boolean;
  /** Milliseconds between two reads of counters and schema; by default a second. */
  readonly pause?: number;
  /** Milliseconds for which other processes wait for a silent process; by default 4 s. */
  readonly lease?: number;
  /** The names of the keys with which the process decrypts the secrets of second factors. */
  readonly secretKeys?: readonly string[];
  /** The status report that the process writes whenever it renews its lease; JSON. */
  readonly report?: () => unknown;
}

/** Three reads can fail before a process stops serving. */
export const MEMBER_LEASE_MS = 4_000;
/** The holder renews at half of it; when it dies, another takes over within it. */
const LEASE_MS = 6_000;

/**
 * Loads the published catalog, after building it when necessary, and follows it by message and by
 * reading the counters about once a second.
 * @throws when the database is not available, or no catalog was ever published and none can be
 * built
 */
export async function openCatalog(
  config: Pick<Config, 'DATABASE_SCHEMA'>,
  {
    pool,
    watch = pool,
    id = randomUUID(),
    kind,
    bus,
    log,
    keep,
    pause = 1_000,
    lease = MEMBER_LEASE_MS,
    secretKeys,
    report,
  }: CatalogParts,
): Promise<CatalogSource> {
  const system = systemSchema(config);
  const catalogSchemas = { schemas: [...new Set(config.DATABASE_SCHEMA)], system };
  const builder = new CatalogPublisher({ pool, bus, log, catalogSchemas });
  const place = { id, pool: watch, schema: system, kind, lease };
  const member = new RegisteredProcess({ ...place, form: FORMAT, secretKeys, report });
  const follower = new CatalogFollower({
    pool: watch,
    bus,
    log,
    system,
    publisher: builder,
    member,
    pause,
  });
  await follower.start();
  if (!keep) return follower;
  // Each format of the catalog has its own watch; only that of the latest format is active.
  const watching = new Lease(pool, system, `catalog ${FORMAT}`, LEASE_MS);
  return withSchemaChangeWatch(follower, { lease: watching, bus, log, pause });
}
