/** Imports rows with related items, sends the same payloads one by one, and compares what became of them. */
import type { Pool, PoolClient } from 'pg';
import { ANONYMOUS, type Caller } from '#core/access/grants.ts';
import type { Rights } from '#core/access/rights.ts';
import { ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import { translateFailure } from '#core/database/failure.ts';
import type { ImportFormat } from '#core/jobs/message/import.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { importFile } from '#core/transfer/import.ts';
import { History, NO_VISITOR } from '#core/write/history/history.ts';
import { matchExistingItems } from '#core/write/relational/match-existing.ts';
import { writeItems } from '#core/write/relational/write-items.ts';
import { NO_RULE, type WriteContext } from '#core/write/write-context.ts';
import { Dice } from '#tests/harness/dice.ts';
import type { Payload } from '../write/model.ts';
import { Drawing } from '../write/payload.ts';
import { drawPermits, rightsOf } from '../write/rights.ts';
import {
  isTable,
  keyNames,
  makeWorld,
  type Row,
  readState,
  type State,
  TABLES,
  type Table,
} from '../write/world.ts';
import { BOUNDS, hash, optionsOf, type Refusals, refusalsOf } from './options.ts';

interface World {
  readonly catalog: Catalog;
  readonly rights: Rights;
  readonly caller: Caller;
  readonly collection: Table;
  readonly rows: readonly Payload[];
}

interface Outcome {
  readonly refused: Refusals;
  readonly state: string;
}

export interface Counts {
  written: number;
  refused: number;
  /** Files of each format. */
  readonly formats: Map<ImportFormat, number>;
}

/** What the keys of rows are replaced by, since the database gives others each time. */
function namesOf(state: State): Map<string, string> {
  return new Map(
    TABLES.flatMap((table) =>
      [...(state.get(table) ?? [])].map(([key, { mark }]) => [`${table} ${key}`, mark ?? key]),
    ),
  );
}

/** The tables that columns refer to. */
const TARGETS: Readonly<Record<string, Table>> = { a: 'a', above: 'a', b: 'b' };

function describe(state: State): string {
  const names = namesOf(state);
  const shownIn = (table: Table, row: Row, name: string): string => {
    const value = row[name] ?? '';
    const target = name === 'item' ? (row.kind ?? '') : (TARGETS[name] ?? '');
    if (name === 'id') return names.get(`${table} ${value}`) ?? value;
    return target === '' ? value : (names.get(`${target} ${value}`) ?? value);
  };
  const lines = TABLES.flatMap((table) =>
    [...(state.get(table)?.values() ?? [])].map((row) =>
      [
        table,
        ...Object.keys(row)
          .toSorted()
          .map((name) => `${name}=${shownIn(table, row, name)}`),
      ].join(' '),
    ),
  );
  return lines.toSorted().join('\n');
}

function errorsOf(error: unknown): readonly ServiceError[] {
  const told = translateFailure(error);
  if (told instanceof ServiceErrors) return told.errors;
  if (told instanceof ServiceError && told.status < 500) return [told];
  throw error;
}

/** A fault of a related item may be told of either end of the relation. */
function textOf({ code }: ServiceError): string {
  return code;
}

/** Sends the rows one by one, as `PUT` does. */
async function oneByOne(client: PoolClient, world: World): Promise<Outcome> {
  const { catalog, rights, caller, collection: table } = world;
  const writeOf = (name: string): WriteContext => {
    const collection = catalog.collections.get(name);
    if (collection === undefined) throw new Error(`no collection ${name}`);
    const target = { catalog, rights, grants: rights.reading, caller, bounds: BOUNDS };
    return {
      ...{ target: { ...target, collection: name }, collection, client, now: new Date() },
      ...{ rule: NO_RULE, hash, strict: true },
    };
  };
  const history = new History(client, 'public', { user: null, visitor: NO_VISITOR });
  const refused: Refusals = new Map();
  await client.query('BEGIN');
  for (const [index, value] of world.rows.entries()) {
    await client.query('SAVEPOINT one');
    try {
      const write = writeOf(table);
      const { inputs } = await matchExistingItems(write, write.collection.primaryKey, [
        { place: [], value },
      ]);
      await writeItems(write, inputs, { writeOf, maxItems: undefined, history });
      await client.query('SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED');
    } catch (error) {
      await client.query('ROLLBACK TO SAVEPOINT one');
      refused.set(index + 1, errorsOf(error).map(textOf));
    }
  }
  const state = describe(await readState(client));
  await client.query('ROLLBACK');
  return { refused, state };
}

function cellOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
}

