/** The items of a calendar: what is asked for, on which days they are, and what moving them changes. */
import type { Field, Filter, Item } from '../data/schema-types.ts';
import { addDays, dayOf, daysBetween, valueOn } from './days.ts';

/** The fields that say when an item is. */
export interface When {
  readonly start: Field;
  /** Null where items have no end. */
  readonly end: Field | null;
  /** The time zone whose days the calendar shows. */
  readonly zone: string;
}

/** The items that are on some of the days from the first to the last one. */
export function filterOfDays({ start, end, zone }: When, first: string, last: string): Filter {
  const from = valueOn(start.type, first, null, zone);
  const before = valueOn(start.type, addDays(last, 1), null, zone);
  const begins = { [start.field]: { _lt: before } };
  const within = { [start.field]: { _gte: from } };
  if (end === null) return { _and: [within, begins] };
  const ends = { [end.field]: { _gte: valueOn(end.type, first, null, zone) } };
  return { _and: [begins, { _or: [within, ends] }] };
}

/** The first and the last day of an item; null without a begin. An end before it is none. */
export function spanOf({ start, end, zone }: When, item: Item): readonly [string, string] | null {
  const first = dayOf(start.type, item[start.field], zone);
  if (first === null) return null;
  const last = end === null ? null : dayOf(end.type, item[end.field], zone);
  return [first, last !== null && last > first ? last : first];
}

/** The items of each day, in the order in which they came. */
export function itemsByDay(
  when: When,
  items: readonly Item[],
  days: readonly string[],
): ReadonlyMap<string, readonly Item[]> {
  const found = new Map<string, Item[]>(days.map((day) => [day, []]));
  const [first = '', last = ''] = [days[0], days.at(-1)];
  for (const item of items) {
    const span = spanOf(when, item);
    if (span === null) continue;
    const [from, to] = [span[0] < first ? first : span[0], span[1] > last ? last : span[1]];
    for (let day = from; day <= to; day = addDays(day, 1)) found.get(day)?.push(item);
  }
  return found;
}

/** What changes when an item moves from a day on which it is to another one: its end moves along. */
export function changesTo({ start, end, zone }: When, item: Item, from: string, to: string): Item {
  const days = daysBetween(from, to);
  const moved = (field: Field): Item => {
    const day = dayOf(field.type, item[field.field], zone);
    return day === null
      ? {}
      : { [field.field]: valueOn(field.type, addDays(day, days), item[field.field], zone) };
  };
  return { ...moved(start), ...(end !== null && moved(end)) };
}
