/** Limits are part of a statement where no other value decides how rows are best found. */
import t from 'tap';
import { ALL_GRANTS, ANONYMOUS } from '#core/access/grants.ts';
import { type Parameters, parseQuery } from '#core/query/parse/parameter.ts';
import { bindParameters } from '#core/read/plan/placeholder.ts';
import { compileItemByParameter, compilePage } from '#core/read/sql/compile.ts';
import { BOUNDS, catalog } from '../plan/fixture/shop.ts';

function valuesOf(parameters: Parameters, key: string | null = null): readonly unknown[] {
  const target = {
    ...{ catalog, bounds: BOUNDS, grants: ALL_GRANTS, caller: ANONYMOUS },
    collection: 'owners',
  };
  const query = parseQuery(parameters, BOUNDS);
  if (key === null) return compilePage(target, query).values;
  return bindParameters(compileItemByParameter(target, query, false), [key]).values;
}

const things = (_limit: number) => ({ fields: 'id,things.id', deep: { things: { _limit } } });

t.test('limits are parameters beside conditions, which determine the query plan', async (t) => {
  t.strictSame(valuesOf({ filter: { name: { _eq: 'x' } }, limit: 7 }), ['x', 7]);
  t.strictSame(valuesOf({ search: 'x', limit: 7 }), ['%x%', 7]);
  t.strictSame(valuesOf({ limit: 7, offset: 2 }), [7, 2]);
});

t.test('limits are constants without conditions', async (t) => {
  t.strictSame(valuesOf({ limit: 7 }), []);
  t.strictSame(valuesOf({ limit: 500 }), []);
  t.strictSame(valuesOf({ ...things(5), limit: 7 }), []);
  t.strictSame(valuesOf(things(5), '1'), ['1'], 'beside a key');
});

t.test('only common limits are constants, which bounds the number of statements', async (t) => {
  t.strictSame(valuesOf({ limit: 501 }), [501]);
  t.strictSame(valuesOf({ ...things(333), limit: 7 }), [333, 7]);
});
