/**
 * Prepares the repeated statements of writes on pool connections. A repeated statement is sent
 * under a name, so that PostgreSQL parses and plans it once per connection.
 */

import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import { oncePer } from '#core/base/once-per.ts';
import { hasLongLists, withTexts } from './long-list.ts';
import type { Client } from './pool.ts';
import { DataRow } from './row-protocol-reader.ts';
import { type Part, type RowOf, Script, type Texts } from './script.ts';
import type { Statement } from './sql.ts';
import { SQLSTATE } from './sqlstate.ts';
import { ValueBytes } from './value-bytes.ts';

/** The maximum number of statements to remember per process, and their maximum length. */
const MAX_SHAPES = 1_000;
const MAX_LENGTH = 50_000;
/**
 * The maximum number of prepared statements per connection. Above it a script drops the least
 * recently used one; single statements, which the driver tracks, are sent unnamed.
 */
const MAX_PREPARED = 500;

/** The minimum length of a long list, and of a long text. */
const LONG_LIST = 100;
const LONG_TEXT = 8_192;

/**
 * Whether a statement has long values. PostgreSQL must plan it for them: a cached generic plan
 * compares each row with each list element, which takes minutes instead of the moment of a hash
 * lookup.
 */
export function hasLongValue({ values }: Statement): boolean {
  for (const value of values) {
    if (typeof value === 'string' ? value.length > LONG_TEXT : isLongList(value)) return true;
  }
  return false;
}

function isLongList(value: unknown): boolean {
  return Array.isArray(value) && value.length > LONG_LIST;
}

interface Shape {
  readonly name: string;
  seen: number;
}

const shapes = new LRUCache<string, Shape>({ max: MAX_SHAPES });
const prepared = new WeakMap<Client, Set<string>>();
let counter = 0;

function shapeOf(text: string): Shape {
  const known = shapes.get(text);
  if (known !== undefined) return known;
  counter += 1;
  const shape = { name: `w${counter}`, seen: 0 };
  shapes.set(text, shape);
  return shape;
}

/** The name for preparing a statement on a connection; null for a new one or above the limit. */
function nameOf(client: Client, statement: Statement): string | null {
  const { text } = statement;
  if (text.length > MAX_LENGTH || hasLongValue(statement)) return null;
  const shape = shapeOf(text);
  shape.seen += 1;
  if (shape.seen === 1) return null;
  const names = prepared.get(client) ?? new Set<string>();
  prepared.set(client, names);
  if (!names.has(shape.name) && names.size >= MAX_PREPARED) return null;
  names.add(shape.name);
  return shape.name;
}

/** Runs a statement that may be repeated, and yields its rows as lists. */
export async function rowsOf<R extends unknown[]>(
  client: Client,
  statement: Statement,
): Promise<R[]> {
  const { text, values } = hasLongLists(statement) ? await withTexts(statement) : statement;
  const name = nameOf(client, statement);
  const query = { text, values, rowMode: 'array' } as const;
  const { rows } = await client.query<R>(name === null ? query : { ...query, name });
  return rows;
}

/**
 * The names that scripts gave to statements of a connection, and whether PostgreSQL prepared them;
 * most recently used last.
 */
const keptOf = oncePer((_: Client) => new Map<string, boolean>());

function partOf(names: Map<string, boolean>, statement: Statement): Part {
  const { text, values } = statement;
  const part = { text, values: values.map(prepareValue), name: '', isNew: true, drops: [] };
  if (text.length > MAX_LENGTH || hasLongValue(statement)) return part;
  const shape = shapeOf(text);
  shape.seen += 1;
  // The driver tracks the names of single statements, so these need a different prefix.
  const name = `s${shape.name}`;
  if (shape.seen === 1 && !names.has(name)) return part;
  const isTaken = names.get(name) === true;
  names.delete(name);
  const [oldest] = names.size < MAX_PREPARED ? [] : names.keys();
  if (oldest !== undefined) names.delete(oldest);
  names.set(name, isTaken);
  const old = oldest === undefined ? [] : [oldest];
  return { ...part, name, isNew: !isTaken, drops: isTaken ? old : [name, ...old] };
}

/** SQLSTATEs of an unknown statement name, and of a plan that is no longer valid. */
const FORGOTTEN = new Set<string>([SQLSTATE.invalidSqlStatementName, SQLSTATE.featureNotSupported]);

/**
 * Records which statements of a script PostgreSQL prepared: all executed ones, and none of the
 * rest.
 */
function settle(
  names: Map<string, boolean>,
  parts: readonly Part[],
  { complete, failure }: { readonly complete: number; readonly failure: unknown },
): void {
  const forgot = failure instanceof pg.DatabaseError && FORGOTTEN.has(failure.code ?? '');
  for (const [place, { name, isNew, drops }] of parts.entries()) {
    const isDone = place < complete;
    // A later script may have dropped it.
    if (names.has(name) && (isNew || (forgot && !isDone))) names.set(name, isDone);
    if (isDone) continue;
    for (const old of drops) if (!names.has(old)) names.set(old, false);
  }
}

async function runScript<R>(
  client: Client,
  given: readonly Statement[],
  rowOf: RowOf<R>,
): Promise<readonly R[][]> {
  const isLong = given.some(hasLongLists);
  const statements = isLong ? await Promise.all(given.map(withTexts)) : given;
  const names = keptOf(client);
  const parts = statements.map((statement) => partOf(names, statement));
  const script = new Script(parts, rowOf);
  client.query(script);
  try {
    const results = await script.done;
    settle(names, parts, { complete: parts.length, failure: null });
    return results;
  } catch (failure) {
    settle(names, parts, { complete: script.complete, failure });
    throw failure;
  }
}

/**
 * Runs statements that may be repeated in one round trip. Outside a transaction they form one
 * transaction.
 * @returns the rows of each, all values as texts
 */
export function runTogether(
  client: Client,
  statements: readonly Statement[],
): Promise<readonly Texts[]> {
  return runScript(client, statements, ({ fields }) => fields);
}

/**
 * Runs statements as {@link runTogether} does.
 * @returns the first value of the first row of the last statement; null without a row
 */
export async function valueTogether(
  client: Client,
  statements: readonly Statement[],
): Promise<ValueBytes | null> {
  const last = statements.length - 1;
  let value: ValueBytes | null = null;
  let isFirst = true;
  await runScript(client, statements, (row, place) => {
    if (place !== last || !isFirst) return;
    isFirst = false;
    const first = row instanceof DataRow ? row.first : row.fields[0];
    value =
      first == null ? null : new ValueBytes(typeof first === 'string' ? Buffer.from(first) : first);
  });
  return value;
}
