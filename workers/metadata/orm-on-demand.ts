/**
 * Opens MikroORM on first use. Loading it takes half of a worker's startup time, and most jobs do
 * not use it.
 */

import type { Log } from '#core/base/log/log.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import type { Orm, OrmConfig } from './orm.ts';

export interface OrmOnDemand {
  /** Opens it on the first call; a failed attempt is not cached. */
  open(): Promise<Orm>;
  close(): Promise<void>;
}

/** @param url a connection string that preserves sessions */
export function ormOnDemand(
  config: OrmConfig,
  url: string,
  source: CatalogSource,
  log: Log,
): OrmOnDemand {
  let opened: Promise<Orm> | null = null;
  const load = async () => {
    const { openOrm } = await import('./orm.ts');
    return openOrm(config, url, source, log);
  };
  return {
    open() {
      if (opened !== null) return opened;
      const opening = load();
      opened = opening;
      opening.catch(() => {
        opened = null;
      });
      return opening;
    },
    async close() {
      const orm = await opened?.catch(() => null);
      await orm?.close();
    },
  };
}
