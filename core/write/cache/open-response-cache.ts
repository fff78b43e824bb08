/**
 * Opens the response cache of a process, and reports its writes to the caches of other processes.
 */

import type { Config } from '#core/base/config/variables.ts';
import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import { AffectedTablesSource } from './affected-tables-source.ts';
import { CacheSuspension } from './cache-suspension.ts';
import { ImportCacheSuspension } from './import-cache-suspension.ts';
import { MemoryTableVersions } from './memory-table-versions.ts';
import { ResponseCache } from './response-cache.ts';
import type { TableVersions } from './table-versions.ts';
import { WriteGuard } from './write-guard.ts';

export interface CacheParts {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  /** Separates installations that share a server. */
  readonly cluster: string;
  readonly catalog: CatalogSource;
  readonly log: Log;
  /** Only edges serve reads. */
  readonly answers: boolean;
}

export interface CacheServices {
  /** Null when answers are not cached. */
  readonly responses: ResponseCache | null;
  readonly writes: WriteGuard;
  readonly imports: ImportCacheSuspension;
  close(): Promise<void>;
}

const NO_CACHING: CacheServices = {
  responses: null,
  writes: new WriteGuard(null),
  imports: new ImportCacheSuspension(null),
  close: () => Promise.resolve(),
};

/** The store of the versions; null when there is none that all processes share. */
async function openVersions(
  config: Config,
  { cluster, log, answers }: CacheParts,
): Promise<TableVersions | null> {
  if (config.REDIS_URL !== undefined) {
    const { RedisTableVersions } = await import('./redis-table-versions.ts');
    return new RedisTableVersions(config.REDIS_URL, `sluice_${cluster.replaceAll('-', '')}`, log);
  }
  if (!answers) return null;
  if (config.EDGE_PROCESSES === 1) return new MemoryTableVersions();
  log.warn('CACHE_ENABLED has no effect: several edges need REDIS_URL for the cache');
  return null;
}

/** Opens the cache as CACHE_ENABLED and the other variables configure it. */
export async function openResponseCache(config: Config, parts: CacheParts): Promise<CacheServices> {
  if (!config.CACHE_ENABLED) return NO_CACHING;
  const versions = await openVersions(config, parts);
  if (versions === null) return NO_CACHING;
  const { pool, schema, catalog, log, answers } = parts;
  const affected = new AffectedTablesSource({ pool, catalog, log });
  affected.start();
  const responses = answers
    ? new ResponseCache({
        versions,
        affected,
        catalog,
        maxSize: config.CACHE_MAX_SIZE,
        maxValueSize: config.CACHE_VALUE_MAX_SIZE ?? config.CACHE_MAX_SIZE,
        ttl: config.CACHE_TTL,
      })
    : null;
  const isLocal = config.REDIS_URL === undefined;
  const suspension = isLocal ? null : new CacheSuspension(pool, schema);
  const writes = new WriteGuard({ versions, affected, suspension });
  const imports = new ImportCacheSuspension(isLocal ? { pool, schema, writes, log } : null);
  await imports.start();
  return {
    responses,
    writes,
    imports,
    async close() {
      await imports.close();
      responses?.close();
      versions.close();
      await affected.close();
    },
  };
}
