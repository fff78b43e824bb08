/**
 * Stores the last content of deleted rows for subscribers. The deleting statement stores it for a
 * while, so that only subscribers that could see a row are notified. Rows of collections without
 * subscribers are not stored.
 */

import type { Pool } from '#core/database/pool.ts';
import { identifier, literal, render, type Sql, sql } from '#core/database/sql.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import { systemTable } from '#core/model/system/system-table.ts';

/** The lifetime (ms) of an edge's listener entry. */
export const LISTENING_MS = 30_000;
/** How long (ms) rows are stored: longer than a message ever takes. */
const KEPT_MS = 60_000;

/** Whether an edge has subscribers to a collection. */
export function listenedSql(schema: string, collection: string): Sql {
  return sql`EXISTS (SELECT FROM ${systemTable(schema, 'listeners')}
    WHERE collection = ${literal(collection)} AND expires > clock_timestamp())`;
}

/**
 * A statement that stores rows which the same transaction deletes, if the collection has
 * subscribers.
 * @param schema the schema of the system tables
 * @param rows `FROM … WHERE …` with the table as `t`
 * @param item the key of a row, as in a path
 */
export function saveDeletedRowsSql(
  schema: string,
  { name }: Collection,
  rows: Sql,
  item: Sql,
): Sql {
  return sql`INSERT INTO ${systemTable(schema, 'deleted_items')} (collection, item, content)
    SELECT ${literal(name)}, ${item}, (t.*)::text ${rows} AND ${listenedSql(schema, name)}`;
}

/**
 * The stored rows of deleted items, as a row source that replaces their table.
 * @param items SQL of an array with their keys, as in a path
 */
export function deletedRowsSql(schema: string, { name, table }: Collection, items: Sql): Sql {
  if (table === null) throw new TypeError(`${name} has no rows`);
  const type = identifier(table.schema, table.name);
  // A prepared statement is replanned when the table changes, but not when only its row type does.
  const touched = sql`NOT EXISTS (SELECT FROM ${type} WHERE FALSE)`;
  return sql`(SELECT (d.content::${type}).* FROM (
    SELECT DISTINCT ON (item) content FROM ${systemTable(schema, 'deleted_items')}
    WHERE collection = ${literal(name)} AND item = ANY(${items}) ORDER BY item, deleted DESC) AS d
    WHERE ${touched})`;
}

/** The collections with subscribers on this edge, and the rows stored for it. */
export class ListenedCollections {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #edge: string;

  /** @param edge the id of this process in the registry */
  constructor(pool: Pool, schema: string, edge: string) {
    this.#pool = pool;
    this.#schema = schema;
    this.#edge = edge;
  }

  /**
   * Registers that this edge has subscribers to collections, for {@link LISTENING_MS} from now on.
   */
  async renew(collections: readonly string[]): Promise<void> {
    await this.#pool.query(
      render(sql`INSERT INTO ${systemTable(this.#schema, 'listeners')} (collection, edge, expires)
        SELECT c, ${this.#edge}, clock_timestamp() + ${LISTENING_MS}::float8 * interval '1 ms'
        FROM unnest(${collections}::text[]) AS c
        ON CONFLICT (collection, edge) DO UPDATE SET expires = excluded.expires`),
    );
  }

  /** Registers that this edge has no more subscribers to a collection. */
  async end(collection: string): Promise<void> {
    await this.#pool.query(
      render(sql`DELETE FROM ${systemTable(this.#schema, 'listeners')}
        WHERE edge = ${this.#edge} AND collection = ${collection}`),
    );
  }

  /** The deleted items whose rows are stored. */
  async kept(collection: string, items: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.#pool.query<{ item: string }>(
      render(sql`SELECT DISTINCT item FROM ${systemTable(this.#schema, 'deleted_items')}
        WHERE collection = ${collection} AND item = ANY(${items}::text[])`),
    );
    return new Set(rows.map(({ item }) => item));
  }

  /** Removes expired entries, of this edge and of edges that have ended. */
  async sweep(): Promise<void> {
    await this.#pool.query(
      render(sql`WITH over AS (
          DELETE FROM ${systemTable(this.#schema, 'listeners')} WHERE expires < clock_timestamp())
        DELETE FROM ${systemTable(this.#schema, 'deleted_items')}
        WHERE deleted < clock_timestamp() - ${KEPT_MS}::float8 * interval '1 ms'`),
    );
  }
}
