// @slow

/**
 * Items that are created or updated by a unique key. Each has the effect of a creation or an
 * update, and two requests for the same new item create one.
 */
import t from 'tap';
import { ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import { parsedQuery } from '#core/read/statement-cache.ts';
import type { ItemService } from '#core/services/items.ts';
import type { RequestTarget } from '#core/services/request-context.ts';
import { upsertItems } from '#core/services/upsert.ts';
import { until } from '#tests/harness/until.ts';
import { BOUNDS, caller, OWN, openWriters, RIGHTS, rights, USER } from './fixture/writers.ts';

const world = await openWriters(t);
const { items } = world.short;
const question = parsedQuery(parseQuery({ fields: '*,children.body', sort: 'id' }, BOUNDS));
const member = { collection: 'things', caller: caller(false) };

type Match = readonly string[] | null;

function upsert(body: unknown, match: Match = ['code'], target: RequestTarget = member) {
  return upsertItems(items, target, { body, match }, question);
}

function refused(error: unknown): unknown {
  if (error instanceof ServiceErrors) return error.errors.map(refused);
  if (!(error instanceof ServiceError)) throw error;
  return { code: error.code, message: error.message, details: JSON.stringify(error.details) };
}

/** The effects of a write, and its answer. */
async function outcome(run: () => Promise<unknown>) {
  await world.reset();
  world.changes.length = 0;
  const answer = await run().catch(refused);
  return { answer, changes: [...world.changes], stored: await world.stored() };
}

async function codeOf(run: Promise<unknown>): Promise<unknown> {
  return await run.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof ServiceErrors) return error.errors[0].code;
      return error instanceof ServiceError ? error.code : error;
    },
  );
}

async function count(sql: string): Promise<number> {
  return (await world.pool.query(`SELECT count(*)::int AS n FROM ${sql}`)).rows[0]?.n;
}

/** Bodies, the fields that match, and the key of the item that there is. */
const CASES: readonly (readonly [Record<string, unknown>, Match, string | null])[] = [
  [{ code: 'A', name: 'x' }, ['code'], '1'],
  [{ code: 'new', name: 'x' }, ['code'], null],
  [{ code: 'new' }, ['code'], null],
  [{ code: 'A', n: 120 }, ['code'], '1'],
  [{ code: 'A', n: 'abc' }, ['code'], '1'],
  [{ code: 'A', id: 2, name: 'x' }, ['code'], '1'],
  [{ code: 'new', id: 2, name: 'x' }, ['code'], null],
  [{ code: 'A', children: [{ body: 'd' }], secret: 's' }, ['code'], '1'],
  [
    { code: 'new', name: 'x', children: [{ body: 'd' }], team: { id: 1, name: 'q' } },
    ['code'],
    null,
  ],
  [{ slug: 's1', code: 'taken' }, ['slug'], '1'],
  [{ code: 'A', nobody: 1, name: 'worse' }, ['code'], '1'],
  [{ code: 'A', twice: 3 }, ['code'], '1'],
  [{ id: 1, name: 'x' }, null, '1'],
  [{ id: '1', name: 'x' }, ['id'], '1'],
  [{ id: 77, name: 'x', code: 'new' }, null, null],
  [{ id: null, name: 'x' }, null, null],
  [{ name: 'x', owner: USER }, null, null],
  [{ name: 'x', code: 'A' }, null, null],
];

t.test('each item is created or updated independently', async (t) => {
  for (const [name, given] of Object.entries(RIGHTS)) {
    world.current.rights = given;
    const target = { ...member, caller: caller(given.admin) };
    for (const [body, match, key] of CASES) {
      const title = `${name}: ${JSON.stringify(body)} by ${match?.join() ?? 'the key'}`;
      const alone = (service: ItemService) =>
        key === null
          ? service.create(target, body, question)
          : service.updateOne(target, key, { body }, question);
      const expected = await outcome(() => alone(world.long.items));
      t.strictSame(await outcome(() => upsert(body, match, target)), expected, title);
    }
  }
});

