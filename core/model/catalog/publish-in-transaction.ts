/**
 * Publishes the catalog as part of the caller's transaction, so that a schema change and its
 * catalog commit together or not at all.
 */

import type { Log } from '#core/base/log/log.ts';
import type { Client } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import type { MessageBus } from '#core/messaging/bus.ts';
import type { CatalogSchemas } from './catalog.ts';
import { FORMAT, lockPublication, type PublishedState, publish } from './catalog-store.ts';
import { ConcurrentPublication, findUnpublishedChanges } from './find-unpublished-changes.ts';
import { touchedCollections } from './touched-collections.ts';
import type { UnpublishedChanges } from './unpublished-changes.ts';

/** The result of a publication; valid when its transaction has committed. */
export interface Publication {
  /** The version with the changes of the transaction. */
  readonly version: number;
}

interface Setting {
  readonly path: string;
  readonly lockTimeout: string;
}

/** Timeout for another publishing transaction, and for each table to be described. */
const LOCK_TIMEOUT = '2s';

/** Attempts on a database that changes during the comparison. */
const MOST_ATTEMPTS = 5;

/** Changes settings for this transaction, and returns the previous ones. */
async function enter(client: Client): Promise<Setting> {
  const { rows } = await client.query<Setting>(
    render(sql`
      SELECT path, "lockTimeout", set_config('search_path', 'pg_catalog', true),
        set_config('lock_timeout', ${LOCK_TIMEOUT}, true)
      FROM (SELECT current_setting('search_path') AS path,
        current_setting('lock_timeout') AS "lockTimeout" OFFSET 0) AS before`),
  );
  const [before] = rows;
  if (before === undefined) throw new Error('a query without conditions returned no row');
  return before;
}

async function leave(client: Client, { path, lockTimeout }: Setting): Promise<void> {
  await client.query(
    render(sql`SELECT set_config('search_path', ${path}, true),
      set_config('lock_timeout', ${lockTimeout}, true)`),
  );
}

/** Retries when tables change meanwhile; the watch handles tables that still change. */
async function assembleSettled(
  client: Client,
  catalogSchemas: CatalogSchemas,
): Promise<UnpublishedChanges> {
  const names = await touchedCollections(client, catalogSchemas);
  for (let attempt = 1; ; attempt += 1) {
    const assembly = await findUnpublishedChanges(client, catalogSchemas, { names, whole: false });
    if (assembly.moving.size === 0 || attempt === MOST_ATTEMPTS) return assembly;
  }
}

/**
 * Publishes the changes of the open transaction of `client`. Call it once and last, when all locks
 * on tables are held: from here on no other transaction can publish. Needs READ COMMITTED. The
 * watch handles changes from outside Sluice. Call {@link announce} after the commit.
 * @throws when the catalog cannot be built or another transaction publishes for too long (55P03);
 * the transaction must then be rolled back
 */
export async function publishWithin(
  client: Client,
  catalogSchemas: CatalogSchemas,
): Promise<Publication> {
  const before = await enter(client);
  const held = await lockPublication(client, catalogSchemas.system);
  const assembly = await assembleSettled(client, catalogSchemas);
  const format = Math.min(held.format, FORMAT);
  const version = await publish(client, catalogSchemas.system, { ...held, format }, assembly);
  await leave(client, before);
  return { version };
}

/**
 * Publishes all differences in a separate transaction, except for tables that change meanwhile. It
 * never waits for a table while it holds the publication lock: the session that has locked the
 * table may be waiting for that lock.
 * @param published the state before the transaction began
 * @param whole describe everything again
 * @throws ConcurrentPublication when another process publishes meanwhile, or when tables change
 * meanwhile that an earlier release has described
 */
export async function publishDifference(
  client: Client,
  catalogSchemas: CatalogSchemas,
  published: Pick<PublishedState, 'version' | 'failed'>,
  whole: boolean,
): Promise<Publication & Pick<UnpublishedChanges, 'orphans' | 'moving'>> {
  const { system } = catalogSchemas;
  const building = `sluice catalog ${system}`;
  await client.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await enter(client);
  // When several processes notice a change, the first one describes it; the other processes then
  // find no difference.
  await client.query(render(sql`SELECT pg_advisory_xact_lock(hashtextextended(${building}, 0))`));
  const assembly = await findUnpublishedChanges(client, catalogSchemas, { names: null, whole });
  const { orphans, moving } = assembly;
  const { version, failed } = published;
  if (!assembly.changed && !whole && !failed && version > 0) return { version, orphans, moving };
  const held = await lockPublication(client, system);
  const isOlder = held.format !== FORMAT && version > 0;
  if (held.version !== version || (isOlder && moving.size > 0)) throw new ConcurrentPublication();
  const after = await publish(client, system, { ...held, format: FORMAT }, assembly);
  return { version: after, orphans, moving };
}

/**
 * Announces a published version after the commit. Without the message, other processes notice it at
 * their next read of the counters, so its loss is not an error.
 */
export async function announce(bus: MessageBus, log: Log, version: number): Promise<void> {
  await bus.publish('catalog.changed', { version }).catch((error: unknown) => {
    log.warn({ err: error }, 'could not announce the new catalog');
  });
}
