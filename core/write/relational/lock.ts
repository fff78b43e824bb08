/**
 * Finds the existing rows that a plan names. It locks those that the caller's rules permit to
 * write, table by table in key order, so that writers seldom deadlock. The other rows may only be
 * referenced.
 */

import { forbidden } from '#core/base/errors/service-error.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import { bareType } from '#core/database/column-type.ts';
import type { Client } from '#core/database/pool.ts';
import { rowsOf } from '#core/database/prepared.ts';
import { empty, identifier, join, render, type Sql, sql } from '#core/database/sql.ts';
import {
  type Catalog,
  type Collection,
  type ColumnField,
  isColumn,
} from '#core/model/catalog/catalog.ts';
import type { ToMany } from '#core/model/catalog/relation.ts';
import { distinctInSlices, type Key } from '#core/query/key.ts';
import { permittedRows } from '../check-permissions.ts';
import type { WriteContext } from '../write-context.ts';
import type { Level } from './plan.ts';

/** An existing row as it was found: the texts of the columns that the write needs. */
export interface FoundRow {
  readonly key: Key;
  /** Rows that are not locked are not written. */
  readonly isLocked: boolean;
  /** The columns that relations compare, by name. */
  readonly texts: ReadonlyMap<string, string | null>;
}

/** The existing rows among those that a plan names. */
export class FoundRows {
  readonly #byCollection = new Map<string, Map<string, FoundRow>>();

  add(collection: string, key: Key, row: FoundRow): void {
    const rows = this.#byCollection.get(collection) ?? new Map<string, FoundRow>();
    this.#byCollection.set(collection, rows.set(JSON.stringify(key), row));
  }

  /** @param key as the payload writes it */
  get(collection: string, key: Key): FoundRow | undefined {
    return this.#byCollection.get(collection)?.get(JSON.stringify(key));
  }
}

/** The rows and columns of one collection to look up. */
interface Wanted {
  readonly collection: Collection;
  /** The keys of rows that are changed or referenced. */
  readonly keys: Key[];
  /** The keys of rows that are deleted. */
  readonly deleted: Key[];
  readonly columns: Set<string>;
}

function wantedOf(wanted: Map<string, Wanted>, collection: Collection): Wanted {
  const found = wanted.get(collection.name) ?? {
    collection,
    keys: [],
    deleted: [],
    columns: new Set<string>(),
  };
  wanted.set(collection.name, found);
  return found;
}

/** Columns that form a reference only together: changing one requires all of them. */
export function jointColumns(catalog: Catalog, collection: Collection): string[] {
  const relations = [...(catalog.relations.get(collection.name)?.values() ?? [])];
  return relations.flatMap((relation) => {
    const { columns } = relation.many;
    if (relation.kind === 'm2o') return columns.length > 1 ? columns : [];
    if (relation.kind !== 'a2o') return [];
    const discriminator = collection.fields.get(relation.discriminator)?.column?.name;
    return discriminator === undefined ? [] : [...columns, discriminator];
  });
}

/**
 * Collects the keys that a level and all levels below name, and the columns that relations compare.
 */
function gather(wanted: Map<string, Wanted>, level: Level, catalog: Catalog): void {
  const own = wantedOf(wanted, level.collection);
  for (const column of jointColumns(catalog, level.collection)) own.columns.add(column);
  for (const { key, intent } of level.items) {
    if (key !== null && intent !== 'create') own.keys.push(key);
  }
  for (const { end, level: target } of level.toOne) {
    gather(wanted, target, catalog);
    for (const column of end.columns) wantedOf(wanted, target.collection).columns.add(column);
  }
  for (const { relation, selections, level: children } of level.toMany) {
    gather(wanted, children, catalog);
    for (const column of relation.one.columns) own.columns.add(column);
    const child = wantedOf(wanted, children.collection);
    for (const column of relation.many.columns) child.columns.add(column);
    for (const { linked, removed } of selections) {
      const leaving = relation.deselect === 'delete' ? child.deleted : child.keys;
      for (const { key } of linked) child.keys.push(key);
      for (const { key } of removed) leaving.push(key);
    }
  }
}

/** The field of a column; always the same object for the same collection. */
export function columnField(collection: Collection, column: string): ColumnField {
  for (const field of collection.fields.values()) {
    if (isColumn(field) && field.column.name === column) return field;
  }
  throw forbidden();
}

function tableOf(collection: Collection): Sql {
  if (collection.table === null) throw forbidden();
  return identifier(collection.table.schema, collection.table.name);
}

function texts(columns: readonly string[]): Sql[] {
  return columns.map((column) => sql`${identifier('t', column)}::text`);
}

export function keyColumns(collection: Collection): string[] {
  return collection.primaryKey.map(({ column }) => column.name);
}

