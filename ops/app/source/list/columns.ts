/** The columns of a list: which a collection begins with, and what of the items they need. */
import { type RelationKind, relationOf } from '../data/relation-of.ts';
import type { Field, Relation } from '../data/schema-types.ts';

export interface Column {
  readonly field: Field;
  readonly relation: RelationKind | null;
}

/** How many columns a list begins with. */
const AT_FIRST = 6;
/** Types whose values are too long or too strange for a list that nobody has asked for. */
const LONG = new Set(['text', 'json', 'binary', 'hash', 'csv', 'unknown']);

/** Whether a field is only for the look of a form: dividers, notices, groups. */
function hasData({ type, meta }: Field): boolean {
  return type !== 'alias' || !(meta?.special ?? '').split(',').includes('no-data');
}

function isAlias({ type }: Field): boolean {
  return type === 'alias';
}

/** The fields that a list of the collection can show. */
export function possibleColumns(
  fields: readonly Field[],
  relations: readonly Relation[],
): readonly Column[] {
  return fields
    .filter(hasData)
    .map((field) => ({ field, relation: relationOf(relations, field) }))
    .filter(({ field, relation }) => !isAlias(field) || relation !== null);
}

/** The columns to show: those that were chosen and still exist, else a handful. */
export function chosenColumns(
  possible: readonly Column[],
  chosen: readonly string[] | null,
): readonly Column[] {
  const byName = new Map(possible.map((column) => [column.field.field, column]));
  const known = (chosen ?? []).flatMap((name) => byName.get(name) ?? []);
  if (known.length > 0) return known;
  const plain = possible.filter(
    ({ field }) =>
      !field.meta?.hidden &&
      !isAlias(field) &&
      !LONG.has(field.type) &&
      !field.meta?.special?.includes('conceal'),
  );
  const withoutKey = plain.filter(({ field }) => !field.schema?.is_primary_key);
  const first = (withoutKey.length > 0 ? withoutKey : plain).slice(0, AT_FIRST);
  return first.length > 0 ? first : possible.slice(0, AT_FIRST);
}
