/**
 * Builds an index without blocking writers (PostgreSQL manual, CREATE INDEX, "Building Indexes
 * Concurrently"). It runs outside of any transaction and leaves no invalid index.
 */

import pg from 'pg';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { cancelStatement } from '#core/database/cancel.ts';
import { EVERYTHING, translateFailure } from '#core/database/failure.ts';
import type { Client, Connection } from '#core/database/pool.ts';
import { identifier, raw, render, type Sql, sql } from '#core/database/sql.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import type { TableName } from './schema-change-context.ts';
import { schemaFailure } from './schema-failure.ts';

export interface IndexBuild {
  readonly collection: string;
  /** The column. */
  readonly field: string;
  readonly table: TableName;
  /** The name of the index. */
  readonly index: string;
  readonly unique: boolean;
}

/** The outcome; `gone` when the column was dropped in the meantime. */
export type BuildOutcome = 'built' | 'there' | 'gone';

/** Errors of building when the table or column is dropped in the meantime. */
const GONE: ReadonlySet<string> = new Set([
  SQLSTATE.undefinedTable,
  SQLSTATE.undefinedColumn,
  SQLSTATE.internalError,
]);

interface IndexState {
  /** The column exists. */
  readonly column: boolean;
  /** Whether the index of that name is valid; null without one. */
  readonly valid: boolean | null;
  /** That index is the one to build, not an unrelated index. */
  readonly own: boolean | null;
}

function look({ table, index, field, unique }: IndexBuild): Sql {
  return sql`
    WITH place AS (SELECT oid FROM pg_namespace WHERE nspname = ${table.schema}),
      wanted AS (
        SELECT c.oid, a.attnum FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = (SELECT oid FROM place) AND c.relname = ${table.name}
          AND a.attname = ${field} AND NOT a.attisdropped)
    SELECT EXISTS (SELECT FROM wanted) AS column, i.indisvalid AS valid,
      EXISTS (SELECT FROM wanted WHERE oid = i.indrelid AND attnum = i.indkey[0]
        AND i.indnatts = 1 AND i.indisunique = ${unique}::bool AND i.indpred IS NULL) AS own
    FROM (VALUES (true)) AS always LEFT JOIN pg_class c
      ON c.relnamespace = (SELECT oid FROM place) AND c.relname = ${index}
    LEFT JOIN pg_index i ON i.indexrelid = c.oid`;
}

/** A build of one index. */
class Builder {
  readonly #client: Client;
  readonly #build: IndexBuild;

  constructor(client: Client, build: IndexBuild) {
    this.#client = client;
    this.#build = build;
  }

  async run(statement: Sql): Promise<void> {
    await this.#client.query(render(statement));
  }

  async state(): Promise<IndexState> {
    const { rows } = await this.#client.query<IndexState>(render(look(this.#build)));
    return rows[0] ?? { column: false, valid: null, own: null };
  }

  async create(): Promise<void> {
    const { table, field, index, unique } = this.#build;
    await this.run(sql`CREATE ${raw(unique ? 'UNIQUE ' : '')}INDEX CONCURRENTLY
      ${identifier(index)} ON ${identifier(table.schema, table.name)} (${identifier(field)})`);
  }

  /** Drops an invalid index of that name. */
  async clean(): Promise<void> {
    const { table, index } = this.#build;
    const { valid, own } = await this.state();
    if (valid !== false || !own) return;
    await this.run(sql`DROP INDEX CONCURRENTLY IF EXISTS ${identifier(table.schema, index)}`);
  }
}

/** Translates the failure for the user who requested the index. */
function meaningOf(error: unknown, { collection, field }: IndexBuild): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  if (error.code !== SQLSTATE.uniqueViolation) return schemaFailure(error);
  const translated = translateFailure(error, EVERYTHING);
  const details = translated instanceof ServiceError ? translated.details : {};
  const why = reason('items_share_value', { collection, field });
  return new ServiceError('RECORD_NOT_UNIQUE', { ...details, collection, field, reason: why });
}

/**
 * Builds the index, also when an earlier attempt was interrupted.
 * @param client a separate connection, outside of a transaction
 * @throws RECORD_NOT_UNIQUE when items share a value that must become unique
 * @throws the signal's reason when it is aborted
 */
export async function buildIndex(
  client: Connection,
  build: IndexBuild,
  signal: AbortSignal,
): Promise<BuildOutcome> {
  const builder = new Builder(client, build);
  const cancel = () => void cancelStatement(client);
  try {
    // The build waits for every older transaction, however long that takes.
    await client.query('SET lock_timeout = 0');
    const { column, valid, own } = await builder.state();
    if (!column) return 'gone';
    if (valid === true && own) return 'there';
    signal.throwIfAborted();
    signal.addEventListener('abort', cancel);
    await builder.clean();
    await builder.create();
    return 'built';
  } catch (error) {
    signal.removeEventListener('abort', cancel);
    if (error instanceof pg.DatabaseError && GONE.has(error.code ?? '')) {
      if (!(await builder.state()).column) return 'gone';
    }
    await builder.clean();
    signal.throwIfAborted();
    throw meaningOf(error, build);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
