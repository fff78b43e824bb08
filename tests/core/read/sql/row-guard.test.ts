/** Rules that read other tables are computed once per row, for any number of guarded fields. */
import t from 'tap';
import { ANONYMOUS, type Grants } from '#core/access/grants.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import { type Parameters, parseQuery } from '#core/query/parse/parameter.ts';
import { compilePage } from '#core/read/sql/compile.ts';
import { BOUNDS, catalog } from '../plan/fixture/shop.ts';
import { openAsker } from './fixture/asker.ts';

/** All callers may read keys and links; further fields only where the rule holds. */
function grantsOf(fields: readonly string[], rule: unknown): Grants {
  const all = { fields: null, rule: null };
  const some = { fields: new Set(['id', 'owner', 'thing', 'things']), rule: null };
  const further = { fields: new Set(fields), rule: parseFilter(rule, 'rule') };
  return { of: (name) => (name === 'things' ? [some, further] : [all]) };
}

const FIELDS = ['name', 'size', 'words'];

function textOf(rule: unknown): string {
  const target = { catalog, bounds: BOUNDS, caller: ANONYMOUS, collection: 'things' };
  const query = parseQuery({ fields: ['id', ...FIELDS].join() }, BOUNDS);
  return compilePage({ ...target, grants: grantsOf(FIELDS, rule) }, query).text;
}

t.test('a rule on another table occurs once in a statement', async (t) => {
  const rule = { owner: { name: { _eq: 'Ann' } } };
  const text = textOf(rule);
  t.equal(text.split('"public"."owners"').length - 1, 1);
  t.match(text, /LIMIT .* AS t1 CROSS JOIN LATERAL \(SELECT .* AS g1 OFFSET 0\) AS s1/);
  const either = textOf({ _or: [rule, { size: { _gt: 1 } }] });
  t.equal(either.split('"public"."owners"').length - 1, 1);
});

t.test('a rule on the row itself is repeated, which is faster', async (t) => {
  const text = textOf({ size: { _gt: 1 } });
  t.notMatch(text, /LATERAL/);
  t.equal(text.split('"t1"."size" > $').length - 1, 3);
});

t.test('the result is the same for both', async (t) => {
  const ask = await openAsker(
    t,
    `CREATE TABLE owners (id int PRIMARY KEY, name text);
     CREATE TABLE things (id int PRIMARY KEY, owner int REFERENCES owners, name text, size int,
       position int);
     CREATE TABLE loose (id int PRIMARY KEY, thing int, text text);
     INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
       VALUES ('things', 'owner', 'owners', 'things'), ('loose', 'thing', 'things', 'loose');
     INSERT INTO owners VALUES (1, 'Ann'), (2, 'Bob');
     INSERT INTO things SELECT i, 1 + i % 2, 'thing ' || i, i, 10 - i FROM generate_series(1, 6) i;
     INSERT INTO loose SELECT i, i, 'loose ' || i FROM generate_series(1, 6) i`,
  );
  const rule = { owner: { name: { _eq: 'Ann' } } };
  const grants = grantsOf(['name', 'size', 'position', 'loose'], rule);
  const find = (collection: string, query: Parameters, key?: string) =>
    ask(collection, query, {}, grants, key === undefined ? {} : { key });
  const fields = 'id,name,size,position';
  const seen = (id: number) => ({ id, name: `thing ${id}`, size: id, position: 10 - id });
  const hidden = (id: number) => ({ id, name: null, size: null, position: null });
  t.strictSame(await find('things', { fields, sort: '-id', limit: 2, offset: 1 }), [
    hidden(5),
    seen(4),
  ]);
  t.strictSame(await find('things', { fields, sort: 'position', limit: 3 }), [
    seen(6),
    seen(4),
    seen(2),
  ]);
  t.strictSame(await find('things', { fields }, '3'), hidden(3));
  t.strictSame(await find('things', { fields }, '4'), seen(4));
  const nested = { fields: 'things.id,things.name,things.size,things.position' };
  t.strictSame(await find('owners', nested, '1'), { things: [seen(2), seen(4), seen(6)] });
  t.strictSame(await find('owners', nested, '2'), { things: [hidden(1), hidden(3), hidden(5)] });
  const loose = { fields: `${fields},loose.text`, limit: 2, sort: 'id' };
  t.strictSame(await find('things', loose), [
    { ...hidden(1), loose: null },
    { ...seen(2), loose: [{ text: 'loose 2' }] },
  ]);
});