/** Values of several columns as rows `v(c1, c2, …, n)`, with `n` as their position from 1. */
function valueRows(width: number, rows: readonly (readonly (string | null)[])[]): Sql {
  const places = Array.from({ length: width }, (_, index) => index);
  const arrays = places.map((index) => sql`${rows.map((row) => row[index] ?? null)}::text[]`);
  const names = [...places.map((index) => identifier(`c${index + 1}`)), identifier('n')];
  return sql`unnest(${join(arrays)}) WITH ORDINALITY AS v(${join(names)})`;
}

function matches(collection: Collection, columns: readonly string[]): Sql {
  const tests = columns.map((column, index) => {
    const { column: described } = columnField(collection, column);
    return sql`${identifier('t', column)} = ${identifier('v', `c${index + 1}`)}::${bareType(described)}`;
  });
  return join(tests, ' AND ');
}

/** Splits a result row into the key and the other columns. */
function foundRow(
  collection: Collection,
  columns: readonly string[],
  row: (string | null)[],
  isLocked: boolean,
): FoundRow {
  const width = collection.primaryKey.length;
  const key = row.slice(0, width).map((part) => part ?? '');
  const found = new Map<string, string | null>();
  for (const [index, name] of keyColumns(collection).entries()) found.set(name, key[index] ?? null);
  for (const [index, name] of columns.entries()) found.set(name, row[width + index] ?? null);
  return { key, isLocked, texts: found };
}

/** The collection to search, and the columns to read besides the key. */
interface Search {
  readonly collection: Collection;
  readonly columns: readonly string[];
  /** The columns that are compared with the values. */
  readonly compared: readonly string[];
  readonly values: readonly (readonly (string | null)[])[];
  /** The maximum number of rows to read; undefined: all. */
  readonly most?: number;
}

/**
 * Rows with the position of their values; either those that meet the condition, locked, or the
 * rest.
 */
function searchSql(search: Search, condition: Sql | null, isLocked: boolean): Sql {
  const { collection, columns, compared, values, most } = search;
  const primary = keyColumns(collection);
  const order = join(primary.map((column) => identifier('t', column)));
  const not = isLocked ? empty : sql`NOT `;
  const covered = condition === null ? empty : sql` WHERE ${not}(${condition})`;
  const limit = most === undefined || !Number.isFinite(most) ? empty : sql` LIMIT ${most}`;
  const lock = isLocked ? sql` FOR UPDATE OF t` : empty;
  return sql`SELECT v.n, ${join([...texts(primary), ...texts(columns)])} FROM ${tableOf(collection)} AS t JOIN ${valueRows(compared.length, values)} ON ${matches(collection, compared)}${covered} ORDER BY ${order}${limit}${lock}`;
}

/** A row, and the position of the values that it matched. */
export interface PlacedRow {
  readonly place: number;
  readonly row: FoundRow;
}

/**
 * Finds rows, and locks those for which a condition on `t` holds.
 * @param condition null: it holds for all
 * @param isComplete whether the locked rows are all rows to find
 */
async function findRows(
  client: Client,
  search: Search,
  condition: Sql | null,
  isComplete: (locked: number) => boolean,
): Promise<PlacedRow[]> {
  const { collection, columns } = search;
  const found: PlacedRow[] = [];
  const slice = new TimeSlice();
  const read = async (isLocked: boolean) => {
    const statement = render(searchSql(search, condition, isLocked));
    for (const [place, ...row] of await rowsOf<(string | null)[]>(client, statement)) {
      if (slice.isOver()) await slice.pause();
      const one = foundRow(collection, columns, row, isLocked);
      found.push({ place: Number(place) - 1, row: one });
    }
  };
  await read(true);
  if (condition !== null && !isComplete(found.length)) await read(false);
  return found;
}

/**
 * Finds every existing row that the payload names, and locks those that the caller may write. It
 * skips unlockable rows of items that only the request itself updates.
 */
export async function lockNamedRows(
  level: Level,
  catalog: Catalog,
  writeOf: (collection: string) => WriteContext,
): Promise<FoundRows> {
  const own = level.items.filter(({ key, intent }) => key !== null && intent === 'update').length;
  const wanted = new Map<string, Wanted>();
  const slice = new TimeSlice();
  gather(wanted, level, catalog);
  if (slice.isSpent) await slice.pause();
  const found = new FoundRows();
  for (const name of [...wanted.keys()].sort()) {
    const entry = wanted.get(name);
    if (entry === undefined) continue;
    const { collection, deleted } = entry;
    const isOwn = collection === level.collection && entry.keys.length === own;
    for (const action of ['update', 'delete'] as const) {
      const keys = await distinctInSlices(action === 'update' ? entry.keys : deleted);
      if (keys.length === 0) continue;
      const write = writeOf(name);
      const compared = keyColumns(collection);
      const search = { collection, columns: [...entry.columns], compared, values: keys };
      const isComplete = (locked: number) =>
        locked === keys.length || (isOwn && action === 'update');
      const rows = await findRows(write.client, search, permittedRows(write, action), isComplete);
      for (const { place, row } of rows) {
        if (slice.isOver()) await slice.pause();
        const key = keys[place];
        if (key !== undefined) found.add(name, key, row);
      }
    }
  }
  return found;
}

