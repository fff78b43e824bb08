// A concealed column that refers to other items tells no more than any other concealed column:
// whether it is set. Two databases that differ in nothing but what it holds answer alike.
import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Parameters } from '#core/query/parse/parameter.ts';
import { type Ask, openAsker } from '#tests/core/read/sql/fixture/asker.ts';
import { openWriter } from '#tests/core/write/relational/writer.ts';

/** @param a and b are the keys that the concealed columns hold, one way or the other */
const setup = (a: number, b: number) => `
  CREATE TABLE owners (id int PRIMARY KEY, name text);
  CREATE TABLE tags (id int PRIMARY KEY, name text);
  CREATE TABLE things (id int PRIMARY KEY, owner int REFERENCES owners, name text, place int);
  CREATE INDEX ON things (owner);
  CREATE TABLE pairs (id int PRIMARY KEY, thing int REFERENCES things, tag int REFERENCES tags);
  CREATE TABLE blocks (id int PRIMARY KEY, thing int REFERENCES things, item text, kind text);
  CREATE TABLE words (id int PRIMARY KEY, thing int REFERENCES things, item text, kind text);
  INSERT INTO owners VALUES (1, 'Ada'), (2, 'Bob');
  INSERT INTO tags VALUES (1, 'red'), (2, 'blue');
  INSERT INTO things VALUES (1, ${a}, 'one', ${a}), (2, ${b}, 'two', ${b}), (3, NULL, 'none', 9);
  INSERT INTO pairs VALUES (1, 1, ${a}), (2, 2, ${b});
  INSERT INTO blocks VALUES (1, 1, '${a}', 'owners'), (2, 2, '${b}', 'owners');
  INSERT INTO words VALUES (1, 1, '1', '${a === 1 ? 'owners' : 'tags'}');
  INSERT INTO system_collections (collection, sort_field) VALUES ('things', 'place');
  INSERT INTO system_relations (many_collection, many_field, one_collection, one_field,
      one_collection_field, one_allowed_collections, junction_field, sort_field) VALUES
    ('things', 'owner', 'owners', 'things', NULL, NULL, NULL, 'place'),
    ('pairs', 'thing', 'things', 'tags', NULL, NULL, 'tag', NULL),
    ('pairs', 'tag', 'tags', 'things', NULL, NULL, 'thing', NULL),
    ('blocks', 'thing', 'things', 'blocks', NULL, NULL, 'item', 'place'),
    ('blocks', 'item', NULL, NULL, 'kind', 'owners,tags', 'thing', NULL),
    ('words', 'thing', 'things', 'words', NULL, NULL, 'item', NULL),
    ('words', 'item', NULL, NULL, 'kind', 'owners,tags', 'thing', NULL);
  INSERT INTO system_fields (collection, field, special) VALUES
    ('owners', 'things', 'o2m'), ('things', 'tags', 'm2m'), ('tags', 'things', 'm2m'),
    ('things', 'blocks', 'm2a'), ('things', 'words', 'm2a'),
    ('things', 'owner', 'm2o,conceal'), ('things', 'place', 'conceal'),
    ('pairs', 'tag', 'm2o,hash'), ('blocks', 'item', 'conceal'), ('words', 'kind', 'conceal');`;

let asks: Ask[];
t.before(async () => {
  asks = [await openAsker(t, setup(1, 2)), await openAsker(t, setup(2, 1))];
});

/** What each of the databases answers, or how it refuses. */
function answers(collection: string, parameters: Parameters): Promise<string[]> {
  return Promise.all(
    asks.map(async (ask) => {
      try {
        return JSON.stringify(await ask(collection, parameters));
      } catch (error) {
        if (error instanceof ServiceError) return `${error.code} ${error.message}`;
        throw error;
      }
    }),
  );
}

/** Places that lead over a concealed column, with a field behind it and a way to filter by it. */
const WAYS: readonly (readonly [string, string, object])[] = [
  ['things', 'owner', { id: { _eq: 1 } }],
  ['owners', 'things', { id: { _eq: 1 } }],
  ['pairs', 'tag', { id: { _eq: 1 } }],
  ['tags', 'things', { thing: { id: { _eq: 1 } } }],
  ['things', 'tags.tag', { id: { _eq: 1 } }],
  ['blocks', 'item:owners', { id: { _eq: 1 } }],
  ['blocks', 'item:tags', { id: { _nnull: true } }],
  ['things', 'blocks.item:owners', { name: { _eq: 'Ada' } }],
  ['words', 'item:owners', { id: { _eq: 1 } }],
  ['things', 'words.item:tags', { id: { _eq: 1 } }],
];

function nested(path: string, inner: unknown): unknown {
  return path.split('.').reduceRight<unknown>((value, name) => ({ [name]: value }), inner);
}

