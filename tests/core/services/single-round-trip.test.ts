// @slow

/**
 * A write in one round trip has the same effects as the step-by-step writer, for every caller and
 * request: the same rows, history, changes, answers and errors.
 */
import t from 'tap';
import { FULL_RIGHTS, type Rights } from '#core/access/rights.ts';
import { ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import type { UnparsedQuery } from '#core/read/statement-cache.ts';
import type { ItemService } from '#core/services/items.ts';
import { BOUNDS, caller, OTHER, openWriters, RIGHTS, USER } from './fixture/writers.ts';

const BODIES: readonly unknown[] = [
  { name: 'x' },
  { n: 7 },
  { name: 'y', n: 120 },
  { name: 'bad', n: 6 },
  { name: 'worse' },
  { code: 'taken' },
  { name: null },
  { n: 'abc' },
  { n: '8' },
  {},
  { nobody: 1 },
  { id: 9, name: 'z' },
  { team: 2 },
  { team: 99 },
  { team: { id: 1, name: 'q' } },
  { children: [{ body: 'd' }] },
  { secret: '**********', name: 'm' },
  { secret: 'new' },
  { doc: { a: [1, 'ü'] }, name: 'with a document' },
  { twice: 3 },
  { slug: 'other' },
  { owner: OTHER },
  'text',
];
const KEYS = ['1', '2', '3', '99', 'abc', '01'];
const QUESTIONS = [
  {},
  { fields: 'id' },
  { fields: 'name,team.name' },
  { fields: 'nobody' },
  { 'filter[name][_eq]': 'none' },
  { fields: 'name,children.body,secret,twice' },
  { fields: 'id,editor,owner' },
];
/** Besides `things`: tables with less history, or that one statement cannot write. */
const OTHERS: readonly (readonly [string, string, unknown])[] = [
  ['teams', '1', { name: 'n' }],
  ['quiet', USER, { name: 'n' }],
  ['quiet', USER.toUpperCase(), { name: 'n' }],
  ['brief', 'a,b', { name: 'n', n: null }],
  ['brief', 'a%2Cb', { name: 'n' }],
  ['pairs', '1,2', { name: 'n' }],
  ['watched', '1', { name: 'n' }],
  ['nothing', '1', {}],
];

const world = await openWriters(t);

function told(error: unknown): unknown {
  if (error instanceof ServiceErrors) return error.errors.map(told);
  if (!(error instanceof ServiceError)) throw error;
  const { code, message, details } = error;
  return { code, message, details: JSON.stringify(details) };
}

/** The effects of a write, and its answer. */
async function outcome(
  { items, transactions }: typeof world.short,
  run: (items: ItemService) => Promise<unknown>,
) {
  await world.reset();
  world.changes.length = 0;
  const before = transactions.count;
  const answer = await run(items).catch((error: unknown) => ({ refused: told(error) }));
  const short = transactions.count === before;
  return { short, what: { answer, changes: [...world.changes], stored: await world.stored() } };
}

const VISITOR = { ip: '192.0.2.1', userAgent: 'tap', origin: 'https://example.com' };

async function compare(
  name: string,
  [collection, rights]: readonly [string, Rights],
  run: (items: ItemService, target: Parameters<ItemService['admit']>[0]) => Promise<unknown>,
) {
  world.current.rights = rights;
  const target = { collection, caller: caller(rights.admin), visitor: VISITOR };
  const expected = await outcome(world.long, (items) => run(items, target));
  const found = await outcome(world.short, (items) => run(items, target));
  // The test is meaningful only if one side uses transactions.
  if (expected.short && !('refused' in Object(expected.what.answer))) t.fail(`${name}: in steps`);
  t.strictSame(found.what, expected.what, name);
  return found.short;
}

let turn = 0;
/** Each body meets other keys and questions with other rights; the long test has more of both. */
const ROUNDS = process.env.AT_ONCE === 'whole' ? 4 : 1;
/** With an old PostgreSQL, a part of the rights shows that it reads the statements, too. */
const IS_PART = process.env.TEST_ROLE === 'ordinary';
const GIVEN = Object.entries(RIGHTS).filter((_, place) => !IS_PART || place % 3 === 0);
const SHARE = IS_PART ? 0.2 : 1;

function nextQuestion(): UnparsedQuery {
  turn += 1;
  const parameters = QUESTIONS[turn % QUESTIONS.length] ?? {};
  return { text: JSON.stringify(parameters), query: () => parseQuery({ ...parameters }, BOUNDS) };
}

t.test('updates', async (t) => {
  let count = 0;
  for (const [name, given] of GIVEN) {
    for (const body of BODIES) {
      for (let round = 0; round < ROUNDS; round += 1) {
        const question = nextQuestion();
        const key = KEYS[turn % KEYS.length] ?? '';
        const title = `${name}: ${key} becomes ${JSON.stringify(body)}, asked ${question.text}`;
        const isShort = await compare(title, ['things', given], (items, target) =>
          items.updateOne(target, key, { body }, question),
        );
        if (isShort) count += 1;
      }
    }
  }
  for (const [collection, key, body] of OTHERS) {
    const question = nextQuestion();
    await compare(`${collection} ${key}`, [collection, FULL_RIGHTS], (items, target) =>
      items.updateOne(target, key, { body }, question),
    );
  }
  t.comment(`${count} in one round trip`);
  t.ok(count > 30 * ROUNDS * SHARE, 'many are written in one round trip');
});

t.test('deletions', async (t) => {
  let count = 0;
  for (const [name, given] of GIVEN) {
    for (const key of KEYS) {
      const isShort = await compare(`${name}: ${key}`, ['things', given], (items, target) =>
        items.deleteOne(target, key),
      );
      if (isShort) count += 1;
    }
  }
  for (const [collection, key] of OTHERS) {
    await compare(`${collection} ${key}`, [collection, FULL_RIGHTS], (items, target) =>
      items.deleteOne(target, key),
    );
  }
  t.comment(`${count} in one round trip`);
  t.ok(count > 5 * SHARE, 'some are deleted in one round trip');
});

const LISTS: readonly (readonly unknown[])[] = [
  [1, 2],
  ['2', 1],
  [3, 1, 2],
  [1],
  [1, '01'],
  [1, 1],
  [1, 99],
  ['abc'],
  [null, 1],
  [],
];

t.test('updates of several items', async (t) => {
  let count = 0;
  for (const [name, given] of GIVEN) {
    for (const data of BODIES) {
      const question = nextQuestion();
      const keys = LISTS[turn % LISTS.length] ?? [];
      const update = { kind: 'same', selection: { kind: 'keys', keys }, data } as const;
      const title = `${name}: ${keys.join()} become ${JSON.stringify(data)}, asked ${question.text}`;
      const isShort = await compare(title, ['things', given], (items, target) =>
        items.updateMany(target, update, question),
      );
      if (isShort) count += 1;
    }
  }
  for (const [collection, key, data] of OTHERS) {
    const keys = collection === 'pairs' ? [key.split(',')] : [decodeURIComponent(key)];
    const update = { kind: 'same', selection: { kind: 'keys', keys }, data } as const;
    const question = nextQuestion();
    await compare(`${collection} ${key}`, [collection, FULL_RIGHTS], (items, target) =>
      items.updateMany(target, update, question),
    );
  }
  t.comment(`${count} in one round trip`);
  t.ok(count > 25 * SHARE, 'many are written in one round trip');
});

const EACH: readonly (readonly unknown[])[] = [
  [
    { id: 1, name: 'x' },
    { id: 2, name: 'y' },
  ],
  [
    { id: 2, name: 'b', n: 5 },
    { n: 7, name: 'a', id: '1' },
  ],
  [
    { id: 1, name: 'x' },
    { id: 2, n: 7 },
  ],
  [{ id: 3, name: 'bad', n: null }],
  [
    { id: 1, name: 'x', secret: 's', doc: { a: 1 } },
    { id: 3, name: 'y', secret: null, doc: null },
  ],
  [
    { id: 1, name: 'x' },
    { id: 1, name: 'y' },
  ],
  [
    { id: 1, name: 'x' },
    { id: '01', name: 'y' },
  ],
  [{ id: 1, name: 'x' }, { name: 'y' }],
  [
    { id: 1, name: 'x' },
    { id: 99, name: 'y' },
  ],
  [
    { id: 1, name: 'x' },
    { id: 'abc', name: 'y' },
  ],
  [
    { id: 1, code: 'c' },
    { id: 2, code: 'c' },
  ],
  [
    { id: 1, code: 'B' },
    { id: 2, code: 'A' },
  ],
  [
    { id: 1, n: 3 },
    { id: 2, n: 'abc' },
    { id: 3, n: 120 },
  ],
  [
    { id: 1, team: 2 },
    { id: 3, team: 1 },
  ],
  [
    { id: 1, name: 'x' },
    { id: 2, name: 'y', children: [] },
  ],
  [
    { id: 1, name: 'worse' },
    { id: 2, name: 'worse' },
  ],
  [{ id: 1 }, { id: 2 }],
  [{ id: 1, name: 'x' }, 'text'],
  [],
];

t.test('updates of several items with separate values', async (t) => {
  let count = 0;
  for (const [place, [name, given]] of GIVEN.entries()) {
    for (const list of EACH.filter((_, index) => (index + place) % 2 === 0)) {
      const question = nextQuestion();
      const title = `${name}: ${JSON.stringify(list)}, asked ${question.text}`;
      const isShort = await compare(title, ['things', given], (items, target) =>
        items.updateMany(target, { kind: 'each', items: list }, question),
      );
      if (isShort) count += 1;
    }
  }
  for (const [collection, , data] of OTHERS) {
    const ids: Readonly<Record<string, unknown>> = { quiet: USER, brief: 'a,b' };
    const items = [{ id: ids[collection] ?? 1, a: 1, b: 2, ...Object(data) }];
    const question = nextQuestion();
    await compare(`${collection} each`, [collection, FULL_RIGHTS], (service, target) =>
      service.updateMany(target, { kind: 'each', items }, question),
    );
  }
  t.comment(`${count} in one round trip`);
  t.ok(count > 8 * SHARE, 'some are written in one round trip');
});

const FILTERS = [
  {},
  { 'filter[name][_in]': 'Ada,Bob', sort: '-name' },
  { 'filter[team][open][_eq]': 'true' },
  { 'filter[name][_eq]': 'none' },
  { 'filter[nobody][_eq]': 'none' },
  { sort: 'id', limit: 1 },
];

t.test('updates and deletions of items selected by a query', async (t) => {
  let count = 0;
  for (const [place, [name, given]] of GIVEN.entries()) {
    for (const parameters of FILTERS.filter((_, index) => (index + place) % 2 === 0)) {
      const query = parseQuery({ ...parameters }, BOUNDS);
      const selection = { kind: 'query', query } as const;
      const data = BODIES[turn % BODIES.length];
      const question = nextQuestion();
      const title = `${name}: ${JSON.stringify(parameters)}`;
      const update = await compare(
        `${title} become ${JSON.stringify(data)}`,
        ['things', given],
        (items, target) => items.updateMany(target, { kind: 'same', selection, data }, question),
      );
      const deletion = await compare(`${title} are deleted`, ['things', given], (items, target) =>
        items.deleteMany(target, selection),
      );
      count += Number(update) + Number(deletion);
    }
  }
  t.comment(`${count} in one round trip`);
  t.ok(count > 6 * SHARE, 'some are written in one round trip');
});

t.test('deletions of several items', async (t) => {
  let count = 0;
  for (const [name, given] of GIVEN) {
    for (const keys of LISTS) {
      const title = `${name}: ${keys.join()}`;
      const isShort = await compare(title, ['things', given], (items, target) =>
        items.deleteMany(target, { kind: 'keys', keys }),
      );
      if (isShort) count += 1;
    }
  }
  t.comment(`${count} in one round trip`);
  t.ok(count > 5 * SHARE, 'some are deleted in one round trip');
});

t.test('more items than a change names', async (t) => {
  const keys = Array.from({ length: 250 }, (_, index) => 1_000 + index);
  const add = () =>
    world.pool.query(`INSERT INTO things (id, name) SELECT g, 'many' FROM
    generate_series(1000, 1249) AS g`);
  const update = { kind: 'same', selection: { kind: 'keys', keys }, data: { n: 4 } } as const;
  const question = { text: 'many', query: () => parseQuery({ fields: 'id,n', limit: -1 }, BOUNDS) };
  const title = 'an update of 250 items';
  const isShort = await compare(title, ['things', FULL_RIGHTS], async (items, target) => {
    await add();
    const answer = await items.updateMany(target, update, question);
    for (const [place, change] of world.changes.entries()) {
      world.changes[place] = { ...change, keys: null };
    }
    return answer;
  });
  t.ok(isShort, 'is one round trip');
});

const CREATED: readonly unknown[] = [
  { name: 'x' },
  { name: 'bad', n: 'abc' },
  { name: 'worse', nobody: 1 },
  { n: 120 },
  { id: 'abc', name: 'x' },
  { name: 'x', twice: 3 },
  { name: 'x', slug: 's1', secret: 's' },
  { name: 'x', team: 2 },
  { name: 'x', children: [{ body: 'a' }, { body: 'b' }] },
  { name: 'x', children: [{ body: 'a' }], owner: USER, secret: 's' },
  [
    { name: 'x', children: [{ body: 'a' }] },
    { name: 'y', children: [{ body: 'b' }, { body: 'c' }] },
  ],
  [{ name: 'x' }, { name: 'y' }],
  { name: 'x', team: { id: 9, name: 'new', open: true } },
  { name: 'x', team: 2, children: [{ body: 'a' }] },
  { name: 'x', code: 'taken', children: [{ body: 'a' }] },
  { name: 'x', children: [{ body: 'a', thing: 1 }] },
  { children: [{ body: 'a' }] },
  { name: 'x', n: 120, children: [{ body: 'a' }] },
  { name: 'x', children: [{ mark: 'm' }, { mark: 'm' }] },
  [
    { name: 'x', children: [{ mark: 'm' }, { mark: 'n' }] },
    { name: 'y', code: 'taken', children: [{ mark: 'm' }] },
  ],
  { id: 40, name: 'x', children: [{ body: 'a' }] },
  { name: 'x', children: { create: [{ body: 'a', mark: 'é"\\' }] } },
];

t.test('creations', async (t) => {
  let count = 0;
  for (const [name, given] of GIVEN) {
    for (const body of CREATED) {
      const question = nextQuestion();
      const title = `${name}: ${JSON.stringify(body)}, asked ${question.text}`;
      const isShort = await compare(title, ['things', given], (items, target) =>
        items.create(target, body, question),
      );
      if (isShort) count += 1;
    }
  }
  t.comment(`${count} in one round trip`);
  t.ok(count > 40 * SHARE, 'many are created in one round trip');
});

t.test('an item too large for one statement is written step by step', async (t) => {
  const asked = { text: '', query: () => parseQuery({}, BOUNDS) };
  for (const [size, expected] of [
    [400_000, true],
    [600_000, false],
  ] as const) {
    const body = { name: 'x'.repeat(size) };
    const changed = await compare(`update with ${size}`, ['brief', FULL_RIGHTS], (items, target) =>
      items.updateOne(target, 'a%2Cb', { body }, asked),
    );
    t.equal(changed, expected, 'update');
    const item = { id: 'new', ...body };
    const created = await compare(`create with ${size}`, ['brief', FULL_RIGHTS], (items, target) =>
      items.create(target, item, asked),
    );
    t.equal(created, expected, 'create');
    const { answer } = (
      await outcome(world.short, (items) =>
        items.create({ collection: 'brief', caller: caller(true) }, item, asked),
      )
    ).what;
    t.match(answer, { data: `{"id":"new","name":"${body.name}","n":null}` });
  }
});

t.test('too large answers are rejected as in reads, and no row is written', async (t) => {
  const name = 'x'.repeat(100_000);
  const body = { name };
  const alias = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`a${n}`, 'name']));
  const far = { fields: '*,team.name', alias };
  const asks: readonly (readonly [
    string,
    (question: UnparsedQuery) => Parameters<typeof compare>[2],
  ])[] = [
    ['update', (asked) => (items, target) => items.updateOne(target, '1', { body }, asked)],
    ['create', (asked) => (items, target) => items.create(target, body, asked)],
    [
      'create with more',
      (asked) => (items, target) =>
        items.create(target, { name, children: [{ body: 'a' }] }, asked),
    ],
    ['create many', (asked) => (items, target) => items.create(target, [body, body], asked)],
  ];
  for (const parameters of [{ fields: '*', alias }, far]) {
    const question = {
      text: JSON.stringify(parameters),
      query: () => parseQuery({ ...parameters }, BOUNDS),
    };
    for (const [what, ask] of asks) {
      const title = `${what}, asked ${parameters.fields}`;
      const run = ask(question);
      await compare(title, ['things', FULL_RIGHTS], run);
      const target = { collection: 'things', caller: caller(true), visitor: VISITOR };
      const { answer, changes, stored } = (
        await outcome(world.short, (items) => run(items, target))
      ).what;
      const { code, details } = Object(answer).refused;
      t.equal(code, 'INVALID_QUERY', title);
      t.match(JSON.parse(details), { limit: 1_000_000, variable: 'ANSWER_MAX_SIZE' }, title);
      t.strictSame(Object.keys(JSON.parse(details)).sort(), ['limit', 'reason', 'variable'], title);
      t.strictSame(changes, [], title);
      t.notMatch(JSON.stringify(stored), 'xxx', `${title}: no row is written`);
    }
  }
});
