/**
 * What changes in a list of related items, as the payload says it: items that are created, changed and
 * taken out. The rows of the list are what is stored with the changes on it.
 */
import type { Field, Item } from '../data/schema-types.ts';
import { isItem, sameValue } from '../data/values.ts';

export type KeyValue = string | number | readonly (string | number)[];

export interface ListChange {
  readonly create: readonly Item[];
  readonly update: readonly Item[];
  readonly delete: readonly KeyValue[];
}

export type Row =
  | {
      readonly kind: 'stored';
      /** The text of the key. */
      readonly id: string;
      readonly key: KeyValue;
      /** With the changes on it. */
      readonly item: Item;
      /** What is changed in it; null for nothing. */
      readonly change: Item | null;
      /** Its place in `update` of the payload. */
      readonly index: number;
      readonly removed: boolean;
      /** Whether it becomes a part of the list by this change. */
      readonly linked: boolean;
    }
  | { readonly kind: 'new'; readonly id: string; readonly index: number; readonly item: Item };

function isKey(value: unknown): value is KeyValue {
  return typeof value === 'string' || typeof value === 'number' || Array.isArray(value);
}

/** Reads the payload of a list; what is no payload changes nothing. */
export function readChange(value: unknown): ListChange {
  const parts: Item = isItem(value) ? value : {};
  const items = (part: unknown) => (Array.isArray(part) ? part.filter(isItem) : []);
  return {
    create: items(parts.create),
    update: items(parts.update),
    delete: Array.isArray(parts.delete) ? parts.delete.filter(isKey) : [],
  };
}

/** The payload of a change; undefined when nothing changes. */
export function writeChange(change: ListChange): Partial<ListChange> | undefined {
  const parts = Object.entries(change).filter(([, list]) => list.length > 0);
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

/**
 * A field of the key of an item. One that refers to another item may hold what was read of it, with
 * the value that the reference has.
 */
function keyMember({ field, schema }: Field, item: Item): unknown {
  const value = item[field];
  return isItem(value) ? value[schema?.foreign_key_column ?? ''] : value;
}

function partsOfKey(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ schema }) => schema?.is_primary_key);
}

/** The key of an item as payloads have it; null when it has none, or not all of it. */
export function keyValueOf(fields: readonly Field[], item: Item): KeyValue | null {
  const values = partsOfKey(fields).map((field) => keyMember(field, item));
  const known = values.filter((value) => typeof value === 'string' || typeof value === 'number');
  const [only] = known;
  if (only === undefined || known.length !== values.length) return null;
  return known.length === 1 ? only : known;
}

/** The members of an item that are its key. */
export function keyMembers(fields: readonly Field[], item: Item): Item {
  return Object.fromEntries(
    partsOfKey(fields).map((field) => [field.field, keyMember(field, item)]),
  );
}

export const idOf = (key: KeyValue) => JSON.stringify(key);

/** An item with changes on it, also on those of its members that are items. */
function merged(item: Item, changes: Item): Item {
  const members = Object.entries(changes).map(([name, value]): [string, unknown] => {
    const before = item[name];
    return [name, isItem(value) && isItem(before) ? { ...before, ...value } : value];
  });
  return { ...item, ...Object.fromEntries(members) };
}

/** The rows of a list: those that are stored, others that are linked, new ones, in their order. */
export function rowsOf(
  stored: readonly Item[],
  change: ListChange,
  fields: readonly Field[],
  sortField: string | null,
): readonly Row[] {
  const updates = new Map<string, { item: Item; index: number }>();
  for (const [index, item] of change.update.entries()) {
    const key = keyValueOf(fields, item);
    if (key !== null) updates.set(idOf(key), { item, index });
  }
  const removed = new Set(change.delete.map(idOf));
  const known = stored.flatMap((item): Row[] => {
    const key = keyValueOf(fields, item);
    if (key === null) return [];
    const id = idOf(key);
    const update = updates.get(id);
    updates.delete(id);
    return [
      {
        kind: 'stored',
        id,
        key,
        item: merged(item, update?.item ?? {}),
        change: update?.item ?? null,
        index: update?.index ?? -1,
        removed: removed.has(id),
        linked: false,
      },
    ];
  });
  const linked = [...updates.values()].map(({ item, index }): Row => {
    const key = keyValueOf(fields, item) ?? '';
    const state = { removed: false, linked: true };
    return { kind: 'stored', id: idOf(key), key, item, change: item, index, ...state };
  });
  const created = change.create.map(
    (item, index): Row => ({ kind: 'new', id: `new-${index}`, index, item }),
  );
  const rows = [...known, ...linked, ...created];
  if (sortField === null) return rows;
  const place = ({ item }: Row) => Number(item[sortField] ?? Number.MAX_SAFE_INTEGER);
  return rows.toSorted((a, b) => place(a) - place(b));
}

/** Sets members of a row that is stored; what is only its key is no change. */
export function withUpdate(
  change: ListChange,
  fields: readonly Field[],
  key: Item,
  members: Item,
): ListChange {
  const value = keyValueOf(fields, key);
  const others = change.update.filter((item) => !sameValue(keyValueOf(fields, item), value));
  const before = change.update.find((item) => sameValue(keyValueOf(fields, item), value));
  const update = { ...keyMembers(fields, key), ...before, ...members };
  return { ...change, update: [...others, update] };
}

/** The change without anything about a row that is stored. */
export function withoutUpdate(
  change: ListChange,
  fields: readonly Field[],
  key: KeyValue,
): ListChange {
  const update = change.update.filter((item) => !sameValue(keyValueOf(fields, item), key));
  return { ...change, update };
}

/** The rows with one moved to another place, as the change that says so. */
export function withOrder(
  change: ListChange,
  rows: readonly Row[],
  fields: readonly Field[],
  sortField: string,
  from: number,
  to: number,
): ListChange {
  const moved = rows.toSpliced(from, 1);
  const row = rows[from];
  if (row === undefined) return change;
  const ordered = moved.toSpliced(to, 0, row);
  let next = change;
  const kept = ordered.filter((one) => one.kind === 'new' || !one.removed);
  for (const [place, { kind, index, item }] of kept.entries()) {
    const position = place + 1;
    if (item[sortField] === position) continue;
    if (kind === 'stored') next = withUpdate(next, fields, item, { [sortField]: position });
    else {
      const create = next.create.map((one, at) =>
        at === index ? { ...one, [sortField]: position } : one,
      );
      next = { ...next, create };
    }
  }
  return next;
}
