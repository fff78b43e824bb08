/** The rules of comments: a user writes them, about an item that he may read. */
import { render, sql } from '#core/database/sql.ts';
import { refusal } from '#core/errors/refusal.ts';
import { forbidden, invalidPayload } from '#core/errors/service-error.ts';
import { keyOfItem } from '#core/history/history.ts';
import type { Action, Item } from '#core/mutation/payload.ts';
import type { Done, Write } from '#core/mutation/target.ts';
import { distinctKeys } from '#core/query/key.ts';
import { readableRows } from '#core/query/sql/table-rows.ts';
import { systemTable } from '#core/system/system-table.ts';
import { schemaOf, singleKeys } from './system-schema.ts';

/** @throws ServiceError FORBIDDEN for anonymous callers, even when the policy `Public` allows it */
export async function beginComments({ target }: Write): Promise<void> {
  if (target.caller.user === null) throw forbidden();
}

/** @throws ServiceError INVALID_PAYLOAD naming the missing member */
export async function refineComment(_: Write, action: Action, item: Item): Promise<Item> {
  for (const name of ['collection', 'item', 'comment']) {
    const value = item[name];
    const isMissing =
      value === null || value === '' || (action === 'create' && value === undefined);
    if (isMissing) throw invalidPayload(`"${name}" must not be empty.`, { field: name });
  }
  return item;
}

/** @throws ServiceError FORBIDDEN unless all items exist and the caller may read them */
async function requireReadable(write: Write, name: string, items: readonly string[]) {
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

/** Checks the items of comments that are new or were moved. */
export async function afterComments(write: Write, { action, keys, items }: Done): Promise<void> {
  if (action === 'delete') return;
  const placed = keys.filter((_, place) => {
    const item = items[place];
    return action === 'create' || item?.collection !== undefined || item?.item !== undefined;
  });
  const { rows } = await write.client.query<{ collection: string; items: string[] }>(
    render(sql`SELECT collection, array_agg(DISTINCT item::text) AS items
      FROM ${systemTable(schemaOf(write), 'comments')}
      WHERE id = ANY(${singleKeys(placed)}::uuid[]) GROUP BY collection ORDER BY collection`),
  );
  for (const { collection, items: about } of rows) await requireReadable(write, collection, about);
}
