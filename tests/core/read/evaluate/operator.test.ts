/**
 * The evaluation of conditions in memory, with its open conditions in PostgreSQL, agrees with the
 * compiler on every operator.
 */
import t from 'tap';
import { ALL_GRANTS, ANONYMOUS } from '#core/access/grants.ts';
import { FULL_RIGHTS } from '#core/access/rights.ts';
import { operatorsOf } from '#core/query/operator.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import { Validation } from '#core/read/evaluate/validation.ts';
import { evaluateOpenConditions } from '#core/write/open-conditions.ts';
import type { Item } from '#core/write/payload.ts';
import { NO_RULE, type WriteContext } from '#core/write/write-context.ts';
import { BOUNDS } from '../plan/fixture/shop.ts';
import { openAsker } from '../sql/fixture/asker.ts';
import { collectionWith } from './fixture/collection.ts';

const ONE = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
const TWO = 'bbbbbbbb-bbbb-4ccc-8ddd-eeeeeeeeeeee';

/** Each field with its type, the values of the rows, and the operands. */
const FIELDS: readonly (readonly [string, string, readonly unknown[], readonly unknown[]])[] = [
  ['n', 'int4', [-1, 0, 5, 10], [0, 5, '5', 7]],
  ['big', 'int8', ['9007199254740993', '1'], ['9007199254740992', 1]],
  ['exact', 'numeric', ['1.25', '-3', '10'], [1.25, '10.0', 0]],
  ['near', 'float8', [0.1, 2, -7.5], [0.1, 2, 3]],
  [
    'word',
    'text',
    ['abc', 'ABC', 'a%c', '', 'b_c', 'ünï', 'ÜNÏ'],
    ['b', 'AB', '%', 'abc', '_c', 'ü'],
  ],
  ['day', 'date', ['2020-01-01', '2024-02-29'], ['2020-01-01', '2022-01-01']],
  ['at', 'timestamptz', ['2020-01-01T00:00:00.000Z'], ['2020-01-01T01:00:00+01:00', '2021-01-01']],
  ['flag', 'bool', [true, false], [true, false]],
  ['uid', 'uuid', [ONE, TWO], [ONE, ONE.toUpperCase()]],
  ['net', 'inet', ['10.0.0.1', '10.1.0.0/16', '::1'], ['10.0.0.1', '10.1', '::1']],
  ['gap', 'interval', ['1 day', '24:00:00', '2 mons'], ['1 day', '24:00:00', 'mon']],
  ['labels', '_text', ['{a,b}', '{"A,b"}', '{}', '{ü}'], ['a', 'b', 'Ü']],
  ['doc', 'jsonb', ['["a",1]', '{"k":{"n":5}}', '[]', '"a"', '{}'], ['a', 1]],
];

/** Conditions beside those of operators on a value. */
const MORE: readonly (readonly [string, unknown])[] = [
  ...['_contains', '_ncontains', '_icontains', '_starts_with', '_ieq'].flatMap((operator) =>
    ['a', 'b', 'A,b', 'Ü'].map((text) => ['labels', { labels: { [operator]: text } }] as const),
  ),
  ...['labels', 'doc'].flatMap((name) =>
    [
      ...[{ _some: { _eq: 'a' } }, { _none: { _eq: 'a' } }, { _some: { _in: ['b', 'c'] } }],
      ...[{ _empty: true }, { _nempty: true }, { _contains: 'a' }, { _ncontains: 'a' }],
    ].map((filter) => [name, { [name]: filter }] as const),
  ),
  ['labels', { 'count(labels)': { _gt: 1 } }],
  ['doc', { 'count(doc)': { _gte: 1 } }],
  ['doc', { doc: { _json: { 'k.n': { _gt: 4 } } } }],
  ['doc', { doc: { _json: { _or: [{ k: { _null: true } }, { 'k.n': { _eq: 5 } }] } } }],
  ['doc', { _or: [{ doc: { _contains: 'a' } }, { doc: { _json: { 'k.n': { _eq: 5 } } } }] }],
  ['net', { _and: [{ net: { _gte: '10.0.0.0' } }, { net: { _neq: '10.0.0.1' } }] }],
];

