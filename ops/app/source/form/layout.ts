/** Where fields stand in a form: their groups, and how wide they are. */
import type { Field } from '../data/schema-types.ts';
import { specialsOf } from '../data/values.ts';

export function isGroup(field: Field): boolean {
  return field.type === 'alias' && specialsOf(field).has('group');
}

/** The fields of a group, or those that are in none; what names a group that is gone is in none. */
export function membersOf(fields: readonly Field[], group: string | null): readonly Field[] {
  const groups = new Set(fields.filter(isGroup).map(({ field }) => field));
  return fields.filter(({ field, meta }) => {
    const own = meta?.group;
    const place = own && own !== field && groups.has(own) ? own : null;
    return place === group;
  });
}

/** The fields in a group, and in the groups in it. */
export function allWithin(fields: readonly Field[], group: string): readonly Field[] {
  return membersOf(fields, group).flatMap((field) =>
    isGroup(field) ? [field, ...allWithin(fields, field.field)] : [field],
  );
}

const HALF = { gridColumn: { xs: '1 / -1', sm: 'span 1' } };

const PLACES: Readonly<Record<string, object>> = {
  half: HALF,
  'half-left': { gridColumn: { xs: '1 / -1', sm: '1' } },
  'half-right': { gridColumn: { xs: '1 / -1', sm: '2' } },
  'half-space': { gridColumn: { xs: '1 / -1', sm: '1' } },
  full: { gridColumn: '1 / -1' },
  // As wide as the container around the grid.
  fill: { gridColumn: '1 / -1', width: '100cqw' },
};

/** Where a field stands in the grid; on phones it takes the whole width. */
export function placeOf({ meta }: Field): object {
  return PLACES[meta?.width ?? 'full'] ?? PLACES.full ?? {};
}

/** Whether the half beside the field stays empty. */
export function leavesSpace({ meta }: Field): boolean {
  return meta?.width === 'half-space';
}

/** Two columns as wide as is good to read; a container of its own says how wide all the room is. */
export const ROOM = { containerType: 'inline-size' } as const;
export const GRID = {
  display: 'grid',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 420px))' },
  columnGap: 2.5,
  rowGap: 2.5,
  alignItems: 'start',
} as const;
