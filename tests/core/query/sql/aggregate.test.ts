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
     CREATE TABLE events (id int PRIMARY KEY, data jsonb);
     INSERT INTO events VALUES (1, '{"a": {"b": 2}}'), (2, '{"a": {"b": 2}}'), (3, NULL);
     INSERT INTO shops VALUES (1);
     INSERT INTO sales VALUES (1, 1, 'b', 5, '2024-01-01 10:20:59.999'), (2, 1, 'a', NULL, NULL),
       (3, 1, 'c', 5, NULL), (4, 1, 'd', 9, NULL)`,
  );
});

t.test('groups that an order leaves equal are ordered by what they share', async (t) => {
  const query = { aggregate: { sum: ['price'] }, groupBy: ['kind'], sort: ['-sum.price'] };
  t.strictSame(await ask('sales', { ...query, filter: { price: { _nnull: true } } }), [
    { kind: 'd', sum: { price: '9' } },
    { kind: 'b', sum: { price: '5' } },
    { kind: 'c', sum: { price: '5' } },
  ]);
});

t.test('items are grouped by what stands in a document', async (t) => {
  const groupBy = ['json(data, a.b)'];
  t.strictSame(await ask('events', { aggregate: { count: '*' }, groupBy }), [
    { data_a_b_json: 2, count: '2' },
    { data_a_b_json: null, count: '1' },
  ]);
});

t.test('groups of related items have nulls last in both directions', async (t) => {
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

t.test('a second is never rounded up to sixty', async (t) => {
  t.match(await ask('sales', { fields: ['second(moment)'], limit: 1 }), [{ moment_second: '59' }]);
  const filter = { 'second(moment)': { _eq: 59 } };
  t.strictSame(await ask('sales', { fields: ['id'], filter }), [{ id: 1 }]);
});
