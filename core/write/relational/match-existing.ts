/**
 * Matches the items of a payload with existing items by a unique key: matches are updated, all
 * other items are created.
 */

import { ServiceError } from '#core/base/errors/service-error.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import type { Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import { keyOfValues } from '#core/query/key.ts';
import { type Item, ownMember, toRow } from '../payload.ts';
import type { WriteContext } from '../write-context.ts';
import { readableKeys } from './check-links.ts';
import { withPath } from './error-path.ts';
import { firstEquals, lockMatching } from './lock.ts';
import type { InputItem } from './payload-planner.ts';

/** An item as it appears in the body. */
type Sent = Pick<InputItem, 'place' | 'value'>;

/** The items of a payload, with the action for each. */
export interface MatchedItems {
  readonly inputs: readonly InputItem[];
  /** Some items have the keys of items that the caller may not see. */
  readonly isHidden: boolean;
}

function isPrimary({ primaryKey }: Collection, key: readonly ColumnField[]): boolean {
  return key.length === primaryKey.length && primaryKey.every((field) => key.includes(field));
}

/** The key values of an item, as their columns read them; null: it is a new item. */
function textsOf(
  { collection }: WriteContext,
  key: readonly ColumnField[],
  item: Item,
): readonly string[] | null {
  const members = key.map(({ name }) => [name, ownMember(item, name)] as const);
  const lacking = members.find(([, value]) => value === undefined || value === null);
  if (isPrimary(collection, key)) {
    const { primaryKey } = collection;
    const values = primaryKey.map(({ name }) => ownMember(item, name));
    return lacking === undefined ? keyOfValues(collection, values) : null;
  }
  if (lacking !== undefined) {
    const [field, value] = lacking;
    const type = value === null ? 'nnull' : 'required';
    throw new ServiceError('FAILED_VALIDATION', { field, path: [], type });
  }
  const row = toRow(collection, Object.fromEntries(members), 'create');
  return key.map((field) => row.get(field) ?? '');
}

/**
 * Separates existing items, which are locked if the caller may change them, from new ones. An item
 * that the caller may not see counts as new: PostgreSQL then rejects its key.
 * @param isCompared merge new items whose keys PostgreSQL considers equal; when false, merge only
 * those with identical key texts
 * @throws ServiceError INVALID_PAYLOAD, FAILED_VALIDATION for an item without a value of the key
 */
export async function matchExistingItems(
  write: WriteContext,
  key: readonly ColumnField[],
  sent: readonly Sent[],
  isCompared = false,
): Promise<MatchedItems> {
  const { collection } = write;
  const fields = isPrimary(collection, key) ? collection.primaryKey : key;
  const slice = new TimeSlice();
  const values: (readonly string[] | null)[] = [];
  for (const { place, value } of sent) {
    if (slice.isOver()) await slice.pause();
    // A value that is not an object is rejected later, as in every write.
    const texts = isJsonObject(value)
      ? await withPath(write, { place, sent: value }, async () => textsOf(write, key, value))
      : null;
    values.push(texts);
  }
  const known = values.filter((texts) => texts !== null);
  const columns = fields.map(({ column }) => column.name);
  const rows = await lockMatching(write, columns, known);
  const keys = rows.flatMap((row) => (row === undefined || row.isLocked ? [] : [row.key]));
  const seen = await readableKeys(write, keys);
  const found = new Map(known.map((texts, index) => [texts, rows[index]]));
  const firsts = isCompared ? await firstEquals(write, columns, known) : [];
  const nameOf = new Map(known.map((texts, index) => [texts, known[firsts[index] ?? index]]));
  let isHidden = false;
  const inputs = sent.map((one, index): InputItem => {
    const texts = values[index] ?? null;
    if (texts === null) return { ...one, intent: 'create' };
    const row = found.get(texts);
    if (row !== undefined && (row.isLocked || seen.has(JSON.stringify(row.key)))) {
      return { ...one, intent: 'update', key: row.key };
    }
    if (row !== undefined) isHidden = true;
    return { ...one, intent: 'create', match: JSON.stringify(nameOf.get(texts)) };
  });
  return { inputs, isHidden };
}
