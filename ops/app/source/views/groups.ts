/** The columns of a board: which values of a field have one, and where items are that are on their way. */
import type { Field, Item } from '../data/schema-types.ts';
import { choicesOf } from '../display/choices.ts';

/** A column of a board: the items whose field has this value. */
export interface Group {
  /** The value as a text; see `idOf`. */
  readonly id: string;
  readonly value: unknown;
  readonly text: string;
}

/** The number of items with a value. */
export interface GroupCount {
  readonly value: unknown;
  readonly count: number;
}

/** An item that was moved to another group, until the server has said so. */
export interface Move {
  readonly item: Item;
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

/** More columns are too many for a board. */
export const MOST_GROUPS = 30;

/** The words of a board for values without a text. */
export interface GroupWords {
  readonly none: string;
  readonly yes: string;
  readonly no: string;
}

/** Nothing has an id that no text has. */
export function idOf(value: unknown): string {
  return value === null || value === undefined ? '-' : `=${String(value)}`;
}

/** The values of the answer to an aggregate, with how many items have each. */
export function readCounts(rows: readonly Item[], field: string): readonly GroupCount[] {
  return rows.map((row) => {
    const count = row.count;
    const number = typeof count === 'object' && count !== null ? Object.values(count)[0] : count;
    return { value: row[field] ?? null, count: Number(number ?? 0) };
  });
}

function known(field: Field, related: readonly Group[] | null, words: GroupWords) {
  if (related !== null) return related;
  if (field.type === 'boolean') {
    return [
      { id: idOf(false), value: false, text: words.no },
      { id: idOf(true), value: true, text: words.yes },
    ];
  }
  return choicesOf(field).map(({ value, text }) => ({ id: idOf(value), value, text }));
}

/**
 * The columns of a board: nothing where the field may be empty, the values that the field offers, and
 * those that items have besides.
 * @param related the items of the collection that the field refers to; null for another field
 */
export function groupsOf(
  field: Field,
  counts: readonly GroupCount[],
  related: readonly Group[] | null,
  words: GroupWords,
): readonly Group[] {
  const none: Group = { id: idOf(null), value: null, text: words.none };
  const offered = known(field, related, words);
  const ids = new Set(offered.map(({ id }) => id));
  const others = counts
    .filter(({ value }) => value !== null && !ids.has(idOf(value)))
    .map(({ value }) => ({ id: idOf(value), value, text: String(value) }))
    .toSorted((a, b) => a.text.localeCompare(b.text));
  const mayBeEmpty = field.schema?.is_nullable !== false;
  return [...(mayBeEmpty ? [none] : []), ...offered, ...others];
}

/** The items of a group, with those that come to it and without those that leave it. */
export function itemsOfGroup(
  id: string,
  items: readonly Item[],
  moves: readonly Move[],
  keyOf: (item: Item) => string | null,
): readonly Item[] {
  const moving = new Set(moves.map(({ key }) => key));
  const coming = moves.filter(({ to }) => to === id).map(({ item }) => item);
  return [...coming, ...items.filter((item) => !moving.has(keyOf(item) ?? ''))];
}

/** How many items a group has, where the server counts those on their way in their old group. */
export function countOf(id: string, counts: readonly GroupCount[], moves: readonly Move[]): number {
  const counted = counts.find(({ value }) => idOf(value) === id)?.count ?? 0;
  const coming = moves.filter(({ to }) => to === id).length;
  return counted + coming - moves.filter(({ from }) => from === id).length;
}
