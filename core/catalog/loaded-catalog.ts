/** What this process knows of the published catalog, brought forward by what changed since. */
import type { Pool } from '#core/database/pool.ts';
import type { Catalog } from './catalog.ts';
import { readChanges } from './catalog-store.ts';
import { compareText } from './compare-text.ts';
import type { CatalogDescriptor, CollectionDescriptor } from './descriptor.ts';

/** What stands before anything was loaded. */
export const EMPTY_CATALOG: Catalog = Object.freeze({
  version: 0,
  collections: new Map(),
  relations: new Map(),
  leftOut: [],
  warnings: [],
});

/**
 * Reads what was published after `catalog` and puts it together with what did not change, whose
 * descriptors stay the same objects.
 * @returns null when nothing was published since
 */
export async function pull(
  catalog: Catalog,
  pool: Pool,
  system: string,
): Promise<CatalogDescriptor | null> {
  const { version, leftOut, collections } = await readChanges(pool, system, catalog.version);
  if (version === catalog.version) return null;
  // The database was put back to an earlier state: what is known of it does not count any more.
  if (version < catalog.version) return pull(EMPTY_CATALOG, pool, system);
  const merged = new Map<string, CollectionDescriptor>();
  for (const { name, descriptor } of catalog.collections.values()) merged.set(name, descriptor);
  for (const [name, descriptor] of collections) {
    if (descriptor === null) merged.delete(name);
    else merged.set(name, descriptor);
  }
  const ordered = [...merged.values()].sort((a, b) => compareText(a.name, b.name));
  return { version, leftOut, collections: ordered };
}
