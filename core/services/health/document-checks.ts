/**
 * Looks for documents in columns of type `json` that PostgreSQL stored and cannot read, such as SQL may
 * write: it names their fields. Each look reads a few pages and goes on where the last one ended, so
 * that it costs the same however large tables are.
 */
import pg from 'pg';
import { type Collection, type ColumnField, isColumn } from '#core/catalog/catalog.ts';
import type { CatalogSource } from '#core/catalog/catalog-source.ts';
import { type Pool, transaction } from '#core/database/pool.ts';
import { identifier, join, quote, raw, render, type Sql, sql } from '#core/database/sql.ts';
import type { HealthChecks } from '#core/process/health-check.ts';
import { isDelicate, unreadableSql } from '#core/query/sql/readable-json.ts';

/** Most bytes of a table and of what it keeps beside it that one look reads, and most tables. */
const LOOK_BYTES = 4_194_304;
const LOOK_TABLES = 20;
/** A look waits for no lock that somebody holds long, and gives up what takes long. */
const LIMITS = `SET TRANSACTION READ ONLY; SET LOCAL lock_timeout = '100ms'; SET LOCAL statement_timeout = '1s'`;
const QUERY_CANCELED = '57014';

interface Searched {
  readonly collection: Collection;
  readonly fields: readonly ColumnField[];
  readonly from: Sql;
  /** The name of the table, as PostgreSQL resolves it. */
  readonly name: string;
}

interface Sizes {
  readonly pages: string;
  readonly bytes: string;
}

function searched(collection: Collection): Searched[] {
  const { table } = collection;
  if (table?.kind !== 'table') return [];
  const fields = [...collection.fields.values()].filter(isColumn).filter(isDelicate);
  if (fields.length === 0) return [];
  const name = `${quote(table.schema)}.${quote(table.name)}`;
  return [{ collection, fields, from: identifier(table.schema, table.name), name }];
}

export class DocumentSearch {
  readonly #pool: Pool;
  readonly #catalog: CatalogSource;
  /** The fields that the last whole pass over each table found, by collection. */
  readonly #known = new Map<string, ReadonlySet<string>>();
  /** The tables that are left of this pass. */
  #left: Searched[] = [];
  /** The first page of the current table that was not read, and what was found before it. */
  #page = 0;
  #found = new Set<string>();

  constructor(pool: Pool, catalog: CatalogSource) {
    this.#pool = pool;
    this.#catalog = catalog;
  }

  /** What is known so far. */
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
        // The table is locked, gone or changed: the next pass looks at it.
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

  #next(): void {
    this.#left.shift();
    this.#page = 0;
    this.#found = new Set();
  }

  /** @returns the bytes that were read, by the average page */
  async #lookAt({ collection, fields, from, name }: Searched, most: number): Promise<number> {
    const { rows } = await this.#pool.query<Sizes>(
      render(sql`SELECT pg_relation_size(c.oid) / current_setting('block_size')::int8 AS pages,
        pg_table_size(c.oid) AS bytes FROM pg_class AS c WHERE oid = ${name}::regclass`),
    );
    const pages = Number(rows[0]?.pages ?? 0);
    const pageBytes = Math.max(1, Number(rows[0]?.bytes ?? 0) / Math.max(pages, 1));
    const end = Math.min(pages, this.#page + Math.max(1, Math.floor(most / pageBytes)));
    const tests = fields.map((field, place) => {
      const unreadable = unreadableSql(field, identifier('t', field.column.name));
      return sql`coalesce(bool_or(${unreadable}), FALSE) AS ${raw(`f${place}`)}`;
    });
    const range = sql`t.ctid >= ${`(${this.#page},0)`}::tid AND t.ctid < ${`(${end},0)`}::tid`;
    const found = await this.#search(
      sql`SELECT ${join(tests)} FROM ONLY ${from} AS t WHERE ${range}`,
    );
    for (const [place, field] of fields.entries()) {
      if (found[`f${place}`] === true) this.#found.add(field.name);
    }
    const read = (end - this.#page) * pageBytes;
    this.#page = end;
    const before = this.#known.get(collection.name);
    if (end < pages) this.#known.set(collection.name, new Set([...(before ?? []), ...this.#found]));
    else {
      this.#known.set(collection.name, this.#found);
      this.#next();
    }
    return read;
  }

  /** Whether each column has an unreadable document; pages that take too long are left out. */
  async #search(statement: Sql): Promise<Readonly<Record<string, boolean>>> {
    try {
      return await transaction(this.#pool, async (client) => {
        await client.query(LIMITS);
        const { rows } = await client.query<Record<string, boolean>>(render(statement));
        return rows[0] ?? {};
      });
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === QUERY_CANCELED) return {};
      throw error;
    }
  }
}
