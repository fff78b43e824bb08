/** The rules of comments: a user writes them, about an item that the user may read. */

import { reason } from '#core/base/errors/reason.ts';
import { refusal } from '#core/base/errors/refusal.ts';
import { forbidden, invalidPayload } from '#core/base/errors/service-error.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { distinctKeys } from '#core/query/key.ts';
import { readableRows } from '#core/read/sql/table-rows.ts';
import { keyOfItem } from '#core/write/history/history.ts';
import type { Action, Item } from '#core/write/payload.ts';
import type { CompletedChange, WriteContext } from '#core/write/write-context.ts';
import { singleKeys, systemSchemaOf } from './system-schema.ts';

/** @throws ServiceError FORBIDDEN for anonymous callers, even when the policy `Public` allows it */
export async function beginComments({ target }: WriteContext): Promise<void> {
  if (target.caller.user === null) throw forbidden();
}

/** @throws ServiceError INVALID_PAYLOAD naming the missing member */
export async function refineComment(_: WriteContext, action: Action, item: Item): Promise<Item> {
  for (const name of ['collection', 'item', 'comment']) {
    const value = item[name];
    const isMissing =
      value === null || value === '' || (action === 'create' && value === undefined);
    if (isMissing) throw invalidPayload(reason('text_empty', { name }), { field: name });
  }
  return item;
}

/** @throws ServiceError FORBIDDEN unless all items exist and the caller may read them */
async function requireReadable(write: WriteContext, name: string, items: readonly string[]) {
  const { target, client } = write;
  const collection = target.catalog.collections.get(name);
  if (!collection?.table || target.grants.of(name) === null) throw refusal({ collection: name });
  const keys = distinctKeys(items.map((item) => keyOfItem(collection, item)));
  const table = readableRows({ ...target, collection: name });
  const where = table.where([table.hasKey(keys)]);
  const { text, values } = render(sql`SELECT count(*)::int FROM ${table.from}${where}`);
  const { rows } = await client.query<[number]>({ text, values, rowMode: 'array' });
  if (rows[0]?.[0] !== keys.length) throw forbidden();
}

/** Checks the items of new or moved comments. */
export async function afterComments(
  write: WriteContext,
  { action, keys, items }: CompletedChange,
): Promise<void> {
  if (action === 'delete') return;
  const placed = keys.filter((_, place) => {
    const item = items[place];
    return action === 'create' || item?.collection !== undefined || item?.item !== undefined;
  });
  const { rows } = await write.client.query<{ collection: string; items: string[] }>(
    render(sql`SELECT collection, array_agg(DISTINCT item::text) AS items
      FROM ${systemTable(systemSchemaOf(write), 'comments')}
      WHERE id = ANY(${singleKeys(placed)}::uuid[]) GROUP BY collection ORDER BY collection`),
  );
  for (const { collection, items: about } of rows) await requireReadable(write, collection, about);
}
