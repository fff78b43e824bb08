/**
 * Finds unreadable documents in columns of type `json`, which plain SQL may write and PostgreSQL
 * cannot decode; reports their fields. Each run reads a few pages and continues where the last one
 * ended, so its cost does not depend on the size of tables.
 */
import pg from 'pg';
import type { HealthChecks } from '#core/base/process/health-check.ts';
import { type Pool, transaction } from '#core/database/pool.ts';
import { identifier, join, quote, raw, render, type Sql, sql } from '#core/database/sql.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import { type Collection, type ColumnField, isColumn } from '#core/model/catalog/catalog.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import { mayHoldUnreadableJson, unreadableSql } from '#core/read/sql/readable-json.ts';

/**
 * The maximum size of a table and its TOAST data that one run reads, and the maximum number of
 * tables.
 */
const LOOK_BYTES = 4_194_304;
const LOOK_TABLES = 20;
/** A run does not wait for long-held locks. */
const LIMITS = `SET TRANSACTION READ ONLY; SET LOCAL lock_timeout = '100ms'`;
/**
 * Pages that take longer are read in smaller portions; a single page that takes longer is skipped.
 */
const PORTION_LIMIT = `SET LOCAL statement_timeout = '1s'`;
const PAGE_LIMIT = `SET LOCAL statement_timeout = '5s'`;

interface Searched {
  readonly collection: Collection;
  readonly fields: readonly ColumnField[];
  /** The name of the table or of one of its partitions, as PostgreSQL resolves it. */
  readonly name: string;
}

interface Sizes {
  readonly pages: string;
  readonly bytes: string;
  /** The names of the leaf partitions; empty when the table is not partitioned. */
  readonly partitions: readonly string[];
}

function searched(collection: Collection): Searched[] {
  const { table } = collection;
  if (table?.kind !== 'table' && table?.kind !== 'partitioned') return [];
  const fields = [...collection.fields.values()].filter(isColumn).filter(mayHoldUnreadableJson);
  if (fields.length === 0) return [];
  const name = `${quote(table.schema)}.${quote(table.name)}`;
  return [{ collection, fields, name }];
}

export class UnreadableDocumentSearch {
  readonly #pool: Pool;
  readonly #catalog: CatalogSource;
  /** The fields that the last whole pass over each table found, by collection. */
  readonly #known = new Map<string, ReadonlySet<string>>();
  /** The remaining tables of this pass. */
  #left: Searched[] = [];
  /** The first unread page of the current table, and the findings before it. */
  #page = 0;
  /** The maximum number of pages of the current table to read at once. */
  #portion = Number.POSITIVE_INFINITY;
  #found = new Set<string>();

  constructor(pool: Pool, catalog: CatalogSource) {
    this.#pool = pool;
    this.#catalog = catalog;
  }

