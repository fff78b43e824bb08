/**
 * The changes of a draft: only the difference is sent, and what is as it was is none. They may meet those
 * that another person has saved first.
 */
import type { Item } from '../data/schema-types.ts';
import { isItem, sameValue } from '../data/values.ts';
import { type ListChange, readChange, writeChange } from '../relation/list-change.ts';

/** What of values is not as it is stored; a value that is undefined is as it was. */
export function changesBetween(base: Item, values: object): Item {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => value !== undefined && !sameValue(value, base[name]),
    ),
  );
}

/** Whether both say the same wherever both say something: the schema has got another field, or lost one. */
export function agree(before: Item, now: Item): boolean {
  return Object.entries(before).every(
    ([field, value]) => !(field in now) || sameValue(value, now[field]),
  );
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

export interface Conflict {
  readonly field: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** The fields that both have changed, to different values. */
export function conflictsOf(base: Item, mine: Item, theirs: Item): readonly Conflict[] {
  return Object.keys(mine)
    .filter((field) => field in theirs)
    .filter((field) => !sameValue(base[field], theirs[field]))
    .filter((field) => !sameValue(mine[field], theirs[field]))
    .map((field) => ({
      field,
      base: base[field],
      mine: mine[field],
      theirs: theirs[field],
    }));
}

/** The fields that only the other person has changed. */
export function changedByOther(base: Item, mine: Item, theirs: Item): readonly string[] {
  return Object.keys(theirs).filter(
    (field) => !(field in mine) && !sameValue(base[field], theirs[field]),
  );
}

/** The changes to send: what of mine is kept, against what is stored now. */
export function resolved(mine: Item, theirs: Item, takesTheirs: ReadonlySet<string>): Item {
  return Object.fromEntries(
    Object.entries(mine).filter(
      ([field, value]) =>
        !takesTheirs.has(field) && !(field in theirs && sameValue(value, theirs[field])),
    ),
  );
}
