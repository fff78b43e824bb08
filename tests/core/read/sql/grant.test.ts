// @quick
/** Every clause can use only the fields and rows that the caller may read. */
import t from 'tap';
import type { Grant, Grants } from '#core/access/grants.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import type { Parameters } from '#core/query/parse/parameter.ts';
import type { Filter } from '#core/query/query.ts';
import { type Ask, openAsker } from './fixture/asker.ts';

const SETUP = `
  CREATE TABLE owners (id int PRIMARY KEY, name text, hidden text);
  CREATE TABLE things (id int PRIMARY KEY, owner int REFERENCES owners(id), name text,
    hidden text, secret int, born date, public boolean);
  CREATE INDEX ON things (owner);
  INSERT INTO owners VALUES (1, 'Ada', 'x'), (2, 'Bob', 'y');
  INSERT INTO things VALUES (1, 1, 'one', 'a', 3, '2024-01-01', true),
    (2, 1, 'two', 'b', 2, '2023-01-01', false), (3, 2, 'three', 'c', 1, '2022-01-01', true);
  INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
    VALUES ('things', 'owner', 'owners', 'things');
  INSERT INTO system_fields (collection, field, special) VALUES ('owners', 'things', 'o2m');`;

function rule(filter: unknown): Filter {
  return parseFilter(filter, 'rule');
}

function grants(entries: Readonly<Record<string, Grant>>): Grants {
  return { of: (collection) => entries[collection] ?? null };
}

const ALL_OWNERS: Grant = [{ fields: null, rule: null }];

/** All things, but not all of their fields. */
const SOME_FIELDS = grants({
  owners: ALL_OWNERS,
  things: [{ fields: new Set(['id', 'name', 'owner', 'born']), rule: null }],
});

/**
 * Visibility of names: those of public things are visible to all callers, all others to no caller.
 */
const BY_ROW = grants({
  owners: ALL_OWNERS,
  things: [
    { fields: new Set(['id', 'owner']), rule: null },
    { fields: new Set(['name', 'secret', 'born']), rule: rule({ public: { _eq: true } }) },
  ],
});

let ask: Ask;
t.before(async () => {
  ask = await openAsker(t, SETUP);
});

