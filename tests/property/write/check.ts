/** Sends payloads to the engine and to the model, and tells where they part. */
import type { Pool, PoolClient } from 'pg';
import { ANONYMOUS } from '#core/access/grants.ts';
import { ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import { translateFailure } from '#core/database/failure.ts';
import { transaction } from '#core/database/pool.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { History, NO_VISITOR } from '#core/write/history/history.ts';
import { writeItems } from '#core/write/relational/write-items.ts';
import { NO_RULE, type WriteContext } from '#core/write/write-context.ts';
import { Dice } from '#tests/harness/dice.ts';
import { Model, Refused } from './model.ts';
import { Drawing, type Drawn } from './payload.ts';
import { drawPermits, type Permits, rightsOf } from './rights.ts';
import { makeWorld, readState, type State, TABLES, type Table } from './world.ts';

const BOUNDS = {
  ...{ limitDefault: 100, limitMax: undefined, maxDepth: 10, maxFields: 500, maxJsonDepth: 10 },
};

/** What an engine with a fault does otherwise. */
export interface Fault {
  catalog?(catalog: Catalog): Catalog;
  /** Judges as if the caller were an administrator. */
  readonly careless?: boolean;
  /** Keeps what was written before the failure. */
  readonly halfway?: boolean;
}

export interface Counts {
  written: number;
  refused: number;
}

async function send(
  client: PoolClient,
  catalog: Catalog,
  permits: Permits,
  { table, intent, payload }: Drawn,
): Promise<void> {
  const rights = rightsOf(permits, []);
  const writeOf = (name: string): WriteContext => {
    const collection = catalog.collections.get(name);
    if (collection === undefined) throw new Error(`no collection ${name}`);
    const caller = { ...ANONYMOUS, admin: rights.admin };
    const target = { catalog, rights, grants: rights.reading, caller, bounds: BOUNDS };
    return {
      ...{ target: { ...target, collection: name }, collection, client, now: new Date() },
      ...{ rule: NO_RULE, hash: async (secret: string) => secret },
    };
  };
  const history = new History(client, 'public', { user: null, visitor: NO_VISITOR });
  const inputs = [{ place: [], value: payload, intent }];
  await writeItems(writeOf(table), inputs, { writeOf, maxItems: undefined, history });
}

/** @returns why the engine refused; null when it did not */
async function engine(
  pool: Pool,
  catalog: Catalog,
  permits: Permits,
  drawn: Drawn,
  fault: Fault,
): Promise<string | null> {
  const rights = fault.careless ? null : permits;
  const work = (client: PoolClient) => send(client, catalog, rights, drawn);
  try {
    if (!fault.halfway) await transaction(pool, work);
    else {
      const client = await pool.connect();
      await work(client).finally(() => client.release());
    }
    return null;
  } catch (error) {
    const translated = translateFailure(error);
    if (translated instanceof ServiceErrors) return translated.errors[0].code;
    if (translated instanceof ServiceError && translated.status < 500)
      return `${translated.code} ${translated.message}`;
    throw error;
  }
}

/** What the model makes of a payload; null when it refuses it. */
function expected(catalog: Catalog, permits: Permits, state: State, drawn: Drawn) {
  if (drawn.broken) return { state: null, places: null, reason: 'broken' };
  const model = new Model(catalog, permits, state);
  try {
    model.put(drawn.table, drawn.payload, drawn.intent);
    return { state: model.finish(), places: model.places, reason: '' };
  } catch (error) {
    if (error instanceof Refused) return { state: null, places: null, reason: error.message };
    throw error;
  }
}

/**
 * New items stand behind what was in their list and stays. The engine may have seen more or less
 * there than the model, which writes in another order, when rows come and go by the same payload.
 */
function placeBehind(
  wanted: State,
  before: State,
  found: State,
  given: ReadonlyMap<unknown, number>,
): void {
  const all = [...(found.get('d')?.values() ?? [])];
  for (const row of wanted.get('d')?.values() ?? []) {
    const there = given.has(row.mark) ? all.find(({ mark }) => mark === row.mark) : undefined;
    if (there === undefined) continue;
    const others = all.filter(
      ({ a, id }) => a === there.a && before.get('d')?.get(id ?? '')?.a === there.a,
    );
    const last = Math.max(0, ...others.map(({ place }) => Number(place ?? 0)));
    if (Number(there.place ?? 0) > last) row.place = there.place ?? null;
  }
}

/** The state with the keys that the database gave in place of the marks. */
function settle(state: State, found: State): string {
  const names = new Map<string, string>();
  for (const table of TABLES) {
    for (const row of found.get(table)?.values() ?? []) names.set(`new ${row.mark}`, row.id ?? '');
  }
  return describe(state, (value) => names.get(value) ?? value);
}

function describe(state: State, named = (value: string) => value): string {
  const lines = TABLES.flatMap((table: Table) =>
    [...(state.get(table)?.values() ?? [])].map((row) => {
      const members = Object.keys(row)
        .sort()
        .map((name) => `${name}=${row[name] === null ? '' : named(row[name] ?? '')}`);
      return `${table} ${members.join(' ')}`;
    }),
  );
  return lines.sort().join('\n');
}

function difference(expectedText: string, foundText: string): string {
  const [wanted, there] = [expectedText, foundText].map((text) => new Set(text.split('\n')));
  return [
    ...[...(wanted ?? [])].filter((line) => !there?.has(line)).map((line) => `- ${line}`),
    ...[...(there ?? [])].filter((line) => !wanted?.has(line)).map((line) => `+ ${line}`),
  ].join('\n');
}

/** Tries payloads in one world; null when engine and model agree on all of them. */
export async function checkWorld(
  pool: Pool,
  seed: number,
  payloads: number,
  counts: Counts,
  fault: Fault = {},
): Promise<string | null> {
  const dice = new Dice(seed);
  const client = await pool.connect();
  try {
    const catalog = await makeWorld(client, dice);
    const faulty = fault.catalog?.(catalog) ?? catalog;
    let marks = 0;
    let state = await readState(client);
    for (let turn = 0; turn < payloads; turn += 1) {
      const permits = drawPermits(dice, ['ds', 'bs', 'any', 'as', 'below']);
      const drawn = new Drawing(catalog, state, dice, () => ++marks).draw();
      const wanted = expected(catalog, permits, state, drawn);
      const refusal = await engine(pool, faulty, permits, drawn, fault);
      const found = await readState(client);
      counts[refusal === null ? 'written' : 'refused'] += 1;
      const text = describe(found);
      if (wanted.places !== null) placeBehind(wanted.state, state, found, wanted.places);
      const wantedText = wanted.state === null ? describe(state) : settle(wanted.state, found);
      const parts =
        (refusal === null) === (wanted.state !== null) ? '' : 'one of both refuses the payload\n';
      if (parts !== '' || text !== wantedText) {
        return `seed ${seed}, payload ${turn}: ${drawn.intent} ${drawn.table} ${JSON.stringify(drawn.payload)}
permits ${JSON.stringify([...(permits ?? [])])}
${parts}engine: ${refusal ?? 'written'}; model: ${wanted.reason || 'written'}
${difference(wantedText, text)}`;
      }
      state = found;
    }
    return null;
  } finally {
    client.release();
  }
}
