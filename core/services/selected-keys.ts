/** Selects the items of a multi-item write: by their keys, or by a query. */
import type { Statement } from '#core/database/sql.ts';
import { type Key, keyOfValues, keysOfBody } from '#core/query/key.ts';
import type { Query } from '#core/query/query.ts';
import { compilePage } from '#core/read/sql/compile.ts';
import { parseItem } from '#core/write/payload.ts';
import { WriteBudget } from '#core/write/write-budget.ts';
import type { WriteContext } from '#core/write/write-context.ts';
import { readItemText } from './read-back.ts';

export type Selection =
  | { readonly kind: 'keys'; readonly keys: readonly unknown[] }
  | { readonly kind: 'query'; readonly query: Query };

/**
 * The keys of a selection. A query finds the items that the caller may read, within its limit.
 * @param read runs the statement of a query; by default in the transaction of the write
 */
export async function selectedKeys(
  write: WriteContext,
  selection: Selection,
  maxItems: number | undefined,
  read = (statement: Statement) => readItemText(write.client, statement),
): Promise<Key[]> {
  const { collection, target } = write;
  const allowance = new WriteBudget(maxItems);
  if (selection.kind === 'keys') {
    allowance.take(selection.keys.length);
    return await keysOfBody(collection, selection.keys);
  }
  const fields = collection.primaryKey.map(({ name }) => [name]);
  const { alias: _, meta: __, ...query } = selection.query;
  const most = maxItems === undefined ? null : Math.min(query.limit ?? maxItems + 1, maxItems + 1);
  const limit = most ?? query.limit;
  const text = await read(
    compilePage(
      target,
      { ...query, limit, fields, alias: new Map(), meta: [], deep: new Map() },
      'whole',
    ),
  );
  const found: unknown = JSON.parse(text ?? '[]');
  const list = Array.isArray(found) ? found : [];
  allowance.take(list.length);
  return list.map((item: unknown) => {
    const members = parseItem(item, 'An item');
    return keyOfValues(
      collection,
      fields.map(([name = '']) => members[name]),
    );
  });
}
