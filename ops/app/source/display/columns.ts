/** The columns of a list: which a collection begins with, and what of the items they need. */
import { type RelationKind, relationOf } from '../data/relation-of.ts';
import type { Field, Relation } from '../data/schema-types.ts';
import { choicesOf } from './choices.ts';
import { columnType } from './column-type.ts';
import { templatePaths } from './template.ts';
import { isOneLine, isState, type TextShapes } from './text-shape.ts';

export interface Column {
  readonly field: Field;
  readonly relation: RelationKind | null;
  /** Its values are a few states. */
  readonly isState: boolean;
}

/** How many columns a list begins with. */
const AT_FIRST = 8;

/** What a column tells of an item, in the order in which a list begins with them. */
const KINDS = ['key', 'title', 'relation', 'state', 'text', 'date', 'number'] as const;
type Kind = (typeof KINDS)[number];

/** How many columns of each kind come before the first list is full. */
const OF_KIND: Readonly<Record<Kind, number>> = {
  key: 2,
  title: 2,
  relation: 3,
  state: 2,
  text: 2,
  date: 2,
  number: 3,
};

const DATES: ReadonlySet<string> = new Set(['date', 'time', 'dateTime', 'timestamp']);
const NUMBERS: ReadonlySet<string> = new Set(['integer', 'bigInteger', 'float', 'decimal']);
const TEXTS: ReadonlySet<string> = new Set(['string', 'text']);

/** What a list knows of its collection beside the columns. */
export interface ListedItems {
  /** The fields that the items are called after. */
  readonly title: readonly string[];
  readonly shapes: TextShapes;
}

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
    .map((field) => ({ field, relation: relationOf(relations, field), isState: false }))
    .filter(({ field, relation }) => !isAlias(field) || relation !== null);
}

/** What a column tells; null for values that are too long or mean nothing to people. */
function kindOf({ field, relation }: Column, { title, shapes }: ListedItems): Kind | null {
  const { field: name, type, schema, meta } = field;
  if (meta?.hidden || meta?.special?.includes('conceal') || isAlias(field)) return null;
  if (title.includes(name)) return 'title';
  if (relation !== null) return 'relation';
  // A number that only counts, or a random one, tells nothing.
  if (schema?.is_primary_key) return schema.has_auto_increment || type === 'uuid' ? null : 'key';
  if (type === 'boolean' || choicesOf(field).length > 0) return 'state';
  if (DATES.has(type)) return 'date';
  if (NUMBERS.has(type)) return 'number';
  if (!TEXTS.has(type)) return null;
  const shape = shapes.get(name);
  if (isState(shape)) return 'state';
  return isOneLine(field, shape) ? 'text' : null;
}

/** The columns that a list begins with: some of each kind, then what there is room for. */
function firstColumns(possible: readonly Column[], items: ListedItems): readonly Column[] {
  const kinds = new Map(possible.map((column) => [column, kindOf(column, items)]));
  const ofKind = (kind: Kind) => possible.filter((column) => kinds.get(column) === kind);
  const chosen = KINDS.flatMap((kind) => ofKind(kind).slice(0, OF_KIND[kind]));
  const others = KINDS.flatMap((kind) => ofKind(kind).slice(OF_KIND[kind]));
  const shown = new Set([...chosen, ...others].slice(0, AT_FIRST));
  return KINDS.flatMap((kind) => ofKind(kind).filter((column) => shown.has(column)));
}

/** The columns to show: those that were chosen and still exist, else those that tell most. */
export function chosenColumns(
  possible: readonly Column[],
  chosen: readonly string[] | null,
  items: ListedItems,
): readonly Column[] {
  const byName = new Map(possible.map((column) => [column.field.field, column]));
  const known = (chosen ?? []).flatMap((name) => byName.get(name) ?? []);
  const first = known.length > 0 ? known : firstColumns(possible, items);
  const columns = first.length > 0 ? first : possible.slice(0, AT_FIRST);
  return columns.map((column) => ({
    ...column,
    isState: kindOf(column, items) === 'state' && column.field.type !== 'boolean',
  }));
}

/** The paths that a column reads, where `templates` has the templates of related collections. */
export function columnPaths(
  { field, relation }: Column,
  templates: ReadonlyMap<string, string>,
): readonly string[] {
  const name = field.field;
  if (relation === null) return [name];
  if (relation.kind !== 'm2o') return [`count(${name})`];
  const paths = templatePaths(templates.get(relation.related) ?? '');
  const extra = relation.related === 'system_files' ? ['id', 'type', 'title'] : [];
  const all = [...new Set([...paths, ...extra])];
  return all.length === 0 ? [name] : all.map((path) => `${name}.${path}`);
}

/** Numbers stand below each other by their last digit. */
export function alignmentOf({ field, relation }: Column): 'left' | 'right' {
  const isNumber = NUMBERS.has(field.type) || columnType(field) === 'money';
  return isNumber && relation === null ? 'right' : 'left';
}
