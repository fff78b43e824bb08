/** The order of collections and folders, and what changes when one is moved. */
import type { CollectionRow } from './collection-rows.ts';

type Rows = readonly CollectionRow[];

export interface Place {
  readonly group: string | null;
  /** Among those of the group, from 0. */
  readonly place: number;
}

/** A place while one is dragged there, and how deep it and its neighbours let it stand. */
export interface Target extends Place {
  readonly depth: number;
  readonly least: number;
  readonly most: number;
}

const nameOf = ({ collection }: CollectionRow) => collection.collection;

/** The collections of a group; for null those without a group. */
export function siblings(rows: Rows, group: string | null): Rows {
  return rows.filter((row) => row.group === group);
}

/** The rows without those that stand in this one: they are moved with it. */
export function folded(rows: Rows, name: string): Rows {
  const within = new Set([name]);
  return rows.filter((row) => {
    if (row.group === null || !within.has(row.group)) return true;
    within.add(nameOf(row));
    return false;
  });
}

/**
 * Where a collection comes to stand that is dragged to the row of another.
 * @param rows without those that stand in the one that is dragged
 * @param wish how deep it was dragged
 */
export function targetAt(rows: Rows, name: string, over: string, wish: number): Target | null {
  const to = rows.findIndex((row) => nameOf(row) === over);
  const others = rows.filter((row) => nameOf(row) !== name);
  if (to < 0 || others.length === rows.length) return null;
  const above = others.slice(0, to);
  const previous = above.at(-1);
  // What nobody has described yet holds no others.
  const most = previous === undefined ? 0 : previous.depth + (previous.collection.meta ? 1 : 0);
  const least = others[to]?.depth ?? 0;
  const depth = Math.max(least, Math.min(most, wish));
  const holder = above.findLast((row) => row.depth === depth - 1);
  const group = holder === undefined ? null : nameOf(holder);
  return { group, place: siblings(above, group).length, depth, least, most };
}

/** All rows with one of them at another place; what stands in it comes along. */
export function placed(rows: Rows, name: string, { group, place }: Place): Rows {
  const members = Map.groupBy(
    rows.filter((row) => nameOf(row) !== name),
    (row) => row.group,
  );
  const moving = rows.filter((row) => nameOf(row) === name).map((row) => ({ ...row, group }));
  members.set(group, (members.get(group) ?? []).toSpliced(place, 0, ...moving));
  const rowsOf = (outer: string | null, depth: number): Rows =>
    (members.get(outer) ?? []).flatMap((row) => [
      { ...row, depth },
      ...rowsOf(nameOf(row), depth + 1),
    ]);
  return rowsOf(null, 0);
}

/** The changes that give a collection its new place: `PATCH /collections`. */
export function placePatches(before: Rows, after: Rows, name: string) {
  const group = after.find((row) => nameOf(row) === name)?.group ?? null;
  const members = siblings(after, group);
  const known = siblings(before, group).map(nameOf);
  const same = members.every((row, index) => nameOf(row) === known[index]);
  if (same && members.length === known.length) return [];
  return members
    .map((row, index) => ({ row, sort: index + 1 }))
    .filter(({ row, sort }) => nameOf(row) === name || row.collection.meta?.sort !== sort)
    .map(({ row, sort }) => ({
      collection: nameOf(row),
      meta: nameOf(row) === name ? { sort, group } : { sort },
    }));
}
