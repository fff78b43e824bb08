/** Writes the tables of a plan and the comparisons that link them. */
import { strict as assert } from 'node:assert';
import { forbidden } from '#core/base/errors/service-error.ts';
import { bareType } from '#core/database/column-type.ts';
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import type { ColumnDescriptor } from '#core/model/catalog/descriptor.ts';
import type { AnyToOne, End, ToMany } from '#core/model/catalog/relation.ts';
import { anyKey, CASTABLE, TEXTS } from '../plan/any-to-one.ts';
import type { EndColumns, Match, Table } from '../plan/plan.ts';
import { castForComparison } from './cast-for-comparison.ts';

/** A column by its name in the table. */
export function columnNamed({ alias }: Table, name: string): Sql {
  return identifier(alias, name);
}

export function tableSql({ collection, source, alias }: Table): Sql {
  const { table } = collection;
  assert(table !== null);
  const rows = source ?? identifier(table.schema, table.name);
  return sql`${rows} AS ${raw(alias)}`;
}

export function whereSql(conditions: readonly (Sql | null)[]): Sql {
  const parts = conditions.filter((condition) => condition !== null);
  return parts.length === 0 ? sql`` : sql` WHERE ${join(parts, ' AND ')}`;
}

function typeOf({ collection }: Table, name: string): ColumnDescriptor | undefined {
  return collection.table?.columns.find((column) => column.name === name);
}

/**
 * The columns of one end, cast for the comparison with the other end: without a foreign key the
 * types may differ, such as a UUID stored as text.
 */
function endColumns(end: EndColumns, other: EndColumns): Sql[] {
  assert.equal(end.columns.length, other.columns.length);
  return end.columns.map((name, index) => {
    const column = columnNamed(end.table, name);
    const own = typeOf(end.table, name);
    const wanted = typeOf(other.table, other.columns[index] ?? '');
    return own && wanted ? castForComparison(column, own, wanted) : column;
  });
}

/**
 * `(a.x = b.y AND …)` over both ends of a relation; the statement searches rows of the left one.
 */
function endsSql(left: EndColumns, right: EndColumns): Sql {
  const given = endColumns(right, left);
  return join(
    left.columns.map((name, index) => sql`${columnNamed(left.table, name)} = ${given[index]}`),
    ' AND ',
  );
}

export function matchSql(match: Match): Sql {
  if (match.kind === 'ends') return endsSql(match.left, match.right);
  const { column, key } = anyEnds(match.from, match.to, match.relation, match.end);
  return sql`${column} = ${key}`;
}

/** The items of a to-many relation that belong to the row of the parent. */
export function childrenSql(parent: Table, child: Table, { one, many }: ToMany): Sql {
  return endsSql({ table: child, columns: many.columns }, { table: parent, columns: one.columns });
}

/**
 * The two sides of a to-many: the keys of the parent, and the values of a child that identify its
 * parent. Children with equal values belong to the same parent.
 */
export function childEnds(
  parent: Table,
  child: Table,
  { one, many }: ToMany,
): { readonly keys: readonly Sql[]; readonly owner: readonly Sql[] } {
  return {
    keys: one.columns.map((name) => columnNamed(parent, name)),
    owner: endColumns(
      { table: child, columns: many.columns },
      { table: parent, columns: one.columns },
    ),
  };
}

/** A text cast to the type of the key where `when` holds, else null; null for other key types. */
function castOf(key: ColumnDescriptor, text: Sql, when: Sql): Sql | null {
  const castable = CASTABLE[key.typeName];
  if (castable === undefined) return null;
  const type = key.typeName === 'uuid' ? bareType(key) : sql`int8`;
  return sql`CASE WHEN ${when} AND ${text} ~ ${castable}::text THEN ${text}::${type} END`;
}

/**
 * The condition that a text is the item's key; the key's index serves where its type allows that.
 */
export function textMatch(target: Table, key: ColumnDescriptor, text: Sql): Sql {
  const column = columnNamed(target, key.name);
  const cast = castOf(key, text, sql`TRUE`);
  if (cast !== null) return sql`${column} = ${cast}`;
  return TEXTS.has(key.typeName) ? sql`${column} = ${text}` : sql`${column}::text = ${text}`;
}

/** Rows of the table that refer to this collection. */
export function refersTo(table: Table, relation: AnyToOne, collection: string): Sql {
  return sql`${columnNamed(table, relation.discriminator)} = ${collection}::text`;
}

/**
 * How to find the item that a row refers to: the item's column, and the key, which is null on rows
 * that refer to other collections. The cast is inside CASE, so that it runs only on keys of this
 * collection, and the key's index serves.
 */
export function anyEnds(
  from: Table,
  to: Table,
  relation: AnyToOne,
  end: End,
): { readonly column: Sql; readonly key: Sql } {
  const stored = sql`${columnNamed(from, relation.many.columns[0] ?? '')}::text`;
  const mine = refersTo(from, relation, end.collection);
  const key = anyKey(to.collection, end);
  const column = columnNamed(to, end.columns[0] ?? '');
  const cast = key === undefined ? null : castOf(key, stored, mine);
  if (cast !== null) return { column, key: cast };
  const compared = TEXTS.has(key?.typeName ?? '') ? column : sql`${column}::text`;
  return { column: compared, key: sql`CASE WHEN ${mine} THEN ${stored} END` };
}

/** The condition that the item has this key, given as values or as parameters. */
export function keyCondition(table: Table, key: readonly unknown[]): Sql {
  const tests = table.collection.primaryKey.map(
    (field, index) =>
      sql`${columnNamed(table, field.column.name)} = ${key[index]}::${bareType(field.column)}`,
  );
  return join(tests, ' AND ');
}

/** The condition that the item has any of these keys; one array parameter per column. */
export function anyKeyCondition(table: Table, keys: readonly (readonly string[])[]): Sql {
  const fields = table.collection.primaryKey;
  if (fields.length === 0) throw forbidden();
  const arrays = fields.map(
    (field, index) => sql`${keys.map((key) => key[index])}::${bareType(field.column)}[]`,
  );
  const columns = fields.map((field) => columnNamed(table, field.column.name));
  return columns.length === 1
    ? sql`${join(columns)} = ANY(${join(arrays)})`
    : sql`(${join(columns)}) IN (SELECT * FROM unnest(${join(arrays)}))`;
}
