/** Joins a many-to-any: a text key and the name of the collection it belongs to. */
import type { ColumnDescriptor } from '#core/catalog/descriptor.ts';
import type { AnyToOne, End } from '#core/catalog/relation.ts';
import { bareType } from '#core/database/column-type.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import { columnNamed, type Scope } from './scope.ts';

/** Texts that a cast to the key's type takes; other texts belong to no item. */
const CASTABLE: Readonly<Record<string, string>> = {
  int2: '^-?[0-9]{1,18}$',
  int4: '^-?[0-9]{1,18}$',
  int8: '^-?[0-9]{1,18}$',
  uuid: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
};

const TEXTS: ReadonlySet<string> = new Set(['text', 'varchar', 'citext']);

/** A text as the key that it is where `when` holds, else null; null for keys of other types. */
function castOf(key: ColumnDescriptor, text: Sql, when: Sql): Sql | null {
  const castable = CASTABLE[key.typeName];
  if (castable === undefined) return null;
  const type = key.typeName === 'uuid' ? bareType(key) : sql`int8`;
  return sql`CASE WHEN ${when} AND ${text} ~ ${castable}::text THEN ${text}::${type} END`;
}

/** The item of which a text is the key; its index serves where the key's type allows that. */
export function textMatch(target: Scope, key: ColumnDescriptor, text: Sql): Sql {
  const column = columnNamed(target, key.name);
  const cast = castOf(key, text, sql`TRUE`);
  if (cast !== null) return sql`${column} = ${cast}`;
  return TEXTS.has(key.typeName) ? sql`${column} = ${text}` : sql`${column}::text = ${text}`;
}

/** Rows of the scope that refer to this collection. */
export function refersTo(scope: Scope, relation: AnyToOne, collection: string): Sql {
  return sql`${columnNamed(scope, relation.discriminator)} = ${collection}::text`;
}

/** How an item of one collection is found for a row that refers to it. */
export interface AnyEnds {
  /** What is compared of the item. */
  readonly column: Sql;
  /** What it is compared with: null on rows that refer elsewhere. */
  readonly key: Sql;
  /** The index of the item's key serves. */
  readonly indexed: boolean;
}

/**
 * Both sides of the comparison. The cast stands inside CASE, so that it is tried only on keys of
 * this collection and the index of its key serves.
 */
export function anyEnds(scope: Scope, target: Scope, relation: AnyToOne, end: End): AnyEnds {
  const keyColumn = end.columns[0] ?? '';
  const stored = sql`${columnNamed(scope, relation.many.columns[0] ?? '')}::text`;
  const mine = refersTo(scope, relation, end.collection);
  const key = target.collection.table?.columns.find((column) => column.name === keyColumn);
  const column = columnNamed(target, keyColumn);
  const cast = key === undefined ? null : castOf(key, stored, mine);
  if (cast !== null) return { column, key: cast, indexed: true };
  const indexed = TEXTS.has(key?.typeName ?? '');
  const compared = indexed ? column : sql`${column}::text`;
  return { column: compared, key: sql`CASE WHEN ${mine} THEN ${stored} END`, indexed };
}

/** The item of one collection that a row refers to. */
export function anyMatch(scope: Scope, target: Scope, relation: AnyToOne, end: End): Sql {
  const { column, key } = anyEnds(scope, target, relation, end);
  return sql`${column} = ${key}`;
}
