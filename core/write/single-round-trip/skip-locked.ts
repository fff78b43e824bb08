/**
 * Determines which changes of one row never wait for a lock if they skip a locked row. Such changes
 * can share a connection with other statements.
 */

import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import type { Catalog, Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import type { IndexDescriptor } from '#core/model/catalog/descriptor.ts';

/**
 * Index methods that back a constraint only when unique; indexes of other methods may be exclusion
 * constraints.
 */
const NEVER_EXCLUDES: ReadonlySet<string> = new Set(['btree', 'gin', 'brin']);
/** Types whose values are compared without a collation. */
const PLAIN_TYPES: ReadonlySet<string> = new Set(['int2', 'int4', 'int8', 'uuid']);
/** The maximum number of other tables that a deletion may check. */
const MAX_REFERRING = 8;

/** A column of another table that refers to a column of this one. */
interface Referring {
  readonly schema: string;
  readonly table: string;
  readonly column: string;
  readonly target: string;
}

interface SkipFacts {
  /** Columns whose new values may wait for other transactions; null: any column may. */
  readonly contended: ReadonlySet<string> | null;
  /** The columns that may refer to a row; null when an index lookup cannot check all of them. */
  readonly referring: readonly Referring[] | null;
}

const factsOf = new WeakMap<Catalog, Map<Collection, SkipFacts>>();

function mayConflict({ unique, method }: IndexDescriptor): boolean {
  return unique || !NEVER_EXCLUDES.has(method);
}

/** Another transaction may be inserting the same unique value or deleting the referenced row. */
function contendedColumns({ table }: Collection): ReadonlySet<string> | null {
  if (table === null) return null;
  const indexes = table.indexes.filter(mayConflict);
  // The columns that an index predicate or an expression reads are unknown.
  if (indexes.some(({ partial, columns }) => partial || columns.includes(null))) return null;
  return new Set([
    ...indexes.flatMap(({ columns }) => columns.flatMap((name) => (name === null ? [] : [name]))),
    ...table.foreignKeys.flatMap(({ columns }) => columns),
    ...(table.primaryKey ?? []),
  ]);
}

/**
 * The columns that refer to rows of a table; null when an index lookup cannot check all of them.
 */
function referringTo(catalog: Catalog, { table: own }: Collection): readonly Referring[] | null {
  const found: Referring[] = [];
  const typeOf = (table: Collection['table'], name: string | undefined) =>
    table?.columns.find((column) => column.name === name)?.typeName ?? '';
  for (const { table } of catalog.collections.values()) {
    for (const key of table?.foreignKeys ?? []) {
      if (key.targetSchema !== own?.schema || key.targetTable !== own.name) continue;
      const [column, ...more] = key.columns;
      const [target] = key.targetColumns;
      if (table === null || column === undefined || target === undefined) return null;
      const type = typeOf(table, column);
      const isPlain = PLAIN_TYPES.has(type) && typeOf(own, target) === type;
      const isFound = table.indexes.some(
        ({ columns, method, partial, valid }) =>
          columns[0] === column && method === 'btree' && !partial && valid,
      );
      if (more.length > 0 || !isPlain || !isFound || table.kind !== 'table') return null;
      found.push({ schema: table.schema, table: table.name, column, target });
    }
  }
  return found.length > MAX_REFERRING ? null : found;
}

function skipFacts(catalog: Catalog, collection: Collection): SkipFacts {
  const known = factsOf.get(catalog) ?? new Map<Collection, SkipFacts>();
  factsOf.set(catalog, known);
  const found = known.get(collection);
  if (found !== undefined) return found;
  const facts = {
    contended: contendedColumns(collection),
    referring: referringTo(catalog, collection),
  };
  known.set(collection, facts);
  return facts;
}

/** How to take a row without waiting. */
export interface SkipLocked {
  /** Conditions on the row `t` under which the change affects no other table. */
  readonly conditions: readonly Sql[];
  /** The lock strength that the change itself needs. */
  readonly strength: Sql;
}

/**
 * How to take the only row of an update of these fields.
 * @returns null when the update may still have to wait for other transactions
 */
export function skipOfUpdate(
  catalog: Catalog,
  collection: Collection,
  fields: readonly ColumnField[],
): SkipLocked | null {
  // Triggers of system tables update counters, which other transactions may have locked.
  if (collection.system) return null;
  const { contended } = skipFacts(catalog, collection);
  if (contended === null || fields.some(({ column }) => contended.has(column.name))) return null;
  return { conditions: [], strength: raw('FOR NO KEY UPDATE') };
}

/**
 * How to take the only row of a deletion. A referenced row is skipped, because the referring rows
 * may be locked.
 */
export function skipOfDeletion(catalog: Catalog, collection: Collection): SkipLocked | null {
  if (collection.system) return null;
  const { referring } = skipFacts(catalog, collection);
  if (referring === null) return null;
  const conditions = referring.map(
    ({ schema, table, column, target }) =>
      sql`NOT EXISTS (SELECT FROM ${identifier(schema, table)} AS o WHERE ${identifier('o', column)} = ${identifier('t', target)})`,
  );
  return { conditions, strength: raw('FOR UPDATE') };
}

/**
 * The key of the row `t` to change; no key while another transaction has locked the row.
 * @param table the table as `t`
 * @param where the condition for the row, with its WHERE
 */
export function skippedSql(
  { conditions, strength }: SkipLocked,
  { table, column, where }: { readonly table: Sql; readonly column: string; readonly where: Sql },
): Sql {
  const all = join([where, ...conditions], ' AND ');
  return sql`(SELECT ${identifier('t', column)} FROM ${table} ${all} ${strength} OF t SKIP LOCKED)`;
}
