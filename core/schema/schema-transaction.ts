/**
 * One schema change as one transaction: locks, tables, metadata, the new catalog and the caller's
 * own record commit together, or not at all.
 */
import assert from 'node:assert/strict';
import { cancelStatement } from '#core/database/cancel.ts';
import type { Client, Connection } from '#core/database/pool.ts';
import { identifier, raw, render, type Sql, sql } from '#core/database/sql.ts';
import type { Catalog, CatalogSchemas } from '#core/model/catalog/catalog.ts';
import { publishWithin } from '#core/model/catalog/publish-in-transaction.ts';
import { type Author, History } from '#core/write/history/history.ts';
import { indexName } from './index-name.ts';
import { runSchemaChange } from './run-change.ts';
import type { SchemaChange } from './schema-change.ts';
import type { Alteration, IndexRequest, TableName } from './schema-change-context.ts';
import { schemaFailure } from './schema-failure.ts';
import { lockTables } from './table-lock.ts';

export interface AlterOptions {
  /** A separate connection, outside of a transaction. */
  readonly client: Connection;
  /** The newest catalog; when the schema has changed since, the change fails. */
  readonly catalog: Catalog;
  readonly catalogSchemas: CatalogSchemas;
  /** Maximum milliseconds of one attempt to lock. */
  readonly lockTimeout: number;
  readonly concurrently: boolean;
  readonly force: boolean;
  /** The author that the history of changed rows records. */
  readonly author: Author;
  /** Aborted when the change is cancelled. */
  readonly signal: AbortSignal;
  /** Accepts an index that is built after the commit, within this transaction. */
  readonly order: (order: IndexRequest & { readonly index: string }) => Promise<void>;
  /** Records the result, as the last statement before the commit. */
  readonly complete: (version: number) => Promise<void>;
}

function tableKey({ schema, name }: TableName): string {
  return JSON.stringify([schema, name]);
}

/** An existing table that can be indexed concurrently with writes. */
function isBusy(catalog: Catalog, { schema, name }: TableName): boolean {
  for (const { table } of catalog.collections.values()) {
    if (table?.schema === schema && table.name === name) return table.kind === 'table';
  }
  return false;
}

/** A statement waits for locks no longer than a lock attempt of the change. */
async function setLockTimeout(client: Client, ms: number): Promise<void> {
  await client.query(render(sql`SELECT set_config('lock_timeout', ${String(ms)}, true)`));
}

/** Runs statements of the change and translates their errors. */
function questions({ client, signal }: AlterOptions) {
  return async (statement: Sql) => {
    signal.throwIfAborted();
    try {
      return await client.query(render(statement));
    } catch (error) {
      throw schemaFailure(error);
    }
  };
}

type Query = ReturnType<typeof questions>;

/** Takes locks once; locks that are already held are skipped. */
function locker({ client, lockTimeout, signal }: AlterOptions): Alteration['lock'] {
  const held = new Set<string>();
  return async (tables) => {
    const missing = tables.filter((table) => !held.has(tableKey(table)));
    if (missing.length === 0) return;
    try {
      await lockTables(client, missing, { limit: lockTimeout, signal });
    } catch (error) {
      throw schemaFailure(error);
    }
    await setLockTimeout(client, lockTimeout);
    for (const table of missing) {
      if (table.mode !== 'SHARE ROW EXCLUSIVE') held.add(tableKey(table));
    }
  };
}

/** Removes the invalid index of an unfinished attempt. */
async function dropInvalid(query: Query, schema: string, index: string): Promise<void> {
  const { rowCount } = await query(sql`
    SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ${schema} AND c.relname = ${index} AND NOT i.indisvalid`);
  if (rowCount !== 0) await query(sql`DROP INDEX ${identifier(schema, index)}`);
}

/** The context of operations on one transaction. */
function alterationOn(options: AlterOptions): Alteration {
  const { author, catalog, catalogSchemas, client, concurrently, force } = options;
  const query = questions(options);
  const history = new History(client, catalogSchemas.system, author);
  return {
    catalog,
    system: catalogSchemas.system,
    home: catalogSchemas.schemas[0] ?? catalogSchemas.system,
    force,
    concurrently,
    ask: async (statement) => (await query(statement)).rows,
    run: async (statement) => {
      await query(statement);
    },
    write: async (statement) => (await query(statement)).rows,
    record: async (name, action, rows) => {
      const collection = catalog.collections.get(name);
      assert(collection !== undefined, `there is no ${name}`);
      const entries = rows.map(({ id, delta }) => ({ key: [id], delta, parent: null }));
      await history.record(collection, action, entries);
    },
    lock: locker(options),
    index: async (order) => {
      const { collection, field, table, unique } = order;
      const index = indexName(collection, field, unique ? 'unique' : 'index');
      if (concurrently && isBusy(catalog, table)) return await options.order({ ...order, index });
      await dropInvalid(query, table.schema, index);
      await query(sql`CREATE ${raw(unique ? 'UNIQUE ' : '')}INDEX ${identifier(index)}
        ON ${identifier(table.schema, table.name)} (${identifier(field)})`);
    },
  };
}

/**
 * Applies a change and publishes its catalog.
 * @returns the version of that catalog, after the commit
 * @throws {ServiceError} why the change is not possible; the database is then unchanged
 * @throws the signal's reason when it was aborted before the commit
 */
export async function alterSchema(change: SchemaChange, options: AlterOptions): Promise<number> {
  const { client, catalogSchemas, lockTimeout, signal } = options;
  const cancel = () => void cancelStatement(client);
  signal.addEventListener('abort', cancel);
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    await setLockTimeout(client, lockTimeout);
    await runSchemaChange(alterationOn(options), change);
    const { version } = await publishWithin(client, catalogSchemas);
    await options.complete(version);
    signal.throwIfAborted();
    signal.removeEventListener('abort', cancel);
    await client.query('COMMIT');
    return version;
  } catch (error) {
    signal.removeEventListener('abort', cancel);
    // A broken connection has already rolled back.
    await client.query('ROLLBACK').catch(() => undefined);
    signal.throwIfAborted();
    throw schemaFailure(error);
  }
}
