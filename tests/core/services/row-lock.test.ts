/**
 * A member's request never locks rows that the member may not write. It neither waits for their
 * locks nor blocks other requests, and is rejected as without any lock.
 */
import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import { parsedQuery } from '#core/read/statement-cache.ts';
import type { ItemService } from '#core/services/items.ts';
import { moveItem } from '#core/services/move-item.ts';
import { until } from '#tests/harness/until.ts';
import { BOUNDS, caller, openWriters, rights } from './fixture/writers.ts';

const world = await openWriters(t);

/** Bob's item belongs to another user; the other two are the member's own. */
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
/** The same, by rules that read other rows. */
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

/** A request that locks a row leaves its mark on it, even without writing. */
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
        await world.reset();
        const before = await marks();
        t.equal(await refusal(run(items)), 'FORBIDDEN', `${request} is rejected`);
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

/** The member owns none of the related items: team 2, and the items of item 3. */
const NOT_HIS = { rule: { body: { _eq: 'his' } } };
const RELATED_ARE_SEEN = rights(
  {},
  {
    teams: { update: [{ rule: { open: { _eq: true } } }] },
    children: { update: [NOT_HIS] },
    notes: { update: [NOT_HIS], delete: [NOT_HIS] },
  },
);
const RELATED_ARE_ONLY_READ = rights(
  {},
  {
    teams: { update: [] },
    children: { update: [] },
    notes: { update: [], delete: [] },
  },
);
const RELATED_BY_OTHER_ROWS = rights(
  {},
  {
    teams: { update: [{ rule: { name: { _eq: 'a' } } }] },
    children: { update: [{ rule: { thing: { name: { _eq: 'Ada' } } } }] },
    notes: {
      update: [{ rule: { thing: { name: { _eq: 'Ada' } } } }],
      delete: [{ rule: { thing: { name: { _eq: 'Ada' } } } }],
    },
  },
);

const RELATED: Readonly<Record<string, readonly [string, unknown]>> = {
  'a change of what an item refers to': ['1', { team: { id: 2, name: 'x' } }],
  'a change of a child in detail': ['3', { children: { update: [{ id: 1, body: 'x' }] } }],
  'a change of a child in a list': ['3', { children: [{ id: 1, body: 'x' }] }],
  'a child that is taken out': ['3', { children: { delete: [1] } }],
  'children that a list leaves out': ['3', { children: [] }],
  'children of another item': ['1', { children: [1] }],
  'a child of another item, in detail': ['1', { children: { update: [{ id: 1 }] } }],
  'a note that is taken out': ['3', { notes: { delete: [1] } }],
  'notes that a list leaves out': ['3', { notes: [] }],
  'notes that another list takes': ['1', { notes: [1] }],
  'a note deep in a payload': [
    '1',
    { team: { id: 1, things: { update: [{ id: 3, notes: { update: [{ id: 1, body: 'x' }] } }] } } },
  ],
};
const USUAL = { 'at once': SIDES['at once'] };
const NAMED = `SELECT FROM teams WHERE id = 2 FOR UPDATE; SELECT FROM children FOR UPDATE;
  SELECT FROM notes FOR UPDATE`;

/** The marks of requests that locked one of the related rows. */
async function relatedMarks(): Promise<unknown> {
  const { rows } = await world.pool.query(`SELECT xmax::text FROM teams WHERE id = 2
    UNION ALL SELECT xmax::text FROM children UNION ALL SELECT xmax::text FROM notes`);
  return rows;
}

for (const [name, given] of Object.entries({
  RELATED_ARE_SEEN,
  RELATED_ARE_ONLY_READ,
  RELATED_BY_OTHER_ROWS,
})) {
  // Neither writes related items that exist in one round trip.
  for (const [side, items] of Object.entries(given === RELATED_ARE_SEEN ? SIDES : USUAL)) {
    t.test(`${name}, ${side}`, async (t) => {
      world.current.rights = given;
      const isRefused = async (what: string, run: () => Promise<unknown>) => {
        await world.reset();
        const before = await relatedMarks();
        t.equal(await refusal(run()), 'FORBIDDEN', `${what} is rejected`);
        t.strictSame(await relatedMarks(), before, `${what} locks nothing`);
        const holder = await world.pool.connect();
        await holder.query(`BEGIN; ${NAMED}`);
        t.equal(await refusal(run()), 'FORBIDDEN', `${what} does not wait`);
        await holder.query('ROLLBACK');
        holder.release();
      };
      for (const [what, [key, body]] of Object.entries(RELATED)) {
        await isRefused(what, () => items.updateOne(target, key, { body }, question));
      }
      const created = { name: 'new', team: { id: 2, name: 'x' }, children: [1], notes: [1] };
      for (const member of ['team', 'children', 'notes'] as const) {
        const body = { name: 'new', [member]: created[member] };
        await isRefused(`a new item with ${member}`, () => items.create(target, body, question));
      }
    });
  }
}

t.test('a referenced row is not locked', async (t) => {
  world.current.rights = RELATED_ARE_SEEN;
  for (const [side, items] of Object.entries(SIDES)) {
    await world.reset();
    const holder = await world.pool.connect();
    // Foreign keys check the referenced rows, and wait for transactions that may delete them.
    await holder.query(`BEGIN; ${NAMED.replaceAll('FOR UPDATE', 'FOR NO KEY UPDATE')}`);
    const body = { team: { id: 2 }, children: [1], notes: { update: [] } };
    t.equal(await refusal(items.updateOne(target, '3', { body }, question)), 'done', side);
    await holder.query('ROLLBACK');
    holder.release();
  }
});

t.test('a writable row is awaited, and checked in its later state', async (t) => {
  world.current.rights = OTHERS_ARE_SEEN;
  for (const items of Object.values(SIDES)) {
    await world.reset();
    const holder = await world.pool.connect();
    await holder.query('BEGIN; UPDATE things SET owner = NULL WHERE id = 1');
    const written = refusal(items.updateOne(target, '1', { body: { name: 'x' } }, question));
    await until(isWaited, 'the update waits for the row');
    await holder.query('COMMIT');
    holder.release();
    t.equal(await written, 'FORBIDDEN');
  }
});
