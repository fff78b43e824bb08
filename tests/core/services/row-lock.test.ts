/**
 * What a member may not write is not locked for him: his requests neither wait for who holds it nor
 * keep anybody waiting, and are refused as if nobody were there.
 */
import t from 'tap';
import { ServiceError } from '#core/errors/service-error.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import type { ItemService } from '#core/services/items.ts';
import { moveItem } from '#core/services/sorting.ts';
import { parsedQuery } from '#core/services/statement-cache.ts';
import { until } from '#tests/harness/until.ts';
import { BOUNDS, caller, FRESH, openWriters, rights } from './fixture/writers.ts';

const world = await openWriters(t);

/** Bob's item belongs to somebody else; the other two are the member's own. */
const BOB = '2';
const question = parsedQuery(parseQuery({}, BOUNDS));
const everything = { kind: 'query', query: parseQuery({ sort: 'id' }, BOUNDS) } as const;
const both = { kind: 'keys', keys: [1, 2] } as const;
const target = { collection: 'things', caller: caller(false) };
const unchanged = () => true;

const REQUESTS: Readonly<Record<string, (items: ItemService) => Promise<unknown>>> = {
  'an update': (items) => items.updateOne(target, BOB, { body: { name: 'x' } }, question),
  'an update if it is unchanged': (items) =>
    items.updateOne(target, BOB, { body: { name: 'x' }, precondition: unchanged }, question),
  'an update with related items': (items) =>
    items.updateOne(target, BOB, { body: { team: { id: 1, name: 'x' } } }, question),
  'an update of several': (items) =>
    items.updateMany(target, { kind: 'same', selection: both, data: { name: 'x' } }, question),
  'an update of what a query finds': (items) =>
    items.updateMany(
      target,
      { kind: 'same', selection: everything, data: { name: 'x' } },
      question,
    ),
  'updates of several': (items) =>
    items.updateMany(
      target,
      {
        kind: 'each',
        items: [
          { id: 1, name: 'x' },
          { id: 2, name: 'y' },
        ],
      },
      question,
    ),
  'a deletion': (items) => items.deleteOne(target, BOB),
  'a deletion if it is unchanged': (items) =>
    items.deleteOne(target, BOB, { precondition: unchanged, query: parseQuery({}, BOUNDS) }),
  'a deletion of several': (items) => items.deleteMany(target, both),
  'a deletion of what a query finds': (items) => items.deleteMany(target, everything),
  'a move': (items) => moveItem(items, target, { item: BOB, to: 1 }),
  'a move past it': (items) => moveItem(items, target, { item: 3, to: 1 }),
};

/** Sees all rows, and writes those that are his own. */
const OTHERS_ARE_SEEN = rights({
  update: [{ rule: { owner: { _eq: '$CURRENT_USER' } } }],
  delete: [{ rule: { owner: { _eq: '$CURRENT_USER' } } }],
});
/** The same, by rules that look at other rows. */
const BY_OTHER_ROWS = rights({
  update: [{ rule: { team: { id: { _eq: 2 } } } }],
  delete: [{ rule: { team: { id: { _eq: 2 } } } }],
});

const SIDES = { 'at once': world.short.items, 'step by step': world.long.items };

async function refusal(run: Promise<unknown>): Promise<unknown> {
  return await run.then(
    () => 'done',
    (error: unknown) => (error instanceof ServiceError ? error.code : error),
  );
}

/** Who locks a row leaves his mark on it, though he writes nothing. */
async function marks(): Promise<unknown> {
  const { rows } = await world.pool.query('SELECT xmax::text FROM things WHERE id = 2');
  return rows;
}

async function isWaited(): Promise<boolean> {
  const { rows } = await world.pool.query(`SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`);
  return rows.length > 0;
}

for (const [name, given] of Object.entries({ OTHERS_ARE_SEEN, BY_OTHER_ROWS })) {
  for (const [side, items] of Object.entries(SIDES)) {
    t.test(`${name}, ${side}`, async (t) => {
      world.current.rights = given;
      for (const [request, run] of Object.entries(REQUESTS)) {
        await world.pool.query(FRESH);
        const before = await marks();
        t.equal(await refusal(run(items)), 'FORBIDDEN', `${request} is refused`);
        t.strictSame(await marks(), before, `${request} locks nothing`);
        const holder = await world.pool.connect();
        await holder.query('BEGIN; SELECT FROM things WHERE id = 2 FOR UPDATE');
        t.equal(await refusal(run(items)), 'FORBIDDEN', `${request} does not wait`);
        await holder.query('ROLLBACK');
        holder.release();
      }
    });
  }
}

t.test('what may be written is waited for, and judged as it is then', async (t) => {
  world.current.rights = OTHERS_ARE_SEEN;
  for (const items of Object.values(SIDES)) {
    await world.pool.query(FRESH);
    const holder = await world.pool.connect();
    await holder.query('BEGIN; UPDATE things SET owner = NULL WHERE id = 1');
    const written = refusal(items.updateOne(target, '1', { body: { name: 'x' } }, question));
    await until(isWaited, 'the update waits for the row');
    await holder.query('COMMIT');
    holder.release();
    t.equal(await written, 'FORBIDDEN');
  }
});
