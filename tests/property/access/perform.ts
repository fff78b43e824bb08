/** Has the service carry out a write, and reads what it left. */
import type { Pool } from 'pg';
import { ALL_GRANTS, ANONYMOUS, type Caller } from '#core/access/grants.ts';
import type { Rights } from '#core/access/rights.ts';
import { ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import { translateFailure } from '#core/database/failure.ts';
import { transaction } from '#core/database/pool.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { keyOfBody } from '#core/query/key.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import { compilePage } from '#core/read/sql/compile.ts';
import { deleteItems } from '#core/write/delete.ts';
import { History, NO_VISITOR } from '#core/write/history/history.ts';
import { type InputItem, writeItems } from '#core/write/relational/write-items.ts';
import { NO_RULE, type WriteContext } from '#core/write/write-context.ts';
import type { Json, Table } from '../model.ts';
import type { RandomWrite } from './random-write.ts';

const BOUNDS = {
  limitDefault: 100,
  limitMax: undefined,
  maxDepth: 10,
  maxJsonDepth: 10,
  maxFields: 10_000,
};

export interface Office {
  readonly pool: Pool;
  readonly schema: string;
  readonly catalog: Catalog;
}

function codeOf(error: unknown): string {
  const found = translateFailure(error);
  if (found instanceof ServiceErrors) return found.errors[0].code;
  if (found instanceof ServiceError) return found.code;
  throw error;
}

/** Carries out a write; returns null, or the code of the refusal. */
export async function perform(
  { pool, schema, catalog }: Office,
  { caller, rights }: { readonly caller: Caller; readonly rights: Rights },
  randomWrite: RandomWrite,
): Promise<string | null> {
  const collection = catalog.collections.get(randomWrite.table);
  if (collection === undefined) throw new Error(randomWrite.table);
  const { action, items } = randomWrite;
  try {
    await transaction(pool, async (client) => {
      const now = new Date();
      const write: WriteContext = {
        target: {
          catalog,
          grants: rights.reading,
          rights,
          caller,
          bounds: BOUNDS,
          collection: randomWrite.table,
        },
        collection,
        client,
        now,
        rule: NO_RULE,
        hash: async (secret) => secret,
      };
      const history = new History(client, schema, { user: caller.user, visitor: NO_VISITOR });
      const keys = randomWrite.keys.map((key) => keyOfBody(collection, key));
      if (action === 'delete') return deleteItems(write, keys, history);
      const inputs = items.map((value, index): InputItem => {
        const key = keys[index];
        const input = { place: [index], value, intent: action };
        return key === undefined ? input : { ...input, key };
      });
      await writeItems(write, inputs, { writeOf: () => write, maxItems: undefined, history });
    });
    return null;
  } catch (error) {
    return codeOf(error);
  }
}

/** All rows of a table, as an administrator reads them. */
export async function rowsOf({ pool, catalog }: Office, table: Table): Promise<Json> {
  const fields = table.columns.map(({ name }) => name);
  const query = parseQuery({ fields, limit: -1 }, BOUNDS);
  const caller = { ...ANONYMOUS, admin: true };
  const target = { catalog, grants: ALL_GRANTS, caller, bounds: BOUNDS, collection: table.name };
  const statement = compilePage(target, query, 'whole');
  const { rows } = await pool.query<[string]>({ ...statement, rowMode: 'array' });
  return JSON.parse(rows[0]?.[0] ?? 'null');
}
