/**
 * MikroORM with entities from the catalog: an EntityManager for `system_jobs`. Its metadata
 * contains only the entities that are used, because adding one among a thousand blocks the event
 * loop for 150 ms. Filters may contain a value from a request only as the value of a named
 * property.
 */
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import type { Config } from '#core/base/config/variables.ts';
import type { Log } from '#core/base/log/log.ts';
import { KEEP_ALIVE_MS } from '#core/database/client.ts';
import { sessionSettings } from '#core/database/pool.ts';
import { Watchdog } from '#core/database/watchdog.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import { Entities } from './entities.ts';
import type { Entity } from './entity.ts';

export interface Orm {
  /** An EntityManager with a separate identity map, for one unit of work. */
  fork(): EntityManager;
  /**
   * The entity of a collection in the current catalog.
   * @throws when the collection does not exist, has no primary key, or has names that an entity
   *   cannot have
   */
  entity(collection: string): Entity;
  close(): Promise<void>;
}

/** The required configuration, and the maximum number of connections. */
export type OrmConfig = Pick<Config, 'DATABASE_POOL_WAIT'> & { readonly connections: number };

/**
 * Opens MikroORM on a small separate pool; it connects with the first statement.
 * @param url a connection string that preserves sessions
 */
export function openOrm(config: OrmConfig, url: string, source: CatalogSource, log: Log): Orm {
  const watchdog = new Watchdog({ url, log, statementTimeout: 0 });
  const entities = new Entities();
  const orm = new MikroORM({
    clientUrl: url,
    entities: [],
    metadataCache: { enabled: false },
    discovery: { checkDuplicateTableNames: false, warnWhenNoEntities: false },
    pool: { min: 0, max: config.connections },
    driverOptions: {
      application_name: 'sluice entities',
      connectionTimeoutMillis: config.DATABASE_POOL_WAIT,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      onConnect: async (client: pg.ClientBase) => {
        watchdog.add(client);
        await client.query(sessionSettings(0));
      },
    },
  });
  return {
    fork: () => orm.em.fork(),
    entity(collection) {
      const { added, removed } = entities.request(source.current(), collection);
      if (added.length + removed.length > 0) orm.discoverEntity(added, removed);
      return entities.get(collection);
    },
    close: () => orm.close(true),
  };
}
