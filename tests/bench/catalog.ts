/** The catalog of the bench's database, as an edge has it. */
import { pino } from 'pino';
import { ALL_GRANTS, ANONYMOUS } from '#core/access/grants.ts';
import { openBus } from '#core/messaging/open-message-bus.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { openCatalog } from '#core/model/catalog/open-catalog.ts';
import { clusterId } from '#core/model/system/cluster-id.ts';
import { systemSchema } from '#core/model/system/system-table.ts';
import type { QueryBounds } from '#core/query/query.ts';
import type { ReadTarget } from '#core/read/sql/compile.ts';
import type { Environment } from './environment.ts';

const ADMIN = { ...ANONYMOUS, admin: true };

/** Loads the catalog that edge and worker serve. */
export async function loadCatalog({ config, pool, databaseUrl }: Environment): Promise<Catalog> {
  const log = pino({ level: 'silent' });
  const cluster = await clusterId(pool, systemSchema(config));
  const bus = await openBus(config, databaseUrl, cluster, log);
  try {
    const source = await openCatalog(config, { pool, kind: 'bench', bus, log, keep: false });
    const catalog = source.current();
    await source.close();
    return catalog;
  } finally {
    await bus.close();
  }
}

export function boundsOf({ config }: Environment): QueryBounds {
  return {
    limitDefault: config.QUERY_LIMIT_DEFAULT,
    limitMax: config.QUERY_LIMIT_MAX,
    maxDepth: config.MAX_RELATIONAL_DEPTH,
    maxJsonDepth: config.MAX_JSON_QUERY_DEPTH,
    maxFields: config.QUERY_MAX_FIELDS,
  };
}

/** The rights of an administrator on a collection, for the compiler. */
export function adminTarget(catalog: Catalog, bounds: QueryBounds, collection: string): ReadTarget {
  return { catalog, bounds, collection, grants: ALL_GRANTS, caller: ADMIN };
}
