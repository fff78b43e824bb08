/** Questions that the grammar takes and every limit allows are no faults of the server. */
import t from 'tap';
import { type Ask, openAsker } from '../core/read/sql/fixture/asker.ts';

const COLUMNS = Array.from({ length: 120 }, (_, index) => `c${index + 1}`);

/** A column of every kind of type. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ small: 'int2', big: 'int8', amount: 'numeric', ratio: 'float8', name: 'text' },
  ...{ code: 'char(3)', day: 'date', hour: 'time', moment: 'timestamp', instant: 'timestamptz' },
  ...{ bytes: 'bytea', place: 'point', mask: 'bit(3)', address: 'inet', mood: 'mood', uid: 'uuid' },
};

let ask: Ask;

t.before(async () => {
  const typed = Object.entries(TYPES).map(([name, type]) => `${name} ${type}`);
  ask = await openAsker(
    t,
    `CREATE TYPE mood AS ENUM ('sad', 'glad');
     CREATE TABLE shops (id int PRIMARY KEY);
     CREATE TABLE sales (id int PRIMARY KEY, shop int REFERENCES shops,
       ${COLUMNS.map((name) => `${name} int DEFAULT 2`).join(', ')});
     CREATE TABLE kinds (id int PRIMARY KEY, shop int REFERENCES shops, doc jsonb,
       ${typed.join(', ')});
     INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
       VALUES ('sales', 'shop', 'shops', 'sales'), ('kinds', 'shop', 'shops', 'kinds');
     INSERT INTO shops VALUES (1);
     INSERT INTO sales VALUES (1, 1), (2, 1);
     INSERT INTO kinds (id, shop, doc, name) VALUES (1, 1, '{"a":1}', 'x'), (2, 1, NULL, NULL)`,
  );
});

t.test('aggregates of more fields than a function of PostgreSQL takes arguments', async (t) => {
  const sums = Object.fromEntries(COLUMNS.map((name) => [name, '4']));
  const counts = Object.fromEntries(COLUMNS.map((name) => [name, '2']));
  const aggregate = { sum: COLUMNS, count: COLUMNS };
  t.strictSame(await ask('sales', { aggregate }), [{ sum: sums, count: counts }]);
  t.strictSame(await ask('sales', { aggregate, groupBy: ['shop'], sort: ['-sum.c120'] }), [
    { shop: 1, sum: sums, count: counts },
  ]);
  const deep = { sales: { _aggregate: aggregate } };
  t.strictSame(await ask('shops', { fields: ['sales'], deep }), [
    { sales: [{ sum: sums, count: counts }] },
  ]);
  for (const count of [49, 50, 51, 100, 101]) {
    const fields = COLUMNS.slice(0, count);
    t.strictSame(
      await ask('sales', { aggregate: { max: fields } }),
      [{ max: Object.fromEntries(fields.map((name) => [name, 2])) }],
      `${count} fields`,
    );
  }
});

t.test('what is asked twice is answered once', async (t) => {
  const twice = Array<string>(60).fill('c1');
  t.strictSame(await ask('sales', { aggregate: { count: twice } }), [{ count: { c1: '2' } }]);
  t.strictSame(await ask('sales', { aggregate: { count: ['*', '*'] } }), [{ count: '2' }]);
  const groupBy = ['c1', 'c1'];
  t.strictSame(await ask('sales', { aggregate: { count: '*' }, groupBy }), [{ c1: 2, count: '2' }]);
});

t.test('lists that hold nothing but null match nothing, negated or not', async (t) => {
  const none: object[] = [];
  for (const name of ['id', 'shop', ...Object.keys(TYPES)]) {
    for (const list of [[null], [null, null], 'null', 'null,NULL']) {
      const place = `${name} ${JSON.stringify(list)}`;
      // Texts of a URL spell null; in a body the list holds it.
      const filter = { [name]: { _in: list } };
      const asked = typeof list === 'string' ? { filter: JSON.stringify(filter) } : { filter };
      t.strictSame(await ask('kinds', asked), none, place);
      t.strictSame(await ask('kinds', { filter: { [name]: { _nin: [null] } } }), none, place);
    }
  }
  for (const filter of [
    { doc: { _json: { a: { _in: [null] } } } },
    { shop: { id: { _in: [null] } } },
    { _and: [{ id: { _in: [null] } }, { id: { _gt: 0 } }] },
    { shop: { kinds: { _some: { id: { _in: [null] } } } } },
  ]) {
    t.strictSame(await ask('kinds', { filter }), none, JSON.stringify(filter));
  }
  const fields = ['id'];
  const two = [{ id: 1 }, { id: 2 }];
  for (const filter of [
    { _or: [{ id: { _in: [null] } }, { id: { _gt: 0 } }] },
    { id: { _in: [null, 1, 2] } },
    { shop: { kinds: { _none: { id: { _in: [null] } } } } },
  ]) {
    t.strictSame(await ask('kinds', { filter, fields }), two, JSON.stringify(filter));
  }
  const deep = { kinds: { _filter: { id: { _in: [null] } } } };
  t.strictSame(await ask('shops', { fields: ['id', 'kinds.id'], deep }), [{ id: 1, kinds: [] }]);
});

t.test('a number that would become another one is not looked for', async (t) => {
  for (const number of ['1e400', '-1e400', '9007199254740993']) {
    for (const filter of [
      `{"doc":{"_contains":${number}}}`,
      `{"doc":{"_ncontains":${number}}}`,
      `{"doc":{"_json":{"a":{"_eq":${number}}}}}`,
      `{"doc":{"_json":{"a":{"_in":[${number}]}}}}`,
      // A column of such numbers holds what JSON makes of it.
      ...(number.includes('e') ? [`{"ratio":{"_eq":${number}}}`] : []),
    ]) {
      await t.rejects(ask('kinds', { filter }), { code: 'INVALID_QUERY' }, filter);
    }
  }
});