async function refusal(collection: string, parameters: Parameters, given: Grants) {
  try {
    await ask(collection, parameters, {}, given);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  return null;
}

t.test('a field without permission is forbidden in every clause, by name and place', async (t) => {
  const clauses: readonly [string, Parameters][] = [
    ['things', { fields: 'hidden' }],
    ['things', { fields: 'year(secret)' }],
    ['things', { filter: { hidden: { _eq: 'a' } } }],
    ['things', { filter: { _or: [{ id: 1 }, { hidden: { _nnull: true } }] } }],
    ['things', { sort: 'hidden' }],
    ['things', { sort: '-secret' }],
    ['things', { aggregate: { max: 'secret' } }],
    ['things', { aggregate: { count: 'hidden' } }],
    ['things', { groupBy: 'hidden', aggregate: { count: '*' } }],
    ['things', { alias: { x: 'hidden' }, fields: 'x' }],
    ['owners', { fields: 'things.hidden' }],
    ['owners', { filter: { things: { hidden: { _eq: 'a' } } } }],
    ['owners', { filter: { things: { _none: { hidden: { _eq: 'a' } } } } }],
    ['owners', { fields: 'things.id', deep: { things: { _filter: { hidden: 'a' } } } }],
    ['owners', { fields: 'things.id', deep: { things: { _sort: 'hidden' } } }],
    ['owners', { sort: 'things.hidden' }],
    ['owners', { sort: '-things.secret' }],
    ['owners', { sort: 'things.owner.things.hidden' }],
    ['owners', { fields: 'things.id', deep: { things: { _aggregate: { min: 'secret' } } } }],
    ['owners', { fields: 'things.id', deep: { things: { _fields: 'hidden' } } }],
    ['owners', { fields: 'things.x', deep: { things: { _alias: { x: 'hidden' } } } }],
  ];
  for (const [collection, parameters] of clauses) {
    const error = await refusal(collection, parameters, SOME_FIELDS);
    t.equal(error?.code, 'FORBIDDEN', JSON.stringify(parameters));
    t.match(error?.message, /"(hidden|secret)"/, 'the field is named');
  }
});

t.test('wildcards select only permitted fields', async (t) => {
  t.strictSame(await ask('things', { fields: '*', limit: 1 }, {}, SOME_FIELDS), [
    { id: 1, owner: 1, name: 'one', born: '2024-01-01' },
  ]);
  t.strictSame(await ask('owners', { fields: 'things.*', limit: 1 }, {}, SOME_FIELDS), [
    {
      things: [
        { id: 1, owner: 1, name: 'one', born: '2024-01-01' },
        { id: 2, owner: 1, name: 'two', born: '2023-01-01' },
      ],
    },
  ]);
});

t.test('search ignores fields without permission', async (t) => {
  t.strictSame(await ask('things', { search: 'one', fields: 'id' }, {}, SOME_FIELDS), [{ id: 1 }]);
  t.strictSame(await ask('things', { search: 'b', fields: 'id' }, {}, SOME_FIELDS), []);
});

t.test('a field permitted on some rows is null on the others, in every clause', async (t) => {
  const see = (parameters: Parameters) => ask('things', parameters, {}, BY_ROW);
  t.strictSame(await see({ fields: 'id,name' }), [
    { id: 1, name: 'one' },
    { id: 2, name: null },
    { id: 3, name: 'three' },
  ]);
  const ids = async (parameters: Parameters) => {
    const found = await see({ ...parameters, fields: 'id' });
    return Array.isArray(found) ? found.map(({ id }) => id) : found;
  };
  t.strictSame(await ids({ filter: { name: { _eq: 'two' } } }), []);
  t.strictSame(await ids({ filter: { name: { _neq: 'one' } } }), [3]);
  t.strictSame(await ids({ filter: { name: { _null: true } } }), [2]);
  t.strictSame(await ids({ filter: { name: { _ncontains: 'o' } } }), [3]);
  t.strictSame(await ids({ filter: { name: { _empty: true } } }), [2]);
  t.strictSame(await ids({ filter: { 'year(born)': { _lt: 2024 } } }), [3]);
  t.strictSame(await ids({ search: 'two' }), []);
  t.strictSame(await ids({ sort: 'secret' }), [3, 1, 2]);
  // The secret of the second thing sorts between the others, and is hidden.
  const owners = await ask('owners', { sort: '-things.secret', fields: 'id' }, {}, BY_ROW);
  t.strictSame(owners, [{ id: 1 }, { id: 2 }]);
  const smallest = await ask('owners', { sort: 'things.secret', fields: 'id' }, {}, BY_ROW);
  t.strictSame(smallest, [{ id: 2 }, { id: 1 }]);
  t.strictSame(await see({ aggregate: { sum: 'secret', count: 'name' } }), [
    { sum: { secret: '4' }, count: { name: '2' } },
  ]);
  t.strictSame(await see({ groupBy: 'name', aggregate: { count: '*' } }), [
    { name: 'one', count: '1' },
    { name: 'three', count: '1' },
    { name: null, count: '1' },
  ]);
});

t.test('rows outside the rule are hidden, at any depth', async (t) => {
  const given = grants({
    owners: [{ fields: null, rule: rule({ id: { _eq: 1 } }) }],
    things: [{ fields: null, rule: rule({ public: { _eq: true } }) }],
  });
  const see = (collection: string, parameters: Parameters) =>
    ask(collection, parameters, {}, given);
  t.strictSame(await see('things', { fields: 'id,owner.name' }), [
    { id: 1, owner: { name: 'Ada' } },
    { id: 3, owner: null },
  ]);
  t.strictSame(await see('owners', { fields: 'id,things,count(things)' }), [
    { id: 1, things: [1], things_count: '1' },
  ]);
  t.strictSame(await see('owners', { filter: { things: { name: 'two' } }, fields: 'id' }), []);
  t.strictSame(await see('things', { filter: { owner: { name: 'Bob' } }, fields: 'id' }), []);
  t.equal((await refusal('things', { meta: 'estimated_count' }, given))?.code, 'FORBIDDEN');
  t.strictSame(await see('things', { aggregate: { count: '*' } }), [{ count: '2' }]);
  t.strictSame(await see('things', { sort: '-owner.name', fields: 'id' }), [{ id: 3 }, { id: 1 }]);
  // Of the first owner only thing 1 is seen, whose secret is 3 and not the smallest.
  const open = grants({ owners: ALL_OWNERS, things: given.of('things') ?? ALL_OWNERS });
  for (const [sort, ids] of [
    ['things.secret', [2, 1]],
    ['-things.secret', [1, 2]],
    ['-things.owner.things.secret', [1, 2]],
  ] as const) {
    t.strictSame(
      await ask('owners', { sort, fields: 'id' }, {}, open),
      ids.map((id) => ({ id })),
      sort,
    );
  }
});

t.test('a relation permitted on some rows is null on the others', async (t) => {
  const given = grants({
    things: ALL_OWNERS,
    owners: [
      { fields: new Set(['id']), rule: null },
      { fields: new Set(['things']), rule: rule({ id: { _eq: 2 } }) },
    ],
  });
  const see = (parameters: Parameters) => ask('owners', parameters, {}, given);
  t.strictSame(await see({ fields: 'id,things' }), [
    { id: 1, things: null },
    { id: 2, things: [3] },
  ]);
  t.strictSame(await see({ fields: 'things.name,count(things)' }), [
    { things: null, things_count: null },
    { things: [{ name: 'three' }], things_count: '1' },
  ]);
  t.strictSame(await see({ filter: { things: { id: { _gt: 0 } } }, fields: 'id' }), [{ id: 2 }]);
  t.strictSame(await see({ filter: { things: { _none: { id: 99 } } }, fields: 'id' }), [{ id: 2 }]);
  // The value of the first owner is hidden, so it sorts last.
  for (const sort of ['things.id', '-things.id', 'things.year(born)']) {
    t.strictSame(await see({ sort, fields: 'id' }), [{ id: 2 }, { id: 1 }], sort);
  }
});

t.test('a collection without permission does not exist', async (t) => {
  const given = grants({ things: [{ fields: null, rule: null }] });
  t.equal((await refusal('owners', {}, given))?.code, 'FORBIDDEN');
  t.equal((await refusal('things', { fields: 'owner.name' }, given))?.code, 'FORBIDDEN');
  t.equal(
    (await refusal('things', { filter: { owner: { name: 'Ada' } } }, given))?.code,
    'FORBIDDEN',
  );
  t.equal((await refusal('things', { sort: 'owner.name' }, given))?.code, 'FORBIDDEN');
  t.strictSame(await ask('things', { fields: 'id,*.*', limit: 1 }, {}, given), [
    { id: 1, owner: 1, name: 'one', hidden: 'a', secret: 3, born: '2024-01-01', public: true },
  ]);
});

t.test('a list cannot be compared by a hidden key', async (t) => {
  const given = grants({
    owners: ALL_OWNERS,
    things: [{ fields: new Set(['name']), rule: null }],
  });
  const error = await refusal('owners', { filter: { things: { _eq: 1 } } }, given);
  t.equal(error?.code, 'FORBIDDEN');
  t.match(error?.message, /"id"/);
});
