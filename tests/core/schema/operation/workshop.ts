/** A database in which operations on the schema are carried out one by one, each in its transaction. */

import { ServiceError } from '#core/base/errors/service-error.ts';
import { type Client, type Pool, transaction } from '#core/database/pool.ts';
import { identifier, raw, render, type Sql, sql } from '#core/database/sql.ts';
import { buildCatalog } from '#core/model/catalog/build-catalog.ts';
import { buildDescriptors } from '#core/model/catalog/build-descriptors.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { introspect } from '#core/model/catalog/introspect.ts';
import { indexName } from '#core/schema/index-name.ts';
import type { Alteration } from '#core/schema/schema-change-context.ts';
import { schemaFailure } from '#core/schema/schema-failure.ts';
import { lockTables } from '#core/schema/table-lock.ts';
import { install, type Test } from '../../model/catalog/installation.ts';

async function catalogOf(client: Client): Promise<Catalog> {
  await client.query('SET LOCAL search_path = pg_catalog');
  const found = await introspect(client, ['public'], 'public');
  const { collections, leftOut } = buildDescriptors(found, ['public'], 'public');
  return buildCatalog({ version: 1, collections, leftOut });
}

function alterationOn(client: Client, catalog: Catalog): Alteration {
  const run = async (statement: Sql) => {
    await client.query(render(statement)).catch((error: unknown) => {
      throw schemaFailure(error);
    });
  };
  return {
    catalog,
    system: 'public',
    home: 'public',
    force: false,
    concurrently: false,
    ask: async (query) => (await client.query(render(query))).rows,
    run,
    write: async () => [],
    record: async () => undefined,
    lock: (tables) =>
      lockTables(client, tables, { limit: 1_000, signal: new AbortController().signal }),
    index: ({ collection, field, table, unique }) => {
      const name = identifier(indexName(collection, field, unique ? 'unique' : 'index'));
      return run(sql`CREATE ${raw(unique ? 'UNIQUE' : '')} INDEX ${name}
        ON ${identifier(table.schema, table.name)} (${identifier(field)})`);
    },
  };
}

export interface Workshop {
  readonly pool: Pool;
  /** Runs SQL as any other client of the database would. */
  sql(text: string): Promise<void>;
  /** The rows that a query finds. */
  rows(text: string): Promise<ReturnType<typeof JSON.parse>[]>;
  catalog(): Promise<Catalog>;
  /** Carries an operation out in a transaction of its own and yields the catalog after it. */
  change(work: (alteration: Alteration) => Promise<unknown>): Promise<Catalog>;
  /** The error that an operation ends with; it leaves nothing behind. */
  refusal(work: (alteration: Alteration) => Promise<unknown>): Promise<ServiceError>;
}

/** Makes the database with these tables and metadata. */
export async function openWorkshop(t: Test, setup: string): Promise<Workshop> {
  const { pool, sql: runText } = await install(t);
  await runText(setup);
  const change = (work: (alteration: Alteration) => Promise<unknown>) =>
    transaction(pool, async (client) => {
      await work(alterationOn(client, await catalogOf(client)));
      return catalogOf(client);
    });
  return {
    pool,
    sql: runText,
    rows: async (text) => (await pool.query(text)).rows,
    catalog: () => transaction(pool, catalogOf),
    change,
    refusal: async (work) => {
      try {
        await change(work);
      } catch (error) {
        if (error instanceof ServiceError) return error;
        throw error;
      }
      throw new Error('the operation was not refused');
    },
  };
}
