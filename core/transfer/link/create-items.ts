/**
 * Creates the items that rows refer to by a value that no item has. Each is written as by the API:
 * with the sender's rights, presets, validations and history.
 */

import type { ServiceError } from '#core/base/errors/service-error.ts';
import { bareType } from '#core/database/column-type.ts';
import { identifier, sql } from '#core/database/sql.ts';
import type { Key } from '#core/query/key.ts';
import { writeItems } from '#core/write/relational/write-items.ts';
import type { ImportRun } from '../run/import-run.ts';
import type { Reference } from '../target/reference.ts';
import type { ItemWrites } from './item-writes.ts';

/** The number of items to create at once. */
const BATCH = 500;

/** The keys of new items by their values, and the errors of refused values. */
export interface CreatedItems {
  readonly keys: ReadonlyMap<string, string>;
  readonly refused: ReadonlyMap<string, ServiceError>;
}

/** The texts of the referenced columns of new items. */
async function keyTexts(
  run: ImportRun,
  { collection, key }: Reference,
  keys: readonly Key[],
): Promise<readonly string[]> {
  const [primary] = collection.primaryKey;
  if (primary?.name === key.name && collection.primaryKey.length === 1) {
    return keys.map(([text = '']) => text);
  }
  const { table, primaryKey } = collection;
  if (table === null) return [];
  const texts: string[] = [];
  for (const values of keys) {
    const match = primaryKey.map(
      ({ column }, part) =>
        sql`t.${identifier(column.name)} = ${values[part] ?? null}::text::${bareType(column)}`,
    );
    const condition = match.reduce((all, one) => sql`${all} AND ${one}`);
    const { rows } =
      await run.connection.run(sql`SELECT t.${identifier(key.column.name)}::text AS "key"
      FROM ${identifier(table.schema, table.name)} t WHERE ${condition}`);
    texts.push(String(rows[0]?.key ?? ''));
  }
  return texts;
}

/** Creates items for distinct values; a refused batch is divided until the values are isolated. */
export async function createItems(
  run: ImportRun,
  writes: ItemWrites,
  { reference, values }: { readonly reference: Reference; readonly values: readonly string[] },
): Promise<CreatedItems> {
  const { connection, options } = run;
  const made = new Map<string, string>();
  const refused = new Map<string, ServiceError>();
  const most = Math.max(1, Math.min(BATCH, options.sender.maxItems ?? BATCH));
  const create = async (some: readonly string[]): Promise<void> => {
    await connection.run(sql`SAVEPOINT linked`);
    try {
      const inputs = some.map((text, index) => {
        const place = some.length === 1 ? [] : [index];
        return { place, value: { [reference.by.name]: text }, intent: 'create' as const };
      });
      const keys = await connection.work(async () => {
        const write = writes.of(reference.collection.name);
        return await writeItems(write, inputs, writes.surroundings);
      });
      await connection.run(sql`RELEASE SAVEPOINT linked`);
      const texts = await keyTexts(run, reference, keys);
      for (const [index, text] of some.entries()) made.set(text, texts[index] ?? '');
    } catch (error) {
      const [first] = writes.errors(error);
      await connection.run(sql`ROLLBACK TO SAVEPOINT linked; RELEASE SAVEPOINT linked`);
      const [only = ''] = some;
      if (some.length === 1 && first !== undefined) {
        refused.set(only, first);
        return;
      }
      const middle = Math.ceil(some.length / 2);
      await create(some.slice(0, middle));
      await create(some.slice(middle));
    }
  };
  for (let from = 0; from < values.length; from += most) {
    await create(values.slice(from, from + most));
  }
  return { keys: made, refused };
}
