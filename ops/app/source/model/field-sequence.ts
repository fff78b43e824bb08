/** The order of fields in a form, and what changes when one is moved. */
import type { Field } from '../data/schema-types.ts';

/** Whether other fields can stand in it. */
export function groupOf({ type, meta }: Field): boolean {
  return type === 'alias' && (meta?.special ?? '').split(',').includes('group');
}

/** The fields of a group, or those that are in none; what names a group that is gone is in none. */
export function membersOf(fields: readonly Field[], group: string | null): readonly Field[] {
  const groups = new Set(fields.filter(groupOf).map(({ field }) => field));
  return fields.filter(({ field, meta }) => {
    const own = meta?.group;
    return (own && own !== field && groups.has(own) ? own : null) === group;
  });
}

/** All fields with one of a group at another place in it. */
export function moved(
  fields: readonly Field[],
  group: string | null,
  from: number,
  to: number,
): readonly Field[] {
  const members = [...membersOf(fields, group)];
  const [field] = members.splice(from, 1);
  if (field !== undefined) members.splice(to, 0, field);
  const within = new Set(members);
  let next = 0;
  // The others stay where they are.
  return fields.map((one) => (within.has(one) ? (members[next++] ?? one) : one));
}

/** The changes that give the fields the places of the new order: `PATCH /fields/:collection`. */
export function orderPatches(before: readonly Field[], after: readonly Field[]) {
  const all = after.map(({ field, meta }, place) => ({ field, meta, sort: place + 1 }));
  const same = before.every((field, place) => field === after[place]);
  if (same) return [];
  return all
    .filter(({ meta, sort }) => meta?.sort !== sort && meta?.system !== true)
    .map(({ field, sort }) => ({ field, meta: { sort } }));
}
