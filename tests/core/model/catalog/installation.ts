/** A database with Sluice's system tables, and processes' catalogs over it. */
import { pino } from 'pino';
import { loadConfig } from '#core/base/config/config.ts';
import type { Config } from '#core/base/config/variables.ts';
import { createPool, type Pool } from '#core/database/pool.ts';
import { openBus } from '#core/messaging/open-message-bus.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import { openCatalog } from '#core/model/catalog/open-catalog.ts';
import { clusterId } from '#core/model/system/cluster-id.ts';
import { migrate } from '#core/model/system/migrate.ts';
import { systemSchema } from '#core/model/system/system-table.ts';
import { createDatabase, createSystemDatabase } from '#tests/harness/database.ts';

/** The parts of tap for a test; all opened resources are closed at its end. */
export interface Test {
  teardown(handler: () => unknown): void;
}

const log = pino({ level: 'silent' });

/** Checks follow each other faster than in production, so that tests need not wait. */
export const PAUSE_MS = 50;
export const HOUR_MS = 3_600_000;

export interface Installation {
  readonly url: string;
  readonly config: Config;
  readonly pool: Pool;
  /** Runs SQL as any other client of the database would. */
  sql(text: string): Promise<void>;
  /**
   * The catalog as a separate process would open it.
   * @param lease milliseconds for which it may answer without reading the counters; unlimited by
   * default
   */
  open(keep: boolean, lease?: number): Promise<CatalogSource>;
}

/** Makes a database with the system tables in the first of the schemas, and runs `setup` in it. */
export async function install(t: Test, setup = '', schemas = 'public'): Promise<Installation> {
  const config = loadConfig({ DATABASE_SCHEMA: schemas, DATABASE_POOL_MAX: '4' });
  const inPublic = systemSchema(config) === 'public';
  const url = await (inPublic ? createSystemDatabase(t) : createDatabase(t));
  const pool = createPool(config, url, log, { name: 'test', statementTimeout: 0 });
  // Whatever is closed first is registered last.
  const closing: (() => unknown)[] = [];
  t.teardown(async () => {
    for (const close of closing.reverse()) await close();
    await pool.end();
  });
  await pool.query(setup);
  if (!inPublic) await migrate(config, url);
  return {
    url,
    config,
    pool,
    sql: async (text) => {
      await pool.query(text);
    },
    open: async (keep, lease = HOUR_MS) => {
      const bus = await openBus(config, url, await clusterId(pool, systemSchema(config)), log);
      closing.push(() => bus.close());
      const source = await openCatalog(config, {
        pool,
        kind: 'test',
        bus,
        log,
        keep,
        pause: PAUSE_MS,
        lease,
      });
      closing.push(() => source.close());
      return source;
    },
  };
}

/** A collection that must be there. */
export function collection(catalog: Catalog, name: string): Collection {
  const found = catalog.collections.get(name);
  if (found === undefined) throw new Error(`there is no collection ${name}`);
  return found;
}