t.test('lists', async (t) => {
  world.current.rights = rights({});
  const each = [
    { code: 'B', name: 'x' },
    { code: 'A', name: 'y', n: 3 },
  ];
  const known = [
    { id: 2, ...each[0] },
    { id: 1, ...each[1] },
  ];
  const expected = await outcome(() =>
    world.long.items.updateMany(member, { kind: 'each', items: known }, question),
  );
  t.strictSame(await outcome(() => upsert(each)), expected, 'of items that exist');

  await world.reset();
  const answer = await upsert([
    { code: 'new', name: 'x', children: [{ body: 'a' }] },
    { code: 'A', name: 'y' },
    { code: 'new', n: 4 },
    { code: 'newer', name: 'z' },
  ]);
  t.match(JSON.parse(String(answer?.data)), [
    { id: 1, code: 'A', name: 'y' },
    { code: 'new', name: 'x', n: 4, children: [{ body: 'a' }] },
    { code: 'newer', name: 'z' },
  ]);
  const actions = `system_activity WHERE collection = 'things' AND action`;
  t.equal(await count(`${actions} = 'create'`), 2, 'an item that is named twice is written once');
  t.equal(await count(`${actions} = 'update'`), 1);

  const place = await upsert([{ code: 'A' }, { name: 'x' }]).catch((error: unknown) => error);
  t.match(place, {
    code: 'FAILED_VALIDATION',
    details: { field: 'code', type: 'required', index: 1 },
  });
  await world.reset();
  t.match(
    await codeOf(upsert([{ code: 'A', name: 'kept' }, { code: 'new' }])),
    'FAILED_VALIDATION',
  );
  t.equal(await count(`things WHERE name = 'kept'`), 0, 'all or nothing');
  t.equal(await codeOf(upsert([{ code: 'A' }, 'text'])), 'INVALID_PAYLOAD');
});

t.test('keys of several columns', async (t) => {
  world.current.rights = rights({});
  await world.reset();
  const pairs = { ...member, collection: 'pairs' };
  const body = [
    { a: 1, b: 2, name: 'changed' },
    { b: 9, a: 1, name: 'new' },
  ];
  await upsert(body, ['b', 'a'], pairs);
  await upsert({ a: 1, b: 9, name: 'again' }, null, pairs);
  const { rows } = await world.pool.query('SELECT * FROM pairs ORDER BY b');
  t.strictSame(rows, [
    { a: 1, b: 2, name: 'changed' },
    { a: 1, b: 9, name: 'again' },
  ]);
});

t.test('values that PostgreSQL considers equal are one item', async (t) => {
  world.current.rights = rights({});
  await world.reset();
  const labels = { ...member, collection: 'labels' };
  const put = (list: readonly unknown[], match: Match) =>
    upsertItems(items, labels, { body: list, match }, parsedQuery(parseQuery({}, BOUNDS)));
  const codes = [{ code: 'New', size: 1 }, { code: 'other' }, { code: 'NEW', name: 'x' }];
  const { data } = (await put(codes, null)) ?? {};
  t.match(JSON.parse(String(data)), [{ code: 'NEW', size: '1', name: 'x' }, { code: 'other' }]);
  await put([{ code: 'nEW', name: 'y' }], null);
  const sizes = [
    { code: 'a', size: '2.50', name: 'a' },
    { code: 'b', size: 2.5, name: 'b' },
  ];
  await put(sizes, ['size']);
  const { rows } = await world.pool.query('SELECT code, size, name FROM labels ORDER BY code');
  t.strictSame(rows, [
    { code: 'b', size: '2.5', name: 'b' },
    { code: 'NEW', size: '1', name: 'y' },
    { code: 'other', size: null, name: null },
  ]);
});

t.test('a missing unique key is rejected, with the existing ones', async (t) => {
  world.current.rights = rights({});
  for (const match of [['name'], [], ['code', 'slug'], ['nobody'], ['team.name'], ['twice']]) {
    const error = await upsert({ code: 'A' }, match).catch((failure: unknown) => failure);
    const told = { reason: { sentence: /unique keys: id; code; slug\./ } };
    t.match(error, { code: 'INVALID_QUERY', details: told });
  }
  const known = [{ fields: ['id', 'name', 'code'] }];
  world.current.rights = rights({ create: known, read: known, update: known });
  const error = await upsert({ slug: 's1' }, ['slug']).catch((failure: unknown) => failure);
  const told = { reason: { sentence: /unique keys: id; code\.$/ } };
  t.match(error, { details: told }, 'none that is hidden');
  const missing = await upsert({ code: null }, ['code']).catch((failure: unknown) => failure);
  t.match(missing, { code: 'FAILED_VALIDATION', details: { field: 'code', type: 'nnull' } });
});

