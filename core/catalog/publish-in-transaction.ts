/**
 * Publishes the catalog as a part of somebody's own transaction, so that what it did to tables and
 * metadata and what all processes know of it become true together, or not at all.
 */
import type { Client } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import type { Log } from '#core/log/log.ts';
import type { MessageBus } from '#core/messages/bus.ts';
import type { CatalogSchemas } from './catalog-schemas.ts';
import { FORMAT, lockForBuilding, type PublishedState, publish } from './catalog-store.ts';
import { assemble, Moved } from './find-changes.ts';
import { touchedNames } from './touched-collections.ts';
import type { Assembly } from './unpublished-entry.ts';

/** What became of a publication; it counts when its transaction has committed. */
export interface Publication {
  /** The version that a process must have to know what the transaction did. */
  readonly version: number;
}

interface Setting {
  readonly path: string;
  readonly lockTimeout: string;
}

/** Longest wait for another transaction that publishes, and for each table to be described. */
const LOCK_TIMEOUT = '2s';

/** Looks at a database that changes again and again while it is looked at. */
const MOST_ATTEMPTS = 5;

/** Sets what building needs, for this transaction alone, and yields what was set before. */
async function enter(client: Client): Promise<Setting> {
  const { rows } = await client.query<Setting>(
    render(sql`
      SELECT path, lockTimeout, set_config('search_path', 'pg_catalog', true),
        set_config('lock_timeout', ${LOCK_TIMEOUT}, true)
      FROM (SELECT current_setting('search_path') AS path,
        current_setting('lock_timeout') AS lockTimeout OFFSET 0) AS before`),
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

/** Looks once more where tables of others come and go meanwhile. */
async function assembleSettled(client: Client, catalogSchemas: CatalogSchemas): Promise<Assembly> {
  const names = await touchedNames(client, catalogSchemas);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await assemble(client, catalogSchemas, { names, whole: false });
    } catch (error) {
      if (!(error instanceof Moved) || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

/**
 * Publishes what the open transaction of `client` made of tables and metadata. To be called once
 * and last, when all locks on tables are held: from here to its end the transaction is the only one
 * that publishes. It has to be read committed. What others did outside of Sluice and nobody has
 * noticed yet is left to those who watch for it. Tell the others with {@link announce} after the
 * commit.
 * @throws when the catalog cannot be built or another transaction publishes for too long (55P03);
 *   the transaction is then to be rolled back
 */
export async function publishWithin(
  client: Client,
  catalogSchemas: CatalogSchemas,
): Promise<Publication> {
  const before = await enter(client);
  const held = await lockForBuilding(client, catalogSchemas.system);
  const assembly = await assembleSettled(client, catalogSchemas);
  const format = Math.min(held.format, FORMAT);
  const version = await publish(client, catalogSchemas.system, { ...held, format }, assembly);
  await leave(client, before);
  return { version };
}

/**
 * Publishes, in a transaction of its own, everything that differs from what is published. No table
 * is waited for with the lock on publication held: whoever has locked it may be waiting for that.
 * @param published as it was before the transaction began
 * @param whole describe everything anew
 * @throws Moved when somebody else publishes meanwhile, or tables come and go
 */
export async function publishDifference(
  client: Client,
  catalogSchemas: CatalogSchemas,
  published: Pick<PublishedState, 'version' | 'failed'>,
  whole: boolean,
): Promise<Publication & { readonly orphans: readonly string[] }> {
  const { system } = catalogSchemas;
  const building = `sluice catalog ${system}`;
  await client.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await enter(client);
  // Of those that notice a change together the first describes it, and the others find that done.
  await client.query(render(sql`SELECT pg_advisory_xact_lock(hashtextextended(${building}, 0))`));
  const assembly = await assemble(client, catalogSchemas, { names: null, whole });
  const { orphans } = assembly;
  const { version, failed } = published;
  if (!assembly.changed && !whole && !failed && version > 0) return { version, orphans };
  const held = await lockForBuilding(client, system);
  if (held.version !== version) throw new Moved();
  const after = await publish(client, system, { ...held, format: FORMAT }, assembly);
  return { version: after, orphans };
}

/**
 * Tells every process of a version that was published, once that is committed. The message only
 * saves them the wait for their next look at the counters, so its loss is no error.
 */
export async function announce(bus: MessageBus, log: Log, version: number): Promise<void> {
  await bus.publish('catalog.changed', { version }).catch((error: unknown) => {
    log.warn({ err: error }, 'the new catalog could not be announced');
  });
}
