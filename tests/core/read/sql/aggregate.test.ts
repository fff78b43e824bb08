// @quick

import t from 'tap';
import { type Ask, openAsker } from './fixture/asker.ts';

let ask: Ask;

t.before(async () => {
  ask = await openAsker(
    t,
    `CREATE TABLE shops (id int PRIMARY KEY);
     CREATE TABLE sales (id int PRIMARY KEY, shop int REFERENCES shops, kind text, price int,
       moment timestamp);
     CREATE TABLE amounts (id int PRIMARY KEY, kind text, exact numeric, double float8, single real);
     CREATE TABLE events (id int PRIMARY KEY, data jsonb);
     INSERT INTO events VALUES (1, '{"a": {"b": 2}}'), (2, '{"a": {"b": 2}}'), (3, NULL);
     INSERT INTO shops VALUES (1);
     INSERT INTO sales VALUES (1, 1, 'b', 5, '2024-01-01 10:20:59.999'), (2, 1, 'a', NULL, NULL),
       (3, 1, 'c', 5, NULL), (4, 1, 'd', 9, NULL)`,
  );
});

t.test('groups with equal order values are ordered by the group values', async (t) => {
  const query = { aggregate: { sum: ['price'] }, groupBy: ['kind'], sort: ['-sum.price'] };
  t.strictSame(await ask('sales', { ...query, filter: { price: { _nnull: true } } }), [
    { kind: 'd', sum: { price: '9' } },
    { kind: 'b', sum: { price: '5' } },
    { kind: 'c', sum: { price: '5' } },
  ]);
});

t.test('items are grouped by a value in a document', async (t) => {
  const groupBy = ['json(data, a.b)'];
  t.strictSame(await ask('events', { aggregate: { count: '*' }, groupBy }), [
    { data_a_b_json: 2, count: '2' },
    { data_a_b_json: null, count: '1' },
  ]);
});

t.test('groups of related items sort nulls last in both directions', async (t) => {
  for (const [sort, kinds] of [
    ['sum.price', ['b', 'c', 'd', 'a']],
    ['-sum.price', ['d', 'b', 'c', 'a']],
  ] as const) {
    const deep = { sales: { _aggregate: { sum: ['price'] }, _group: ['kind'], _sort: [sort] } };
    t.match(await ask('shops', { fields: ['sales'], deep }), [
      { sales: kinds.map((kind) => ({ kind })) },
    ]);
  }
});

t.test('totals beyond the range of their type are infinite, not failures', async (t) => {
  await ask.pool.query(`INSERT INTO amounts VALUES
    (1, 'usual', 0.1, 0.1, 0.1), (2, 'usual', 0.2, 0.2, 0.2), (3, 'empty', NULL, NULL, NULL),
    (4, 'large', 9e131071, 1e308, 3e38), (5, 'large', 9e131071, 1e308, 3e38),
    (6, 'low', -9e131071, -1e308, -3e38), (7, 'low', -9.1e131071, -1.1e308, -3.1e38),
    (8, 'both', 9e131071, 1e308, 3e38), (9, 'both', -9e131071, -1e308, -3e38),
    (10, 'square', 1, 1e160, 1), (11, 'square', 1, 1, 1)`);
  const fields = ['exact', 'double', 'single'];
  const aggregate = { sum: fields, avg: fields, sumDistinct: fields, avgDistinct: fields };
  const found = await ask('amounts', { aggregate, groupBy: ['kind'], sort: ['kind'] });
  t.match(found, [
    { kind: 'both', sum: { exact: 'NaN', double: 'NaN', single: 0 } },
    { kind: 'empty', sum: { exact: null, double: null, single: null } },
    {
      kind: 'large',
      sum: { exact: 'Infinity', double: 'Infinity', single: /^6(\.|0|1|5|e)/ },
      avg: { exact: 'Infinity', double: 'Infinity' },
      sumDistinct: { exact: 'Infinity', double: 'Infinity', single: 3e38 },
    },
    { kind: 'low', avgDistinct: { exact: '-Infinity', double: '-Infinity' } },
    { kind: 'square', sum: { exact: '2', double: 1e160, single: 2 }, avg: { double: 'Infinity' } },
    { kind: 'usual', sum: { exact: '0.3', single: 0.3 }, avg: { exact: /^0\.150*$/ } },
  ]);
});

t.test('a second is never rounded up to sixty', async (t) => {
  t.match(await ask('sales', { fields: ['second(moment)'], limit: 1 }), [{ moment_second: '59' }]);
  const filter = { 'second(moment)': { _eq: 59 } };
  t.strictSame(await ask('sales', { fields: ['id'], filter }), [{ id: 1 }]);
});
