// @newest @quick

import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { type Parameters, parseQuery } from '#core/query/parse/parameter.ts';
import type { QueryBounds } from '#core/query/query.ts';

const bounds: QueryBounds = {
  limitDefault: 100,
  limitMax: undefined,
  maxDepth: 10,
  maxJsonDepth: 10,
  maxFields: 500,
};
const parse = (parameters: Parameters) => parseQuery(parameters, bounds);

/** The reason of the INVALID_QUERY that parsing ends in. */
function reasonOf(parameters: Parameters, limitMax?: number): string {
  try {
    parseQuery(parameters, { ...bounds, limitMax });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_QUERY') {
      return String(error.details.reason?.sentence);
    }
    throw error;
  }
  return 'nothing was thrown';
}

t.test('without parameters all fields of the first 100 items are requested', async (t) => {
  const { fields, filter, sort, limit, offset } = parse({});
  t.strictSame(
    { fields, filter, sort, limit, offset },
    { fields: [['*']], filter: null, sort: [], limit: 100, offset: 0 },
  );
});

t.test('lists are comma text, JSON text, list or numbered members', async (t) => {
  const expected = [['a'], ['b', 'c'], ['json(d, x,y)']];
  for (const fields of [
    'a, b.c,json(d, x,y)',
    '["a","b.c","json(d, x,y)"]',
    ['a,b.c', 'json(d, x,y)'],
    { 0: 'a', 1: 'b.c', 2: 'json(d, x,y)' },
  ]) {
    t.strictSame(parse({ fields }).fields, expected);
  }
});

t.test('a minus reverses the order', async (t) => {
  t.strictSame(parse({ sort: '-a,b' }).sort, [
    { path: ['a'], descending: true },
    { path: ['b'], descending: false },
  ]);
});

t.test('limit, offset and page', async (t) => {
  t.equal(parse({ limit: '-1' }).limit, null);
  t.equal(parse({ limit: 0 }).limit, 0);
  t.equal(parse({ limit: '5', page: '3', offset: '1' }).offset, 10, 'page overrides offset');
  t.equal(parse({ limit: '5', page: 0 }).offset, 0);
  t.equal(parse({ limit: -1, page: 3 }).offset, 0, 'there are no pages without a limit');
  t.equal(parse({ limit: -1, page: 3, offset: 2 }).offset, 2, 'so that the offset applies');
  t.equal(parseQuery({ limit: -1 }, { ...bounds, limitMax: 50 }).limit, 50);
  t.equal(parseQuery({}, { ...bounds, limitMax: 50 }).limit, 50);
});

t.test('invalid parameters are named in the error', async (t) => {
  t.match(reasonOf({ limit: 'x' }), '"limit"');
  t.match(reasonOf({ limit: -2 }), '"limit"');
  t.match(reasonOf({ limit: 1.5 }), '"limit"');
  t.match(reasonOf({ limit: 51 }, 50), 'QUERY_LIMIT_MAX');
  t.match(reasonOf({ offset: -1 }), '"offset"');
  t.match(reasonOf({ page: 'two' }), '"page"');
  t.match(reasonOf({ fields: [1] }), '"fields"');
  t.match(reasonOf({ sort: '-' }), '"sort"');
  t.match(reasonOf({ filter: '{bad' }), '"filter" is not valid JSON');
  t.match(reasonOf({ filter: 'x' }), '"filter" must be an object');
  t.match(reasonOf({ filter: { _and: 1 } }), '"filter._and"');
  t.match(reasonOf({ filter: { _or: [1] } }), '"filter._or[0]"');
});

t.test('each part of a filter has its place', async (t) => {
  const eq = { kind: 'operation', operator: '_eq', spelled: true };
  t.strictSame(parse({ filter: '{"_or":[{"a":{"_eq":1}},{"b":2}]}' }).filter, {
    kind: 'group',
    connective: 'or',
    filters: [
      {
        kind: 'field',
        key: 'a',
        place: 'filter._or[0].a',
        filter: { ...eq, value: 1, place: 'filter._or[0].a._eq' },
      },
      {
        kind: 'field',
        key: 'b',
        place: 'filter._or[1].b',
        filter: { ...eq, value: 2, place: 'filter._or[1].b' },
      },
    ],
  });
});

t.test('JSON in a parameter is measured before it is parsed', async (t) => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":{}`);
  for (const parameter of ['filter', 'deep', 'alias']) {
    const torn = `{"a":[{${names(10_001).join()}`;
    t.match(reasonOf({ [parameter]: torn }), 'an object with more than 10000 members', parameter);
    t.match(reasonOf({ [parameter]: `${'{"a":'.repeat(300)}` }), 'nested deeper', parameter);
  }
  const texts = JSON.stringify(Array(10_001).fill(':{"a":1,\\"'));
  t.notMatch(reasonOf({ filter: `{"n":{"_in":${texts}}}` }), 'members');
});

t.test('an endlessly nested filter is rejected', async (t) => {
  let filter: unknown = { a: 1 };
  for (let depth = 0; depth < 10_000; depth += 1) filter = { _and: [filter] };
  t.match(reasonOf({ filter }), 'nested deeper');
});
