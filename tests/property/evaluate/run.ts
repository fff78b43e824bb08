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

export interface Run {
  readonly world: World;
  readonly asker: Asker;
  readonly limitDefault: number;
  readonly backlink: boolean;
  readonly now: Date;
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

/** Rows of the table whose columns equal the values; nothing equals null. */
function rowsWith(table: Table, columns: readonly string[], values: readonly Json[]): Row[] {
  return table.rows.filter((row) =>
    columns.every((column, index) => {
      const value = values[index] ?? null;
      return value !== null && (row[column] ?? null) === value;
    }),
  );
}

/** The item that an m2o or a2o leads to; null when there is none. */
export function target(run: Run, relation: Relation, row: Row | null, scope: string): Row | null {
  if (row === null || (relation.kind !== 'm2o' && relation.kind !== 'a2o')) return null;
  if (relation.kind === 'm2o') {
    const values = relation.columns.map((column) => row[column] ?? null);
    return rowsWith(tableOf(run.world, relation.target), relation.targetColumns, values)[0] ?? null;
  }
  if (row[relation.discriminator] !== scope || !relation.allowed.includes(scope)) return null;
  const table = tableOf(run.world, scope);
  const [key] = table.key;
  if (key === undefined) return null;
  return table.rows.find((entry) => String(entry[key]) === row[relation.field]) ?? null;
}

/** The items that refer to the row. */
export function children(run: Run, relation: ToMany, row: Row | null): Row[] {
  if (row === null) return [];
  const values = relation.columns.map((column) => row[column] ?? null);
  return rowsWith(tableOf(run.world, relation.child), relation.childColumns, values);
}

/** A key as a body shows it: the value, or a list of the values. */
export function keyOf(table: Table, row: Row): Json {
  const values = table.key.map((column) => row[column] ?? null);
  return values.length === 1 ? (values[0] ?? null) : values;
}
