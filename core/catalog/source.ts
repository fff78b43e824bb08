/** Where a process finds the catalog that counts right now. */
import type { Catalog } from './catalog.ts';

export interface CatalogSource {
  /** The current catalog; the same object until a new version is swapped in. */
  current(): Catalog;
  /** Looks for a newer version now and resolves with the catalog that then counts. */
  refresh(): Promise<Catalog>;
  /** Hears of each new version until the returned function is called. */
  onChange(handler: (catalog: Catalog) => void): () => void;
  close(): Promise<void>;
}