/**
 * Finds the rows that belong to some items through a relation, and locks those that the caller may
 * remove from the lists.
 * @param owners the values that the rows refer to, in the order of the relation's columns
 * @param most the maximum number of rows to read
 * @returns the rows, each with the position of its owner
 */
export async function lockMembers(
  write: WriteContext,
  relation: ToMany,
  owners: readonly (readonly (string | null)[])[],
  most: number,
): Promise<PlacedRow[]> {
  if (owners.length === 0) return [];
  const { client, collection } = write;
  const { columns } = relation.many;
  const condition = permittedRows(write, relation.deselect === 'delete' ? 'delete' : 'update');
  const search = { collection, columns, compared: columns, values: owners, most };
  return await findRows(client, search, condition, () => false);
}

/**
 * Finds the rows with the values of a unique key, and locks those that the caller may change.
 * @returns the rows in the order of the values; undefined for values without a row
 */
export async function lockMatching(
  write: WriteContext,
  columns: readonly string[],
  values: readonly (readonly string[])[],
): Promise<readonly (FoundRow | undefined)[]> {
  if (values.length === 0) return [];
  const { client, collection } = write;
  const search = { collection, columns: [], compared: columns, values };
  const isComplete = (locked: number) => locked === values.length;
  const rows = await findRows(client, search, permittedRows(write, 'update'), isComplete);
  const found = new Map(rows.map(({ place, row }) => [place, row]));
  return values.map((_, place) => found.get(place));
}

/**
 * Determines which values PostgreSQL considers equal, for example `A` and `a` in `citext`.
 * @returns for each value the position of the first one that equals it
 */
export async function firstEquals(
  { client, collection }: WriteContext,
  columns: readonly string[],
  values: readonly (readonly string[])[],
): Promise<readonly number[]> {
  const names = columns.map((_, index) => identifier(`c${index + 1}`));
  // The union with a column of the table gives the comparison that column's collation.
  const own = columns.map(
    (column, index) => sql`${identifier('t', column)} AS ${names[index] ?? empty}`,
  );
  const given = columns.map((column, index) => {
    const type = bareType(columnField(collection, column).column);
    return sql`v.${names[index] ?? empty}::${type}`;
  });
  const rows = await rowsOf<(string | null)[]>(
    client,
    render(
      sql`SELECT min(x.n) OVER (PARTITION BY ${join(names)}) FROM (SELECT NULL::int8 AS n, ${join(own)} FROM ${tableOf(collection)} AS t WHERE false UNION ALL SELECT v.n, ${join(given)} FROM ${valueRows(columns.length, values)}) AS x ORDER BY x.n`,
    ),
  );
  return rows.map(([place]) => Number(place) - 1);
}

/** The texts of some columns of rows that are already written, in the order of their keys. */
export async function textsOf(
  client: Client,
  collection: Collection,
  columns: readonly string[],
  keys: readonly Key[],
): Promise<ReadonlyMap<string, string | null>[]> {
  const primary = keyColumns(collection);
  if (columns.every((column) => primary.includes(column))) {
    return keys.map((key) => foundRow(collection, [], [...key], true).texts);
  }
  const rows = await rowsOf<(string | null)[]>(
    client,
    render(
      sql`SELECT ${join([...texts(primary), ...texts(columns)])} FROM ${tableOf(collection)} AS t JOIN ${valueRows(primary.length, keys)} ON ${matches(collection, primary)} ORDER BY v.n`,
    ),
  );
  return rows.map((row) => foundRow(collection, columns, row, true).texts);
}

/** The highest sort value among the rows of each owner; 0 without rows. */
export async function highestSorts(
  client: Client,
  child: Collection,
  relation: ToMany,
  owners: readonly (readonly (string | null)[])[],
): Promise<number[]> {
  const { sortField } = relation;
  if (sortField === null || owners.length === 0) return owners.map(() => 0);
  const { columns } = relation.many;
  const rows = await rowsOf<(string | null)[]>(
    client,
    render(
      sql`SELECT v.n, max(${identifier('t', columnNamed(child, sortField))})::text FROM ${tableOf(child)} AS t JOIN ${valueRows(columns.length, owners)} ON ${matches(child, columns)} GROUP BY v.n`,
    ),
  );
  const highest = new Map(rows.map(([place, value]) => [Number(place) - 1, Number(value ?? 0)]));
  return owners.map((_, index) => highest.get(index) ?? 0);
}

function columnNamed(collection: Collection, field: string): string {
  return collection.fields.get(field)?.column?.name ?? field;
}
