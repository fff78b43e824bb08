/**
 * Publishes the catalog as a part of somebody's own transaction, so that what it did to tables and
 * metadata and what all processes know of it become true together, or not at all.
 */
import type { Client } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import type { Log } from '#core/log/log.ts';
import type { MessageBus } from '#core/messages/bus.ts';
import { compose } from './compose.ts';
import { introspect } from './introspect.ts';
import { lockForBuilding, type Place, publish, readStanding } from './store.ts';

/** What became of a publication; it counts when its transaction has committed. */
export interface Publication {
  /** The version that a process must have to know what the transaction did. */
  readonly version: number;
}

interface Setting {
  readonly path: string;
  readonly patience: string;
}

/** Longest wait for another transaction that publishes, and for each table to be described. */
const PATIENCE = '2s';

/** Sets what building needs, for this transaction alone, and yields what was set before. */
async function enter(client: Client): Promise<Setting> {
  const { rows } = await client.query<Setting>(
    render(sql`
      SELECT path, patience, set_config('search_path', 'pg_catalog', true),
        set_config('lock_timeout', ${PATIENCE}, true)
      FROM (SELECT current_setting('search_path') AS path,
        current_setting('lock_timeout') AS patience OFFSET 0) AS before`),
  );
  const [before] = rows;
  if (before === undefined) throw new Error('a query without conditions returned no row');
  return before;
}

async function leave(client: Client, { path, patience }: Setting): Promise<void> {
  await client.query(
    render(sql`SELECT set_config('search_path', ${path}, true),
      set_config('lock_timeout', ${patience}, true)`),
  );
}

/**
 * Publishes what the open transaction of `client` made of tables and metadata. To be called last,
 * when all locks on tables are held: from here to its end the transaction is the only one that
 * publishes. It has to be read committed. Tell the others with {@link announce} after the commit.
 * @throws when the catalog cannot be built or another transaction publishes for too long (55P03);
 *   the transaction is then to be rolled back
 */
export async function publishWithin(client: Client, place: Place): Promise<Publication> {
  const before = await enter(client);
  await lockForBuilding(client, place.system);
  const standing = await readStanding(client, place);
  const found = await introspect(client, place.schemas, place.system);
  const composition = compose(found, place.schemas, place.system);
  const version = await publish(client, place.system, standing, composition);
  await leave(client, before);
  return { version };
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