t.test('no clause leads over a concealed column', async (t) => {
  for (const [collection, path, condition] of WAYS) {
    const [head = ''] = path.split('.');
    const last = path.split('.').at(-1) ?? '';
    const before = path.includes('.') ? `${head}.` : '';
    const inner = before === '' ? condition : { [last]: condition };
    const clauses: Record<string, Parameters> = {
      fields: { fields: `id,${path}.id` },
      all: { fields: `id,${path}.*` },
      filter: { filter: JSON.stringify(nested(path, condition)) },
      not: { filter: JSON.stringify({ _or: [nested(path, condition), { id: { _eq: 9 } }] }) },
      some: { filter: JSON.stringify({ [head]: { _some: inner } }) },
      none: { filter: JSON.stringify({ [head]: { _none: inner } }) },
      sort: { sort: `${path}.name` },
      descending: { sort: `-${path}.id`, fields: 'id', limit: '1' },
      count: { fields: `id,count(${head})`, filter: JSON.stringify(nested(path, condition)) },
      group: { groupBy: path, aggregate: JSON.stringify({ count: '*' }) },
      alias: {
        alias: JSON.stringify({ x: head }),
        fields: `id,x.${path.slice(head.length + 1)}.id`,
      },
    };
    for (const [name, parameters] of Object.entries(clauses)) {
      const [one = '', other] = await answers(collection, parameters);
      t.equal(one, other, `${collection} ${path} ${name}`);
      t.match(one, /^(?:FORBIDDEN|INVALID_QUERY) /, `${collection} ${path} ${name}`);
    }
  }
});

/** Questions that name no hidden thing, so that nothing refuses them. */
const ANSWERED = new Set(['all', 'two levels', 'three levels', 'by default', 'the first']);

t.test('what goes by itself is the same whatever they hold', async (t) => {
  const queries: Record<string, Parameters> = {
    all: { fields: '*' },
    'two levels': { fields: '*.*' },
    'three levels': { fields: '*.*.*' },
    'by default': {},
    'the first': { limit: '1', fields: 'id' },
    lists: { fields: 'id,things,tags,blocks.*' },
    deep: { fields: '*', deep: JSON.stringify({ owner: { _fields: ['name'] } }) },
    'deep filter': {
      fields: '*.*',
      deep: JSON.stringify({ things: { _filter: { id: { _eq: 1 } } } }),
    },
    'deep sort': { fields: '*.*', deep: JSON.stringify({ tags: { _sort: ['tag.name'] } }) },
    'a search': { search: '1' },
    set: { filter: JSON.stringify({ owner: { _null: true } }), fields: 'id' },
    'not set': { filter: JSON.stringify({ owner: { _nnull: true } }), fields: 'id' },
    equal: { filter: JSON.stringify({ owner: { _eq: 1 } }) },
    among: { filter: JSON.stringify({ owner: { _in: [1] } }) },
    empty: { filter: JSON.stringify({ things: { _null: true } }) },
    counted: { aggregate: JSON.stringify({ count: 'owner' }) },
    'counted apart': { aggregate: JSON.stringify({ countDistinct: 'owner' }) },
    least: { aggregate: JSON.stringify({ min: 'owner' }) },
    grouped: { groupBy: 'owner', aggregate: JSON.stringify({ count: '*' }) },
    sorted: { sort: 'owner' },
    'counted lists': { fields: 'id,count(things)' },
    'sorted by lists': { sort: '-count(things)' },
  };
  for (const [name, parameters] of Object.entries(queries)) {
    for (const collection of ['things', 'owners', 'tags', 'pairs', 'blocks', 'words']) {
      const [one = '', other] = await answers(collection, parameters);
      t.equal(one, other, `${collection} ${name}`);
      if (ANSWERED.has(name)) t.match(one, /^\[/, `${collection} ${name} is answered`);
    }
  }
});

t.test(
  'no list is written over a concealed column, which would tell whose items they are',
  async (t) => {
    const writer = await openWriter(t, setup(1, 2));
    for (const things of [[], [1], { delete: [1] }, { update: [{ id: 1, name: 'x' }] }, null]) {
      const refusal = writer.update('owners', [2], { things });
      await t.rejects(refusal, { code: 'FORBIDDEN' }, JSON.stringify(things));
    }
    await t.rejects(writer.create('owners', { id: 3, things: [{ id: 9 }] }), { code: 'FORBIDDEN' });
    await t.rejects(writer.createAtOnce('owners', { id: 3, things: [{ id: 9 }] }), {
      code: 'FORBIDDEN',
    });
    // The column itself is written like any other.
    await writer.update('things', [1], { owner: 2 });
    await writer.create('things', { id: 4, owner: { id: 4, name: 'new' } });
    const rows = await writer.sql('SELECT id, owner FROM things WHERE id IN (1, 4) ORDER BY id');
    t.strictSame(rows, [
      { id: 1, owner: 2 },
      { id: 4, owner: 4 },
    ]);
  },
);