const LISTS: ReadonlySet<string> = new Set(['_in', '_nin', '_between', '_nbetween']);
const FLAGS: ReadonlySet<string> = new Set(['_null', '_nnull', '_empty', '_nempty']);

/** The operands to try for an operator: flags, pairs, parts of texts, else each operand. */
function operandsFor(operator: string, operands: readonly unknown[]): readonly unknown[] {
  if (FLAGS.has(operator)) return [true, false];
  const [first, second = first] = operands;
  if (LISTS.has(operator)) {
    return [
      [first, second],
      [second, first],
    ];
  }
  return /contains|with|ieq/.test(operator) ? operands.map(String) : operands;
}

/** The items that pass a filter, as a write validates them. */
async function passing(
  write: WriteContext,
  filter: unknown,
  items: readonly Item[],
): Promise<boolean[]> {
  const { collection, now } = write;
  const facts = { collection, caller: ANONYMOUS, now };
  const validation = new Validation(facts, [parseFilter(filter, 'rule')]);
  const found = items.map((item) => ({ item, ...validation.judge(item) }));
  const open = found.filter((one) => one.open.length > 0);
  const held = open.length === 0 ? [] : await evaluateOpenConditions(write, open);
  return found.map((one) => {
    const conditions = held[open.indexOf(one)];
    const { faults } = conditions === undefined ? one : validation.judge(one.item, conditions);
    return faults.length === 0;
  });
}

t.test('a row passes the same conditions that find it', async (t) => {
  const types = Object.fromEntries(FIELDS.map(([name, type]) => [name, type]));
  const { catalog, collection } = await collectionWith(types);
  const rows = FIELDS.flatMap(([name, , values]) => values.map((value) => [name, value] as const));
  const inserts = rows.map(
    ([name, value], index) =>
      `INSERT INTO things (id, ${name}) VALUES (${index}, '${String(value)}');`,
  );
  const columns = FIELDS.map(([name, type]) => `${name} ${type}`);
  const ask = await openAsker(
    t,
    `CREATE TABLE things (id int PRIMARY KEY, ${columns.join(', ')}); ${inserts.join('\n')}`,
  );
  const common = { catalog, caller: ANONYMOUS, bounds: BOUNDS, grants: ALL_GRANTS };
  const write: WriteContext = {
    target: { ...common, rights: FULL_RIGHTS, collection: 'things' },
    ...{ collection, client: ask.pool, now: new Date(), rule: NO_RULE },
    hash: (secret) => Promise.resolve(secret),
  };
  let compared = 0;
  const compare = async (name: string, filter: unknown, all: readonly Item[]) => {
    const sent = all.map((item) => ({ [name]: item[name] }));
    const passes = await passing(write, filter, sent);
    const both = { _and: [{ [name]: { _nnull: true } }, filter] };
    const found: unknown = await ask('things', { fields: 'id', filter: both, sort: 'id' });
    compared += 1;
    const ids = all.filter((_, index) => passes[index]).map(({ id }) => ({ id }));
    t.strictSame(ids, found, JSON.stringify(filter));
  };
  for (const [name, , , operands] of FIELDS) {
    const items: unknown = await ask('things', {
      fields: '*',
      filter: { [name]: { _nnull: true } },
      sort: 'id',
    });
    if (!Array.isArray(items)) throw new TypeError('a list of items was expected');
    const field = collection.fields.get(name);
    for (const operator of operatorsOf(field?.type ?? 'unknown', false)) {
      for (const operand of operandsFor(operator, operands)) {
        await compare(name, { [name]: { [operator]: operand } }, items);
      }
    }
    for (const [, filter] of MORE.filter(([of]) => of === name)) await compare(name, filter, items);
  }
  t.ok(compared > 300, `${compared} conditions were compared`);
});
