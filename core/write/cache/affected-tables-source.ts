/** Keeps {@link AffectedTables} in step with the current catalog. */

import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import { coalesceCalls } from '#core/model/catalog/coalesce-calls.ts';
import { repeat } from '#core/model/catalog/repeated-task.ts';
import { type AffectedTables, readAffectedTables, tableName } from './affected-tables.ts';
import { EVERY_TABLE } from './table-versions.ts';

export interface AffectedTablesParts {
  readonly pool: Pool;
  readonly catalog: Pick<CatalogSource, 'current' | 'onChange'>;
  readonly log: Log;
}

/**
 * Changes that the catalog does not show, such as row security, are noticed within this time (ms).
 */
const PAUSE_MS = 5_000;

export class AffectedTablesSource {
  readonly #parts: AffectedTablesParts;
  readonly #ends: (() => unknown)[] = [];
  #affected: AffectedTables | null = null;
  /** {@link #affected} is at least as new as this catalog. */
  #catalog: Catalog | null = null;

  constructor(parts: AffectedTablesParts) {
    this.#parts = parts;
  }

  /** Starts to follow the catalog. Until the first result, every table counts as affected. */
  start(): void {
    const { catalog, log } = this.#parts;
    const complaint = 'the tables that writes affect cannot be read';
    const now = () =>
      void this.#load().catch((error: unknown) => log.warn({ err: error }, complaint));
    this.#ends.push(catalog.onChange(now), repeat(this.#load, { pause: PAUSE_MS, log, complaint }));
    now();
  }

  /**
   * The tables of collections whose answers can be cached. Null when one cannot: a view, a table
   * with triggers or row security, or a system table.
   */
  keepable(catalog: Catalog, collections: Iterable<string>): readonly string[] | null {
    const affectedTables = this.#of(catalog);
    if (affectedTables === null) return null;
    const tables: string[] = [EVERY_TABLE];
    for (const name of collections) {
      const collection = catalog.collections.get(name);
      if (!collection?.table || collection.system) return null;
      const table = tableName(collection.table);
      if (!affectedTables.isPlain(table)) return null;
      tables.push(table);
    }
    return tables;
  }

  /** The tables that writes to these collections can change. */
  writtenWith(collections: Iterable<string>): readonly string[] {
    const catalog = this.#parts.catalog.current();
    const affectedTables = this.#of(catalog);
    const tables = new Set<string>();
    for (const name of collections) {
      const table = catalog.collections.get(name)?.table;
      const affected = table ? affectedTables?.of(tableName(table)) : undefined;
      for (const other of affected ?? [EVERY_TABLE]) tables.add(other);
    }
    return tables.has(EVERY_TABLE) ? [EVERY_TABLE] : [...tables];
  }

  async close(): Promise<void> {
    await Promise.all(this.#ends.splice(0).map((end) => end()));
  }

  #of(catalog: Catalog): AffectedTables | null {
    return this.#catalog === catalog ? this.#affected : null;
  }

  readonly #load = coalesceCalls(async (): Promise<void> => {
    const catalog = this.#parts.catalog.current();
    this.#affected = await readAffectedTables(this.#parts.pool);
    this.#catalog = catalog;
  });
}
