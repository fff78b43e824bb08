/** What one evaluation knows beside the query, and the small questions that all clauses ask. */
import {
  type Asker,
  columnOf,
  type Json,
  type Relation,
  type Row,
  type ScalarType,
  type Table,
  type ToMany,
  tableOf,
  type World,
} from '../model.ts';

/** How a value was reached from the item that is asked for. */
export type Via = 'own' | 'm2o' | 'o2m' | 'm2m' | 'm2a';

/** What the asker may see of single rows; rows that nobody may see are not in the world at all. */
export interface Sight {
  /** The row as it is stored, by which rows are joined whatever the asker sees of them. */
  raw(row: Row): Row;
  /** Whether the field may be seen on the row, or on one that is all nulls. */
  sees(table: string, row: Row | null, field: string): boolean;
}

/** Nothing is hidden. */
export const PLAIN_SIGHT: Sight = { raw: (row) => row, sees: () => true };

export interface Run {
  readonly world: World;
  readonly asker: Asker;
  readonly limitDefault: number;
  readonly backlink: boolean;
  readonly now: Date;
  readonly sight: Sight;
  /** Counts that a case was met. */
  cover(cell: string): void;
}

export type Members = { readonly [key: string]: Json };

export function isMembers(value: Json | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function entries(value: Json | undefined): [string, Json][] {
  return isMembers(value) ? Object.entries(value) : [];
}

/** `year(born)` and `json(data, a.b[0])`, taken apart. */
export interface Call {
  readonly name: string;
  readonly field: string;
  readonly path: string;
}

export function asCall(text: string): Call | null {
  const [, name, field, path] = /^([a-z]+)\(([^,)]+)(?:,\s*([^)]*))?\)$/.exec(text) ?? [];
  if (name === undefined || field === undefined) return null;
  return { name, field: field.trim(), path: path ?? '' };
}

/** The type of a column that must exist. */
export function typeOf(table: Table, column: string): ScalarType {
  const found = columnOf(table, column);
  if (found === undefined) throw new Error(`there is no column ${table.name}.${column}`);
  return found.type;
}

/** Rows of the table whose columns equal those of the row; nothing equals null. */
function rowsLike(
  run: Run,
  table: Table,
  columns: readonly string[],
  like: { readonly row: Row; readonly columns: readonly string[] },
): Row[] {
  const values = like.columns.map((column) => run.sight.raw(like.row)[column] ?? null);
  return table.rows.filter((row) =>
    columns.every((column, index) => {
      const value = values[index] ?? null;
      return value !== null && (run.sight.raw(row)[column] ?? null) === value;
    }),
  );
}

/** The item that an m2o or a2o leads to; null when there is none. */
export function target(run: Run, relation: Relation, row: Row | null, scope: string): Row | null {
  if (row === null || (relation.kind !== 'm2o' && relation.kind !== 'a2o')) return null;
  if (!run.sight.sees(relation.table, row, relation.field)) return null;
  if (relation.kind === 'm2o') {
    const table = tableOf(run.world, relation.target);
    const like = { row, columns: relation.columns };
    return rowsLike(run, table, relation.targetColumns, like)[0] ?? null;
  }
  const { raw } = run.sight;
  if (raw(row)[relation.discriminator] !== scope || !relation.allowed.includes(scope)) return null;
  const table = tableOf(run.world, scope);
  const [key] = table.key;
  if (key === undefined) return null;
  const stored = raw(row)[relation.field];
  return table.rows.find((entry) => String(raw(entry)[key]) === stored) ?? null;
}

/** The items that refer to the row. */
export function children(run: Run, relation: ToMany, row: Row | null): Row[] {
  if (row === null) return [];
  const { columns, childColumns } = relation;
  return rowsLike(run, tableOf(run.world, relation.child), childColumns, { row, columns });
}

/** A key as a body shows it: the value, or a list of the values. */
export function keyOf(table: Table, row: Row): Json {
  const values = table.key.map((column) => row[column] ?? null);
  return values.length === 1 ? (values[0] ?? null) : values;
}