function isItem(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of some rows, as columns: dotted where all rows have an item in it that has members. */
function columnsOf({ catalog, collection }: World, rows: readonly Payload[], name: string) {
  const values = rows.map((row) => row[name]);
  const kind = catalog.relations.get(collection)?.get(name)?.kind;
  const items = values.map((value) =>
    isItem(value) && Object.keys(value).length > 0 ? value : null,
  );
  const isDotted =
    kind === 'm2o' && values.every((value, index) => value === undefined || items[index] !== null);
  if (!isDotted) return [{ header: name, cells: values.map(cellOf) }];
  const members = [...new Set(items.flatMap((item) => Object.keys(item ?? {})))];
  return members.map((member) => ({
    header: `${name}.${member}`,
    cells: items.map((item) => cellOf(item?.[member])),
  }));
}

function csvOf(world: World, rows: readonly Payload[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = names.flatMap((name) => columnsOf(world, rows, name));
  const line = (cells: readonly string[]) =>
    cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
  const lines = rows.map((_, index) => line(columns.map(({ cells }) => cells[index] ?? '')));
  return [line(columns.map(({ header }) => header)), ...lines].join('\n');
}

function fileOf(world: World, format: ImportFormat, rows: readonly Payload[]) {
  if (format === 'csv') return { format, content: csvOf(world, rows) };
  if (format === 'json') return { format, content: JSON.stringify(rows) };
  return { format, content: rows.map((row) => JSON.stringify(row)).join('\n') };
}

/** Tries the file, and imports it without its faulty rows. @returns null when it was read as a flat one */
async function imported(
  client: PoolClient,
  world: World,
  format: ImportFormat,
): Promise<Outcome | null> {
  const file = fileOf(world, format, world.rows);
  const refused = await refusalsOf(optionsOf(client, world, file, { dryRun: true }), textOf);
  // A column of CSV that no permission covers refuses the file, not a row.
  if (refused.has(0)) return null;
  const result = await importFile(optionsOf(client, world, file, { onError: 'skip' }));
  // Without related items, the last of the rows with the same key is used.
  if (result.duplicates > 0) return null;
  if (result.failed !== refused.size) throw new Error(`${result.failed} rows are skipped`);
  return { refused, state: describe(await readState(client)) };
}

function difference(
  world: World,
  format: ImportFormat,
  expected: Outcome,
  found: Outcome,
): string | null {
  for (const [index, row] of world.rows.entries()) {
    const wanted = expected.refused.get(index + 1);
    const told = found.refused.get(index + 1);
    if (wanted?.length === told?.length && wanted?.[0] === told?.[0]) continue;
    // The columns of CSV have one order for all rows, and the first fault is told.
    if (wanted !== undefined && told !== undefined && format === 'csv') continue;
    // A column that no permission covers is unknown to the file.
    if (wanted?.[0] === 'FORBIDDEN' && told?.[0] === 'INVALID_PAYLOAD') continue;
    // Files without related items tell nobody that a hidden item has this key.
    if (wanted?.[0] === 'RECORD_NOT_UNIQUE' && told?.[0] === 'FORBIDDEN') continue;
    return `row ${index + 1} ${JSON.stringify(row)}: one by one ${wanted}, imported ${told}`;
  }
  const [left = '', right = ''] = [expected, found].map(({ state }) => state);
  if (left === right) return null;
  const lines = (text: string, other: string, sign: string) =>
    text
      .split('\n')
      .filter((line) => !other.split('\n').includes(line))
      .map((line) => sign + line);
  return [...lines(left, right, '- '), ...lines(right, left, '+ ')].join('\n');
}

/**
 * Lists of items that may exist say what is to be done: what a whole list leaves out is told by all
 * rows of a batch together.
 */
function withoutWholeLists(catalog: Catalog, table: Table, item: Payload): Payload {
  const isKeyed = keyNames(table).every((name) => item[name] !== undefined);
  const inner = (target: string, one: unknown) =>
    isTable(target) && isItem(one) ? withoutWholeLists(catalog, target, one) : one;
  const members = Object.entries(item).map(([name, value]) => {
    const relation = catalog.relations.get(table)?.get(name);
    if (relation === undefined) return [name, value];
    if (relation.kind === 'a2o') return [name, inner(String(item.kind), value)];
    if (relation.kind === 'm2o') return [name, inner(relation.one.collection, value)];
    const each = (list: unknown) =>
      Array.isArray(list) ? list.map((one: unknown) => inner(relation.many.collection, one)) : list;
    if (isItem(value)) {
      const lists = Object.entries(value).map(([action, list]) => [action, each(list)]);
      return [name, Object.fromEntries(lists)];
    }
    if (!isKeyed || (value !== null && !Array.isArray(value))) return [name, each(value)];
    const items = (value ?? []).filter(isItem);
    const isNew = (one: Payload) => one.mark !== undefined;
    const rest = items.filter((one) => !isNew(one));
    return [name, { create: each(items.filter(isNew)), update: each(rest) }];
  });
  return Object.fromEntries(members);
}

/** Keys in a list through a junction name rows of the junction in a payload, and the items in a file. */
function withoutBareKeys(catalog: Catalog, table: Table, item: Payload): Payload {
  const members = Object.entries(item).map(([name, value]) => {
    const relation = catalog.relations.get(table)?.get(name);
    const isThrough = relation?.kind === 'm2m' && relation.junctionField !== null;
    return [name, isThrough && Array.isArray(value) ? value.filter(isItem) : value];
  });
  return Object.fromEntries(members);
}

/** Rows for one table. In CSV, a column of texts takes the JSON of an object, so nothing is wrong there. */
function draw(catalog: Catalog, state: State, dice: Dice, format: ImportFormat) {
  const collection = dice.pick<Table>(['a', 'a', 'a', 'b', 'd', 'j', 'k', 'c']);
  const most = dice.pick([1, 4, 8]);
  let marks = 0;
  const rows: Payload[] = [];
  let drawing = new Drawing(catalog, state, dice, () => ++marks);
  for (let turn = 0; turn < 60 && rows.length < most; turn += 1) {
    // Another drawing may name the same items again.
    if (dice.below(3) === 0) drawing = new Drawing(catalog, state, dice, () => ++marks);
    const { table, payload, broken } = drawing.draw();
    if (table === collection && !(broken && format === 'csv')) {
      rows.push(withoutBareKeys(catalog, collection, payload));
    }
  }
  if (rows.length < 2) return { collection, rows };
  return { collection, rows: rows.map((row) => withoutWholeLists(catalog, collection, row)) };
}

/** Checks one world. @returns what differs; null: nothing */
export async function checkNested(
  pool: Pool,
  seed: number,
  counts: Counts,
): Promise<string | null> {
  const dice = new Dice(seed);
  const client = await pool.connect();
  try {
    const catalog = await makeWorld(client, dice);
    const permits = drawPermits(dice, ['ds', 'bs', 'any', 'as', 'below']);
    const rights = rightsOf(permits, []);
    const format = dice.pick<ImportFormat>(['json', 'ndjson', 'csv']);
    const { collection, rows } = draw(catalog, await readState(client), dice, format);
    const allowed = ['create', 'update'] as const;
    const isAllowed = rights.admin || allowed.some((one) => rights.of(collection, one).length > 0);
    if (rows.length === 0 || !isAllowed) return null;
    const caller = { ...ANONYMOUS, admin: rights.admin };
    const world: World = { catalog, rights, caller, collection, rows };
    const expected = await oneByOne(client, world);
    const found = await imported(client, world, format);
    if (found === null) return null;
    counts.refused += found.refused.size;
    counts.written += rows.length - found.refused.size;
    counts.formats.set(format, (counts.formats.get(format) ?? 0) + 1);
    const differing = difference(world, format, expected, found);
    if (differing === null) return null;
    const file = fileOf(world, format, rows).content;
    return `PROPERTY_SEED=${seed} ${rights.admin ? 'admin' : 'member'} ${collection} ${format}: ${differing}\n${file}`;
  } catch (error) {
    return `PROPERTY_SEED=${seed}: ${error instanceof Error ? error.stack : error}`;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}
