/**
 * Rows that grow too large are rejected before PostgreSQL builds their text; other rows are
 * unaffected.
 */
import t from 'tap';
import { ALL_GRANTS } from '#core/access/grants.ts';
import { DEFAULT_LIMITS, type QueryLimits } from '#core/base/config/query-limits.ts';
import { isLargePage, translateFailure } from '#core/database/failure.ts';
import type { Parameters } from '#core/query/parse/parameter.ts';
import { type Ask, openAsker } from './fixture/asker.ts';

const answerSize = 1_000_000;
const limits = { ...DEFAULT_LIMITS, answerSize };
let ask: Ask;

t.before(async () => {
  ask = await openAsker(
    t,
    `CREATE TABLE parents (id int PRIMARY KEY, name text);
     CREATE TABLE kids (id int PRIMARY KEY, parent int REFERENCES parents, body text, doc jsonb,
       tags text[], price numeric, raw bytea, short varchar(20));
     CREATE INDEX ON kids (parent);
     CREATE TABLE loose (id int PRIMARY KEY, parent int, body text);
     INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
       VALUES ('kids', 'parent', 'parents', 'kids'), ('loose', 'parent', 'parents', 'loose');
     INSERT INTO parents SELECT i, 'p' FROM generate_series(1, 4) i;
     INSERT INTO kids SELECT i, 1, repeat('x', 100000) FROM generate_series(1, 30) i;
     INSERT INTO kids VALUES (31, 2, '"\\', jsonb_build_object('a', repeat('y', 400000)),
       ARRAY[repeat('z', 300000)], 1e5000, '\\x0102', 'short');
     INSERT INTO kids (id, parent) VALUES (32, 3);
     INSERT INTO loose SELECT i, 1, repeat('x', 100000) FROM generate_series(1, 30) i`,
  );
});

interface OutcomeOptions {
  readonly form?: 'page' | 'rows' | 'whole';
  readonly bounds?: QueryLimits;
  readonly key?: string;
}

/** The message of a rejection; the number of items without one. */
async function outcome(
  collection: string,
  parameters: Parameters,
  { form = 'page', bounds = limits, ...one }: OutcomeOptions = {},
): Promise<unknown> {
  try {
    const found = await ask(collection, parameters, {}, ALL_GRANTS, {
      limits: bounds,
      form,
      ...one,
    });
    return Array.isArray(found) ? found.length : found;
  } catch (error) {
    if (isLargePage(error)) return 'large page';
    const { code, details } = Object(translateFailure(error));
    return [code, details.variable, details.limit];
  }
}

const REFUSED = ['INVALID_QUERY', 'ANSWER_MAX_SIZE', answerSize];
const alias = (count: number, name: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, name]));

for (const form of ['rows', 'whole'] as const) {
  t.test(`one item is limited: ${form}`, async (t) => {
    const filter = { id: { _eq: 1 } };
    t.equal(await outcome('kids', { filter, alias: alias(9, 'body'), fields: '*' }, { form }), 1);
    const many = { filter, alias: alias(60, 'body'), fields: 'id,*' };
    t.strictSame(await outcome('kids', many, { form }), REFUSED);
    for (const [name, count] of [
      ['doc', 3],
      ['tags', 4],
    ] as const) {
      const query = { filter: { id: { _eq: 31 } }, alias: alias(count, name), fields: '*' };
      t.strictSame(await outcome('kids', query, { form }), REFUSED, name);
      const one = { filter: { id: { _eq: 31 } }, fields: name };
      t.equal(await outcome('kids', one, { form }), 1, `one ${name}`);
    }
  });

  t.test(`lists inside an item are limited: ${form}`, async (t) => {
    const two = { filter: { id: { _in: [2, 3] } }, fields: '*,kids.*' };
    t.equal(await outcome('parents', two, { form }), 2);
    for (const name of ['kids', 'loose']) {
      const query = { fields: `*,${name}.*`, deep: { [name]: { _limit: 2 } } };
      t.equal(await outcome('parents', query, { form }), 4, `few of ${name}`);
      for (const _limit of [30, -1]) {
        const all = { fields: `*,${name}.*`, deep: { [name]: { _limit } } };
        t.strictSame(await outcome('parents', all, { form }), REFUSED, `${name} ${_limit}`);
      }
    }
    const around = { fields: 'kids.parent.kids.parent.kids.body', deep: {} };
    t.strictSame(await outcome('parents', around, { form }), REFUSED, 'back and forth');
  });
}