  /** The findings so far. */
  get checks(): HealthChecks {
    const tables = [...this.#known].filter(([, fields]) => fields.size > 0);
    if (tables.length === 0) return {};
    const found = tables.flatMap(([name, fields]) =>
      [...fields].sort().map((field) => ({
        status: 'warn' as const,
        componentType: 'datastore' as const,
        observedValue: `${name}.${field}`,
        output:
          'A document in it cannot be read: it holds \\u0000, half a surrogate pair or a number that is too large. Clauses count it as null.',
      })),
    );
    return { 'pg:unreadableDocuments': found };
  }

  /** Reads some pages unless requests wait for a connection; never throws. */
  async look(): Promise<HealthChecks> {
    if (this.#pool.waitingCount > 0) return this.checks;
    let bytes = LOOK_BYTES;
    for (let tables = 0; tables < LOOK_TABLES && bytes > 0; tables += 1) {
      if (this.#left.length === 0) {
        if (tables > 0) break;
        this.#begin();
      }
      const [next] = this.#left;
      if (next === undefined) break;
      try {
        bytes -= await this.#lookAt(next, bytes);
      } catch {
        // The table is locked, dropped or changed: the next pass reads it, and its findings stay.
        for (const field of this.#known.get(next.collection.name) ?? []) this.#found.add(field);
        this.#next();
      }
    }
    return this.checks;
  }

  #begin(): void {
    const { collections } = this.#catalog.current();
    for (const name of this.#known.keys()) if (!collections.has(name)) this.#known.delete(name);
    this.#left = [...collections.values()].flatMap(searched);
  }

  /** Continues with the next table, or with the partitions of the current one. */
  #next(partitions: readonly Searched[] = []): void {
    const passed = this.#left.shift();
    this.#left.unshift(...partitions);
    this.#page = 0;
    this.#portion = Number.POSITIVE_INFINITY;
    if (this.#left[0]?.collection !== passed?.collection) this.#found = new Set();
  }

  /** @returns the number of bytes read, from the average page size */
  async #lookAt(table: Searched, most: number): Promise<number> {
    const { collection, fields, name } = table;
    const [sizes] = await this.#read<Sizes>(
      sql`SELECT pg_relation_size(c.oid) / current_setting('block_size')::int8 AS pages,
        pg_table_size(c.oid) AS bytes, ARRAY(SELECT p.relid::regclass::text
          FROM pg_partition_tree(c.oid) AS p WHERE p.isleaf AND c.relkind = 'p') AS partitions
        FROM pg_class AS c WHERE oid = ${name}::regclass`,
      PORTION_LIMIT,
    );
    const partitions = sizes?.partitions ?? [];
    if (partitions.length > 0) {
      this.#next(partitions.map((partition) => ({ ...table, name: partition })));
      return 0;
    }
    const pages = Number(sizes?.pages ?? 0);
    const pageBytes = Math.max(1, Number(sizes?.bytes ?? 0) / Math.max(pages, 1));
    const portion = Math.min(this.#portion, Math.max(1, Math.floor(most / pageBytes)));
    const end = Math.min(pages, this.#page + portion);
    const tests = fields.map((field, place) => {
      const unreadable = unreadableSql(field, identifier('t', field.column.name));
      return sql`coalesce(bool_or(${unreadable}), FALSE) AS ${raw(`f${place}`)}`;
    });
    const range = sql`t.ctid >= ${`(${this.#page},0)`}::tid AND t.ctid < ${`(${end},0)`}::tid`;
    const read = (end - this.#page) * pageBytes;
    const before = this.#known.get(collection.name);
    const found = await this.#search(
      sql`SELECT ${join(tests)} FROM ONLY ${raw(name)} AS t WHERE ${range}`,
      portion,
    );
    if (found === null && portion > 1) {
      this.#portion = Math.ceil(Math.min(portion, pages) / 2);
      return read;
    }
    for (const [place, field] of fields.entries()) {
      // A page that could not be read in time preserves the findings of the previous pass.
      const isFound = found === null ? before?.has(field.name) : found[`f${place}`];
      if (isFound === true) this.#found.add(field.name);
    }
    this.#page = end;
    const isLast = end >= pages && this.#left[1]?.collection !== collection;
    const known = isLast ? this.#found : new Set([...(before ?? []), ...this.#found]);
    this.#known.set(collection.name, known);
    if (end >= pages) this.#next();
    return read;
  }

  /** Whether each column has an unreadable document; null when the pages take too long. */
  async #search(statement: Sql, pages: number): Promise<Readonly<Record<string, boolean>> | null> {
    try {
      const limit = pages > 1 ? PORTION_LIMIT : PAGE_LIMIT;
      const [found] = await this.#read<Record<string, boolean>>(statement, limit);
      return found ?? {};
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === SQLSTATE.queryCanceled) return null;
      throw error;
    }
  }

  #read<Row extends pg.QueryResultRow>(statement: Sql, limit: string): Promise<Row[]> {
    return transaction(this.#pool, async (client) => {
      await client.query(`${LIMITS}; ${limit}`);
      return (await client.query<Row>(render(statement))).rows;
    });
  }
}
