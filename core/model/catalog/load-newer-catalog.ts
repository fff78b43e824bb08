/** The published catalog as this process has loaded it, and its updates. */
import type { Pool } from '#core/database/pool.ts';
import { compareText } from './canonical-text.ts';
import type { Catalog } from './catalog.ts';
import { readChanges } from './catalog-store.ts';
import type { CatalogDescriptor, CollectionDescriptor } from './descriptor.ts';

/** The catalog before the first load. */
export const EMPTY_CATALOG: Catalog = Object.freeze({
  version: 0,
  collections: new Map(),
  relations: new Map(),
  leftOut: [],
  warnings: [],
});

/**
 * Reads the changes that were published after `catalog` and merges them with the unchanged
 * descriptors, which stay the same objects.
 * @returns null when nothing was published since
 */
export async function loadNewerCatalog(
  catalog: Catalog,
  pool: Pool,
  system: string,
): Promise<CatalogDescriptor | null> {
  const { version, leftOut, collections } = await readChanges(pool, system, catalog.version);
  if (version === catalog.version) return null;
  // The database was restored to an earlier state, so everything is loaded again.
  if (version < catalog.version) return loadNewerCatalog(EMPTY_CATALOG, pool, system);
  const merged = new Map<string, CollectionDescriptor>();
  for (const { name, descriptor } of catalog.collections.values()) merged.set(name, descriptor);
  for (const [name, descriptor] of collections) {
    if (descriptor === null) merged.delete(name);
    else merged.set(name, descriptor);
  }
  const ordered = [...merged.values()].sort((a, b) => compareText(a.name, b.name));
  return { version, leftOut, collections: ordered };
}