t.test('all items of a whole share a limit, those of a stream have one each', async (t) => {
  const query = { fields: 'id,body', limit: 30 };
  t.strictSame(await outcome('kids', query, { form: 'whole' }), REFUSED);
  t.strictSame(await outcome('kids', { ...query, limit: 8 }, { form: 'whole' }), 8);
  t.equal(await outcome('kids', query, { form: 'rows' }), 30);
  const nested = { fields: 'id,parent.kids.body', deep: { parent: { kids: { _limit: 5 } } } };
  t.equal(await outcome('kids', nested, { form: 'rows' }), 32, 'counted separately for each');
});

t.test('a large item is read by another statement, and limited', async (t) => {
  const item = async (key: string, parameters: Parameters, bounds = limits) => {
    const found = await outcome('kids', parameters, { key, bounds });
    return Array.isArray(found) ? found : JSON.stringify(found).length;
  };
  const query = (count: number) => ({ alias: alias(count, 'doc'), fields: '*' });
  t.equal(await item('32', { fields: 'id,body' }), '{"id":32,"body":null}'.length);
  t.equal(await item('404', {}), 'null'.length);
  t.equal(await item('31', { fields: 'doc' }), 400_000 + '{"doc":{"a":""}}'.length);
  t.ok(Number(await item('31', { ...query(1), fields: 'a0,doc' })) > 800_000);
  for (let time = 0; time < 2; time += 1) {
    t.strictSame(await item('31', query(3)), REFUSED, 'also when it is known to be large');
  }
  const lists = { fields: 'id,parent.kids.body', deep: { parent: { kids: { _limit: 5 } } } };
  t.ok(Number(await item('1', lists)) > 500_000);
  t.strictSame(await item('1', { ...lists, deep: { parent: { kids: { _limit: -1 } } } }), REFUSED);
});

t.test('a page fails on large rows', async (t) => {
  t.equal(await outcome('kids', { fields: 'id,body', limit: 100 }), 'large page');
  t.equal(await outcome('kids', { fields: 'id,short,price', limit: 100 }), 32);
  t.equal(await outcome('kids', { groupBy: 'body', aggregate: { count: '*' } }), 'large page');
  t.equal(await outcome('kids', { aggregate: { max: 'body' }, groupBy: 'id' }), 'large page');
});

t.test('rows below the limit are read unchanged', async (t) => {
  const found = await ask('kids', {
    filter: { id: { _in: [31, 32] } },
    fields: 'id,body,price,raw,short,same',
    alias: { same: 'body' },
    sort: 'id',
  });
  t.match(found, [
    { id: 31, body: '"\\', raw: { data: [1, 2] }, short: 'short', same: '"\\' },
    { id: 32, body: null, price: null, raw: null, short: null, same: null },
  ]);
});

t.test('list items are counted if their limits multiply to too many', async (t) => {
  const bounds = { ...DEFAULT_LIMITS, nestedItems: 100 };
  const count = async (form: 'page' | 'rows' | 'whole', parameters: Parameters) =>
    outcome('parents', { sort: 'id', ...parameters }, { form, bounds });
  const refused = ['INVALID_QUERY', 'QUERY_MAX_NESTED_ITEMS', 100];
  const deep = (_limit: number) => ({ kids: { _limit }, loose: { _limit } });
  for (const form of ['page', 'rows', 'whole'] as const) {
    for (const name of ['kids', 'loose']) {
      for (const limit of [40, -1]) {
        const query = { fields: `id,${name}.id`, deep: deep(limit) };
        t.equal(await count(form, query), 4, `${form} ${name} ${limit}`);
      }
    }
    for (const name of ['kids', 'loose']) {
      const fields = `id,kids.id,kids.parent.${name}.id`;
      const query = { fields, deep: { kids: { _limit: 9, parent: deep(40) } } };
      // Lists that are read at once are read once for each parent, however often it is shown.
      const most = form === 'page' ? 'large page' : refused;
      const expected = name === 'loose' ? 4 : most;
      t.strictSame(await count(form, query), expected, `${form} ${name} of kids`);
    }
  }
  const each = { fields: 'id,parent.kids.id', deep: { parent: { kids: { _limit: -1 } } } };
  t.equal(await outcome('kids', each, { form: 'rows', bounds }), 32, 'for each row of a stream');
  t.equal(await outcome('kids', each, { bounds }), 'large page', 'a page is read row by row');
});
