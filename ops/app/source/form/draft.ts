/** What of an item has been changed: only the difference is sent, and what is as it was is none. */
import type { Field, Item } from '../data/schema-types.ts';
import { isItem, sameValue } from '../data/values.ts';
import { type ListChange, readChange, writeChange } from '../relation/list-change.ts';

/** The changes with one more; `undefined` takes one back. */
export function withChange(base: Item, changes: Item, name: string, value: unknown): Item {
  const { [name]: _, ...others } = changes;
  return value === undefined || sameValue(value, base[name])
    ? others
    : { ...others, [name]: value };
}

const LIST_PARTS = new Set(['create', 'update', 'delete']);

function isListChange(value: unknown): boolean {
  return isItem(value) && Object.keys(value).every((part) => LIST_PARTS.has(part));
}

/** What came to the changes of a list after they were sent. Rows that were sent are not made again. */
function listSince(sent: ListChange, now: ListChange): ListChange {
  const added = <T>(before: readonly T[], after: readonly T[]) =>
    after.filter((one) => !before.some((other) => sameValue(one, other)));
  const isEdited = added(now.create, sent.create).length > 0;
  return {
    create: isEdited ? [] : added(sent.create, now.create),
    update: added(sent.update, now.update),
    delete: added(sent.delete, now.delete),
  };
}

/**
 * The changes that were made while others were being saved, which are not to be lost with them. What was
 * sent as an item of its own is stored under a key that is not known here: changes of it are not kept.
 * @param base what all changes were made to
 * @param now all changes, those that were sent among them
 */
export function changesSince(base: Item, sent: Item, now: Item): Item {
  const names = new Set([...Object.keys(sent), ...Object.keys(now)]);
  const since = [...names].flatMap((name): [string, unknown][] => {
    const before = name in sent ? sent[name] : base[name];
    // What a new item does not begin with was emptied.
    const value = name in now ? now[name] : (base[name] ?? null);
    if (sameValue(before, value)) return [];
    if (!isItem(before)) return [[name, value]];
    if (!isListChange(before)) return isItem(value) ? [] : [[name, value]];
    const list = writeChange(listSince(readChange(before), readChange(value)));
    return list === undefined ? [] : [[name, list]];
  });
  return Object.fromEntries(since);
}

/** Types whose default may be an expression, such as `now()`. */
const MADE = new Set(['date', 'time', 'dateTime', 'timestamp', 'uuid', 'unknown', 'binary']);

function isMade(type: string, value: unknown): boolean {
  return typeof value === 'string' && (MADE.has(type) || /\(.*\)$/.test(value));
}

/** What a new item begins with: defaults of the columns and presets, which the server sets by itself. */
export function initialItem(
  fields: readonly Field[],
  presets: Readonly<Record<string, unknown>> | undefined,
): Item {
  const defaults = fields.flatMap(({ field, type, schema }): [string, unknown][] => {
    const value = schema?.default_value ?? null;
    return value === null || isMade(type, value) ? [] : [[field, value]];
  });
  const given = Object.entries(presets ?? {}).filter(
    ([, value]) => !(typeof value === 'string' && value.startsWith('$')),
  );
  return Object.fromEntries([...defaults, ...given]);
}
