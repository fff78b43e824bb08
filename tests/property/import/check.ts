/** Imports a file, sends the same rows one by one, and compares what became of them. */
import type pg from 'pg';
import { failureView } from '#core/access/error-visibility.ts';
import { ANONYMOUS, type Caller } from '#core/access/grants.ts';
import { ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import { translateFailure } from '#core/database/failure.ts';
import { importFile } from '#core/transfer/import.ts';
import { History, NO_VISITOR } from '#core/write/history/history.ts';
import { writeItems } from '#core/write/relational/write-items.ts';
import { NO_RULE, type WriteContext } from '#core/write/write-context.ts';
import { Dice } from '#tests/harness/dice.ts';
import { BOUNDS, hash, optionsOf, type Refusals, refusalsOf } from './options.ts';
import { type Item, makeWorld, ROLE, USER, type World } from './world.ts';

const CALLER: Caller = { ...ANONYMOUS, user: USER, role: ROLE, roles: [ROLE] };

interface Outcome {
  readonly refused: Refusals;
  readonly rows: readonly unknown[];
}

/** How many rows of all worlds were written, and refused. */
export interface Counts {
  written: number;
  refused: number;
  readonly codes: Map<string, number>;
}

/** What is stored, without what every write makes anew. */
async function stored(client: pg.ClientBase, { catalog }: World): Promise<unknown[]> {
  const has = (name: string) => catalog.collections.get('things')?.fields.has(name);
  const { rows } = await client.query<Record<string, unknown>>(
    `SELECT to_jsonb(t) AS row FROM things t ORDER BY mark`,
  );
  return rows.map(({ row }) => {
    const members = Object.entries(Object(row)).map(([name, value]) => {
      const text = String(value);
      const isNow = Math.abs(Date.parse(text) - Date.now()) < 60_000;
      if (name === 'id' && Number(value) >= 1_000) return [name, 'numbered'];
      if (name === 'token' && text.length === 36) return [name, 'made'];
      return [name, isNow && typeof value === 'string' && /^\d{4}-/.test(text) ? 'now' : value];
    });
    return has('id') ? Object.fromEntries(members) : null;
  });
}

function errorsOf(error: unknown, world: World): readonly ServiceError[] {
  const told = translateFailure(error, failureView(world, true));
  if (told instanceof ServiceErrors) return told.errors;
  if (told instanceof ServiceError) return [told];
  throw told;
}

function textOf({ code, details }: ServiceError): string {
  return `${code} ${details.field ?? ''}`.trim();
}

function openWrite(client: pg.ClientBase, { catalog, rights }: World) {
  return (name: string): WriteContext => {
    const collection = catalog.collections.get(name);
    if (collection === undefined) throw new Error(`no collection ${name}`);
    const target = {
      catalog,
      rights,
      grants: rights.reading,
      caller: CALLER,
      bounds: BOUNDS,
      collection: name,
    };
    return { target, collection, client, now: new Date(), rule: NO_RULE, hash };
  };
}

/** Sends the rows one by one; those whose key exists as updates. */
async function oneByOne(client: pg.ClientBase, world: World): Promise<Outcome> {
  await client.query('BEGIN');
  const { rows: known } = await client.query<{ id: number }>('SELECT id FROM things');
  const existing = new Set<unknown>(known.map(({ id }) => id));
  const writeOf = openWrite(client, world);
  const history = new History(client, 'public', { user: USER, visitor: NO_VISITOR });
  const refused: Refusals = new Map();
  for (const [index, row] of world.rows.entries()) {
    await client.query('SAVEPOINT row');
    const { id } = row;
    const update = { place: [], value: row, intent: 'update', key: [String(id)] } as const;
    const create = { place: [], value: row, intent: 'create' } as const;
    try {
      const input = existing.has(id) ? update : create;
      await writeItems(writeOf('things'), [input], { writeOf, maxItems: undefined, history });
    } catch (error) {
      await client.query('ROLLBACK TO SAVEPOINT row');
      refused.set(index + 1, errorsOf(error, world).map(textOf));
    }
  }
  const rows = await stored(client, world);
  await client.query('ROLLBACK');
  return { refused, rows };
}

/** A file of rows. */
function fileOf(rows: readonly Item[]) {
  return { format: 'json', content: JSON.stringify(rows) } as const;
}

/** Imports the rows, and then those that were not refused: without the others, or skipping them. */
async function imported(client: pg.ClientBase, world: World, skips: boolean): Promise<Outcome> {
  const importer = { ...world, caller: CALLER, collection: 'things' };
  const refused = await refusalsOf(optionsOf(client, importer, fileOf(world.rows)), textOf);
  if (refused.size > 0 && skips) {
    const skipping = { onError: 'skip' } as const;
    const result = await importFile(optionsOf(client, importer, fileOf(world.rows), skipping));
    if (result.failed !== refused.size) throw new Error(`${result.failed} rows are skipped`);
    return { refused, rows: await stored(client, world) };
  }
  const kept = world.rows.filter((_, index) => !refused.has(index + 1));
  if (refused.size > 0 && kept.length > 0) {
    const again = await refusalsOf(optionsOf(client, importer, fileOf(kept)), textOf);
    if (again.size > 0) throw new Error(`rows are refused the second time: ${[...again].join()}`);
  }
  return { refused, rows: await stored(client, world) };
}

/** What the API tells of a row, and the import does not; where the API names no field, one may be told. */
function missing(told: readonly string[], expected: readonly string[]): string[] {
  return expected.filter(
    (one) => !told.some((other) => other === one || other.startsWith(`${one} `)),
  );
}

function difference(world: World, expected: Outcome, found: Outcome): string | null {
  for (const [index, row] of world.rows.entries()) {
    const wanted = expected.refused.get(index + 1) ?? [];
    const told = found.refused.get(index + 1) ?? [];
    const isSame = wanted.length === told.length && missing(told, wanted).length === 0;
    // A column that no permission covers is unknown to the file.
    if (wanted[0] === 'FORBIDDEN' && told[0]?.startsWith('INVALID_PAYLOAD')) continue;
    if (isSame) continue;
    return `row ${index + 1} ${JSON.stringify(row)}: one by one ${JSON.stringify(wanted)}, imported ${JSON.stringify(told)}`;
  }
  const [left, right] = [expected, found].map(({ rows }) => rows.map((row) => JSON.stringify(row)));
  const differing = left?.findIndex((row, index) => row !== right?.[index]) ?? -1;
  if (differing < 0 && left?.length === right?.length) return null;
  return `stored one by one ${left?.[differing]}, imported ${right?.[differing]}`;
}

/** Checks one world. @returns what differs; null: nothing */
export async function checkWorld(
  client: pg.ClientBase,
  seed: number,
  counts: Counts,
): Promise<string | null> {
  const world = await makeWorld(client, new Dice(seed));
  const { rights } = world;
  if (
    !rights.admin &&
    rights.of('things', 'create').length + rights.of('things', 'update').length === 0
  ) {
    return null;
  }
  const expected = await oneByOne(client, world);
  const found = await imported(client, world, seed % 2 === 0).catch((error: unknown) =>
    String(Error(`seed ${seed}: ${error}`, { cause: error }).stack),
  );
  if (typeof found === 'string') return found;
  counts.refused += found.refused.size;
  counts.written += world.rows.length - found.refused.size;
  for (const code of [...found.refused.values()].flat()) {
    counts.codes.set(code, (counts.codes.get(code) ?? 0) + 1);
  }
  const differing = difference(world, expected, found);
  return differing === null
    ? null
    : `PROPERTY_SEED=${seed} (${rights.admin ? 'admin' : 'member'}): ${differing}`;
}
