/**
 * Reads changes of items by key from payloads without nested related items, and builds the rows.
 */
import { isJsonObject } from '#core/base/json/json-object.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import { type Key, keyOfValues } from '#core/query/key.ts';
import { ItemPreparation } from '../item-preparation.ts';
import { type Item, ownMember } from '../payload.ts';
import { PayloadPlanner } from '../relational/payload-planner.ts';
import type { PlannedItem } from '../relational/plan.ts';
import type { RowNode } from '../relational/work.ts';
import { WriteBudget } from '../write-budget.ts';
import type { WriteContext } from '../write-context.ts';
import { isPlainItem } from './plain-item.ts';

/** The keys that a write addresses: one from the URL path, or a list. */
export interface KeyedItems {
  readonly keys: readonly Key[];
  readonly isList: boolean;
}

/** A change of items: the same values for all, or separate values for each. */
export interface KeyedChange extends KeyedItems {
  readonly isEach: boolean;
  /** In key order when each item has its own values, else a single entry. */
  readonly values: readonly unknown[];
}

/** Longer lists are prepared step by step, so that other requests can run in between. */
const EACH_MAX = 10_000;

/**
 * Reads a list of items that each contain their key.
 * @returns null when a key is missing or repeated, or when the list is too long
 * @throws ServiceError FORBIDDEN for an invalid key
 */
export function changeOfEach(
  { collection }: WriteContext,
  values: readonly unknown[],
): KeyedChange | null {
  if (values.length > EACH_MAX) return null;
  const names = collection.primaryKey.map(({ name }) => name);
  const keys: Key[] = [];
  for (const value of values) {
    const parts = isJsonObject(value) ? names.map((name) => ownMember(value, name)) : [null];
    if (parts.some((part) => part === undefined || part === null)) return null;
    keys.push(keyOfValues(collection, parts));
  }
  const isDistinct = new Set(keys.map((key) => JSON.stringify(key))).size === keys.length;
  return isDistinct ? { keys, isList: true, isEach: true, values } : null;
}

/** A planned item whose payload names no relations. */
function plainItem(key: Key, item: Item): PlannedItem {
  return { place: [], item, sent: item, lists: [], key, intent: 'update' };
}

/**
 * A planned item whose payload names relations; null when it contains, or may contain, nested
 * items.
 */
async function plannedItem(
  write: WriteContext,
  key: Key,
  value: unknown,
): Promise<PlannedItem | null> {
  const { collection, target } = write;
  const planner = new PayloadPlanner(target, new WriteBudget(undefined));
  const input = { place: [], value, intent: 'update', key } as const;
  const { items, toOne, toMany } = await planner.level(collection, [input]);
  return toOne.length + toMany.length === 0 ? (items[0] ?? null) : null;
}

/** The planned items of a change. */
interface PlannedItems {
  readonly items: readonly PlannedItem[];
  /** No item names a relation. */
  readonly arePlain: boolean;
}

/**
 * The planned items of a change, which must name the same members. Null when they do not, or when
 * they contain nested items.
 */
export async function plannedItems(
  write: WriteContext,
  { keys, values }: KeyedChange,
): Promise<PlannedItems | null> {
  const { collection, target } = write;
  const slice = new TimeSlice();
  const items: PlannedItem[] = [];
  let arePlain = true;
  for (const [index, value] of values.entries()) {
    if (slice.isOver()) await slice.pause();
    const key = keys[index] ?? [];
    const isPlain = isPlainItem(target.catalog, collection, value);
    arePlain &&= isPlain;
    const item = isPlain ? plainItem(key, value) : await plannedItem(write, key, value);
    const first = items[0] ?? item;
    if (item === null || first === null || !namesSame(first.item, item.item)) return null;
    items.push(item);
  }
  return { items, arePlain };
}

function namesSame(item: Item, other: Item): boolean {
  if (item === other) return true;
  const names = Object.keys(item);
  return (
    names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name))
  );
}

/** The only item of a change, when it names no relations; null otherwise. */
export function onlyPlainItem(
  { collection, target }: WriteContext,
  { keys: [key, ...more], values: [value] }: KeyedChange,
): PlannedItem | null {
  if (key === undefined || more.length > 0) return null;
  return isPlainItem(target.catalog, collection, value) ? plainItem(key, value) : null;
}

/** The row of an item without conditions or generated values; null for other items. */
export function plainNode(write: WriteContext, item: PlannedItem): RowNode | null {
  const prepared = ItemPreparation.withoutRecord(write, 'update').plain(item.item, item.sent);
  if (prepared === null) return null;
  const { row, item: stored } = prepared;
  return { ...item, action: 'update', found: null, row, stored };
}

/** The rows of items, with their references; null when the rows have different fields. */
export async function nodesOf(
  write: WriteContext,
  items: readonly PlannedItem[],
): Promise<readonly RowNode[] | null> {
  const preparation = ItemPreparation.withoutRecord(write, 'update');
  if (items.length > 1) await preparation.judge(items);
  const slice = new TimeSlice();
  const nodes: RowNode[] = [];
  for (const item of items) {
    if (slice.isOver()) await slice.pause();
    const preparing = preparation.of(item.item, item.sent);
    const { row, item: stored } = preparing instanceof Promise ? await preparing : preparing;
    const first = nodes[0]?.row ?? row;
    const isAlike = row === first || [...row.keys()].every((field) => first.has(field));
    if (row.size !== first.size || !isAlike) return null;
    nodes.push({ ...item, action: 'update', found: null, row, stored });
  }
  return nodes;
}
