/**
 * Finds the existing rows that a plan touches and locks them, table by table and in the order of
 * their keys, so that two writers seldom wait for each other in turn.
 */
import {
  type Catalog,
  type Collection,
  type ColumnField,
  isColumn,
} from '#core/catalog/catalog.ts';
import type { ToMany } from '#core/catalog/relation.ts';
import { bareType } from '#core/database/column-type.ts';
import type { Client } from '#core/database/pool.ts';
import { rowsOf } from '#core/database/prepared.ts';
import { empty, identifier, join, render, type Sql, sql } from '#core/database/sql.ts';
import { forbidden } from '#core/errors/service-error.ts';
import { TimeSlice } from '#core/process/time-slice.ts';
import { distinctInSlices, type Key } from '#core/query/key.ts';
import { coveredRows } from '../judge.ts';
import type { Write } from '../target.ts';
import type { Level } from './plan.ts';

/** A row that exists, as it was when it was locked: the texts of its columns that matter. */
export interface FoundRow {
  readonly key: Key;
  /** The columns that relations compare, by name. */
  readonly texts: ReadonlyMap<string, string | null>;
}

/** The rows that exist of those that a plan names. */
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

/** What must be known of the rows of one collection. */
interface Wanted {
  readonly collection: Collection;
  readonly keys: Key[];
  readonly columns: Set<string>;
}

function wantedOf(wanted: Map<string, Wanted>, collection: Collection): Wanted {
  const found = wanted.get(collection.name) ?? {
    collection,
    keys: [],
    columns: new Set<string>(),
  };
  wanted.set(collection.name, found);
  return found;
}

/** Columns that only together say what a row refers to: a change of one needs the others. */
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

/** Gathers the keys that a level and all below it name, and the columns that relations compare. */
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
      for (const { key } of linked) child.keys.push(key);
      for (const { key } of removed) child.keys.push(key);
    }
  }
}

/** The field of a column; the same object wherever rows of the collection are spoken of. */
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

/** Values of several columns as rows `v(c1, c2, …, n)`, `n` being their place from 1. */
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

/** Cuts what a statement returned into the key and the other columns. */
function foundRow(collection: Collection, columns: readonly string[], row: (string | null)[]) {
  const width = collection.primaryKey.length;
  const key = row.slice(0, width).map((part) => part ?? '');
  const found = new Map<string, string | null>();
  for (const [index, name] of keyColumns(collection).entries()) found.set(name, key[index] ?? null);
  for (const [index, name] of columns.entries()) found.set(name, row[width + index] ?? null);
  return { key, texts: found } satisfies FoundRow;
}

/** Locks the named rows of one collection that exist, and for which a condition on `t` holds. */
async function lockNamed(
  client: Client,
  wanted: Wanted,
  found: FoundRows,
  condition: Sql | null,
): Promise<void> {
  const { collection } = wanted;
  const keys = await distinctInSlices(wanted.keys);
  if (keys.length === 0) return;
  const columns = [...wanted.columns];
  const primary = keyColumns(collection);
  const order = join(primary.map((column) => identifier('t', column)));
  const covered = condition === null ? empty : sql` WHERE ${condition}`;
  const rows = await rowsOf<(string | null)[]>(
    client,
    render(
      sql`SELECT v.n, ${join([...texts(primary), ...texts(columns)])} FROM ${tableOf(collection)} AS t JOIN ${valueRows(primary.length, keys)} ON ${matches(collection, primary)}${covered} ORDER BY ${order} FOR UPDATE OF t`,
    ),
  );
  const slice = new TimeSlice();
  for (const [place, ...row] of rows) {
    if (slice.isOver()) await slice.pause();
    const key = keys[Number(place) - 1];
    if (key !== undefined) found.add(collection.name, key, foundRow(collection, columns, row));
  }
}

/**
 * Locks every existing row that the payload names. Of the items that the request itself updates, and
 * that nothing else in it names, only those are found and locked that the caller may update.
 * @returns what was found of them
 */
export async function lockNamedRows(write: Write, level: Level): Promise<FoundRows> {
  const { client, target } = write;
  const { catalog } = target;
  const own = level.items.filter(({ key, intent }) => key !== null && intent === 'update').length;
  const wanted = new Map<string, Wanted>();
  const slice = new TimeSlice();
  gather(wanted, level, catalog);
  if (slice.isSpent) await slice.pause();
  const found = new FoundRows();
  for (const name of [...wanted.keys()].sort()) {
    const entry = wanted.get(name);
    if (entry === undefined) continue;
    const isOwn = entry.collection === level.collection && entry.keys.length === own;
    await lockNamed(client, entry, found, isOwn ? coveredRows(write, 'update') : null);
  }
  return found;
}

/** A related row, and the place of its owner among those that were asked about. */
export interface Member {
  readonly owner: number;
  readonly row: FoundRow;
}

/**
 * Locks the rows that belong to some items through a relation.
 * @param owners the values that the rows refer to, in the order of the relation's columns
 * @param most how many are looked at
 */
export async function lockMembers(
  client: Client,
  child: Collection,
  relation: ToMany,
  owners: readonly (readonly (string | null)[])[],
  most: number,
): Promise<Member[]> {
  if (owners.length === 0) return [];
  const primary = keyColumns(child);
  const { columns } = relation.many;
  const order = join(primary.map((column) => identifier('t', column)));
  const rows = await rowsOf<(string | null)[]>(
    client,
    render(
      sql`SELECT v.n, ${join([...texts(primary), ...texts(columns)])} FROM ${tableOf(child)} AS t JOIN ${valueRows(columns.length, owners)} ON ${matches(child, columns)} ORDER BY ${order} LIMIT ${Number.isFinite(most) ? most : null} FOR UPDATE OF t`,
    ),
  );
  return rows.map(([place, ...row]) => ({
    owner: Number(place) - 1,
    row: foundRow(child, columns, row),
  }));
}

/** The texts of some columns of rows that are written by now, in step with their keys. */
export async function textsOf(
  client: Client,
  collection: Collection,
  columns: readonly string[],
  keys: readonly Key[],
): Promise<ReadonlyMap<string, string | null>[]> {
  const primary = keyColumns(collection);
  if (columns.every((column) => primary.includes(column))) {
    return keys.map((key) => foundRow(collection, [], [...key]).texts);
  }
  const rows = await rowsOf<(string | null)[]>(
    client,
    render(
      sql`SELECT ${join([...texts(primary), ...texts(columns)])} FROM ${tableOf(collection)} AS t JOIN ${valueRows(primary.length, keys)} ON ${matches(collection, primary)} ORDER BY v.n`,
    ),
  );
  return rows.map((row) => foundRow(collection, columns, row).texts);
}

/** The highest number in the sort column of the rows that belong to each owner; 0 without any. */
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