t.test('permissions apply by the action for each item', async (t) => {
  const there = { code: 'A', name: 'x' };
  const fresh = { code: 'new', name: 'x' };
  const results = async (list: readonly unknown[], match: Match = ['code']) => {
    const found: unknown[] = [];
    for (const body of list) {
      await world.reset();
      found.push(await codeOf(upsert(body, match)));
    }
    return found;
  };
  world.current.rights = rights({ update: [] });
  t.strictSame(await results([there, fresh, [fresh, there]]), ['FORBIDDEN', 'done', 'FORBIDDEN']);
  world.current.rights = rights({ create: [] });
  t.strictSame(await results([there, fresh, [there, fresh]]), ['done', 'FORBIDDEN', 'FORBIDDEN']);
  world.current.rights = rights({ update: [OWN] });
  const seen = { code: 'B', name: 'x' };
  t.strictSame(await results([there, seen]), ['done', 'FORBIDDEN'], 'others are only readable');
});

t.test('a hidden item has the same result as a creation', async (t) => {
  const hidden = [
    [{ code: 'B', name: 'x' }, ['code']],
    [{ id: 2, name: 'x' }, null],
  ] as const;
  const missing = [
    [{ code: 'nobody', name: 'x' }, ['code']],
    [{ id: 99, name: 'x' }, null],
  ] as const;
  const limited = { fields: ['name'] };
  const strict = { validation: { name: { _eq: 'y' } } };
  const seen = { read: [OWN], update: [OWN] };
  for (const create of [[], [limited], [strict], [{}]]) {
    world.current.rights = rights({ ...seen, create });
    for (const [index, [body, match]] of hidden.entries()) {
      const found = await outcome(() => upsert(body, match));
      const created = await outcome(() => world.long.items.create(member, body, question));
      t.strictSame(found, created, 'the same as a creation');
      const [other, by] = missing[index] ?? [body, match];
      const mayCreate = create.some((one) => Object.keys(one).length === 0);
      if (mayCreate) continue;
      const none = await outcome(() => upsert(other, by));
      t.strictSame(found.answer, none.answer, 'the same as for a missing item');
    }
  }
});

t.test('an item that the caller may not change is not locked', async (t) => {
  world.current.rights = rights({ read: [OWN], update: [OWN] });
  await world.reset();
  const holder = await world.pool.connect();
  await holder.query('BEGIN; SELECT FROM things WHERE id = 2 FOR UPDATE');
  t.equal(await codeOf(upsert({ code: 'B', name: 'x' })), 'RECORD_NOT_UNIQUE');
  world.current.rights = rights({ update: [OWN] });
  t.equal(await codeOf(upsert({ code: 'B', name: 'x' })), 'FORBIDDEN');
  t.equal(await codeOf(upsert({ id: 2, name: 'x' }, null)), 'FORBIDDEN');
  await holder.query('ROLLBACK');
  holder.release();
});

async function isWaited(): Promise<boolean> {
  const { rows } = await world.pool.query(`SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`);
  return rows.length > 0;
}

t.test('an item that is created or deleted meanwhile', async (t) => {
  world.current.rights = rights({});
  for (const [body, match, insert] of [
    [{ code: 'race', n: 5 }, ['code'], `(name, code) VALUES ('first', 'race')`],
    [{ id: 50, n: 5 }, null, `(name, id) VALUES ('first', 50)`],
  ] as const) {
    await world.reset();
    const holder = await world.pool.connect();
    await holder.query(`BEGIN; INSERT INTO things ${insert}`);
    const written = codeOf(upsert({ name: 'second', ...body }, match));
    await until(isWaited, 'the request waits for the other one');
    await holder.query('COMMIT');
    t.equal(await written, 'done', 'a concurrently created item is updated');
    t.equal(await count(`things WHERE name = 'second' AND n = 5`), 1);
    t.equal(await count(`things WHERE name = 'first'`), 0);

    await holder.query(`BEGIN; DELETE FROM things WHERE name = 'second'`);
    const again = codeOf(upsert({ name: 'third', ...body }, match));
    await until(isWaited, 'the request waits for the deletion');
    await holder.query('COMMIT');
    holder.release();
    t.equal(await again, 'done', 'a concurrently deleted item is created');
    t.equal(await count(`things WHERE name = 'third'`), 1);
  }
});

t.test('many requests for the same new item', async (t) => {
  world.current.rights = rights({});
  await world.reset();
  const names = Array.from({ length: 8 }, (_, index) => `n${index}`);
  const results = await Promise.all(
    names.map((name) =>
      codeOf(
        upsert([
          { code: 'race', name },
          { code: 'A', n: 2 },
        ]),
      ),
    ),
  );
  t.strictSame(
    results,
    names.map(() => 'done'),
  );
  t.equal(await count(`things WHERE code = 'race'`), 1);
  const told = `system_activity WHERE collection = 'things' AND item <> '1' AND action`;
  t.equal(await count(`${told} = 'create'`), 1);
  t.equal(await count(`${told} = 'update'`), names.length - 1);
});
