/** Plans of reads, printed: levels, relations, order, groups, rights and cost. */
import t from 'tap';
import type { Grant, Grants } from '#core/access/grants.ts';
import { DEFAULT_LIMITS } from '#core/base/config/query-limits.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import type { Parameters } from '#core/query/parse/parameter.ts';
import type { Filter } from '#core/query/query.ts';
import { BOUNDS, planned } from './fixture/shop.ts';

type Case = readonly [string, string, Parameters, readonly string[]];

const CASES: readonly Case[] = [
  [
    'columns',
    'owners',
    { fields: 'name,id' },
    ['owners t1 limit 100', '  order t1.id', '  name: t1.name', '  id: t1.id', 'cost 100'],
  ],
  [
    'one related item',
    'things',
    { fields: 'id,owner.name' },
    [
      'things t1 limit 100',
      '  order t1.id',
      '  id: t1.id',
      '  owner: one',
      '    owners t2',
      '      name: t2.name',
      'cost 200',
    ],
  ],
  [
    'a list that an index serves',
    'owners',
    { fields: 'name,things.id', limit: 10 },
    [
      'owners t1 limit 10',
      '  order t1.id',
      '  name: t1.name',
      '  things: list',
      '    things t2 limit 100',
      '      order t2.id',
      '      id: t2.id',
      'cost 1010',
    ],
  ],
  [
    'a list that no index serves, and what is above it',
    'owners',
    { fields: 'things.notes.text', limit: 10 },
    [
      'owners t1 limit 10 at once',
      '  order t1.id',
      '  things: list',
      '    things t2 limit 100 at once',
      '      order t2.id',
      '      notes: list',
      '        notes t3 limit 100 at once',
      '          order t3.id',
      '          text: t3.text',
      'cost 101010',
    ],
  ],
  [
    'the keys of a list',
    'owners',
    { fields: 'things' },
    [
      'owners t1 limit 100',
      '  order t1.id',
      '  things: keys',
      '    things t2 limit 100',
      '      order t2.id',
      '      \\u0001key0: t2.id',
      'cost 10100',
    ],
  ],
  [
    'an order across a relation',
    'things',
    { fields: 'id', sort: '-owner.name,born' },
    [
      'things t1 limit 100',
      '  join owners t2 on t2.id = t1.owner',
      '  order t2.name desc, t1.born, t1.id',
      '  id: t1.id',
      'cost 100',
    ],
  ],
  [
    'an order through a list',
    'owners',
    { fields: 'id', sort: '-things.owner.name' },
    [
      'owners t1 limit 100',
      '  order (t3.name desc among things t2 of t1 join owners t3 on t3.id = t2.owner), t1.id',
      '  id: t1.id',
      'cost 1000100',
    ],
  ],
  [
    'groups',
    'things',
    { groupBy: 'year(born)', aggregate: { sum: 'size', count: '*' }, sort: '-sum.size' },
    [
      'things t1 limit 100',
      '  group born_year: year(t1.born)',
      '  sum(t1.size)',
      '  count(*)',
      '  order sum(t1.size) desc',
      '  order born_year',
      'cost 100',
    ],
  ],
  [
    'meta',
    'things',
    { fields: 'id', filter: { id: 1 }, meta: '*' },
    [
      'things t1 limit 100',
      '  where t1.id _eq int4 "1"',
      '  order t1.id',
      '  id: t1.id',
      'total_count of things t2',
      'filter_count of things t3',
      '  where t3.id _eq int4 "1"',
      'cost 100',
    ],
  ],
  [
    'a stream',
    'things',
    { fields: 'id,owner.id', limit: -1 },
    [
      'things t1',
      '  order t1.id',
      '  id: t1.id',
      '  owner: one',
      '    owners t2',
      '      id: t2.id',
      'cost 2',
    ],
  ],
  [
    'a search',
    'things',
    { fields: 'id', search: '7' },
    [
      'things t1 limit 100',
      '  where (t1.id _eq int8 "7" or t1.owner _eq int8 "7" or t1.name _icontains text "7" or t1.size _eq numeric "7")',
      '  order t1.id',
      '  id: t1.id',
      'cost 100',
    ],
  ],
];

t.test('requested data', async (t) => {
  for (const [name, collection, parameters, lines] of CASES) {
    t.strictSame(planned(collection, parameters).split('\n'), lines, name);
  }
});

function rule(filter: unknown): Filter {
  return parseFilter(filter, 'rule');
}

const OWN_THINGS: Grant = [
  { fields: null, rule: rule({ things: { _some: { holder: { _eq: '$CURRENT_USER' } } } }) },
  { fields: new Set(['id']), rule: rule({ id: { _gt: 5 } }) },
];
const THINGS: Grant = [
  { fields: new Set(['id', 'owner']), rule: null },
  { fields: new Set(['name', 'born']), rule: rule({ public: { _eq: true } }) },
];
const MEMBER: Grants = {
  of: (name) => (name === 'things' ? THINGS : name === 'owners' ? OWN_THINGS : null),
};
const CALLER = { user: '00000000-0000-4000-8000-000000000001' };

t.test('permissions are planned once for each table, and may use all fields', async (t) => {
  const parameters = { fields: 'id,name,owner.name', filter: { name: 'a' }, sort: 'name' };
  t.strictSame(planned('things', parameters, MEMBER, CALLER).split('\n'), [
    'things t1 limit 100',
    '  right 0: id, owner',
    '  right 1: name, born where t1.public _eq boolean "true"',
    '  where t1.name if t1.rights 1 _eq text "a"',
    '  order t1.name if t1.rights 1, t1.id',
    '  id: t1.id',
    '  name: t1.name if t1.rights 1',
    '  owner: one',
    '    owners t2',
    '      right 0: * where some things t3 of t2 (t3.holder _eq uuid slot)',
    '      right 1: id where t2.id _gt int4 "5"',
    '      name: t2.name if t2.rights 0',
    'cost 200',
  ]);
});

t.test('a rule that cannot be planned holds for no row', async (t) => {
  const grants = { of: () => [{ fields: null, rule: rule({ gone: { _eq: 1 } }) }] as const };
  t.match(planned('owners', { fields: 'id' }, grants), 'right 0: * where false');
});

t.test('page sizes multiply to the cost, and a cost above the limit is rejected', async (t) => {
  const nested = (limit: number) => ({
    fields: 'things.notes.id',
    limit: 10,
    deep: { things: { _limit: limit, notes: { _limit: -1 } } },
  });
  t.match(planned('owners', nested(10)), `cost ${10 * (1 + 10 * (1 + 1_000))}`);
  const most = { ...BOUNDS, limits: { ...DEFAULT_LIMITS, cost: 100_110 } };
  t.match(planned('owners', nested(10), undefined, {}, most), 'cost 100110');
  t.throws(() => planned('owners', nested(11), undefined, {}, most), {
    code: 'INVALID_QUERY',
    details: { limit: 100_110, variable: 'QUERY_MAX_COST' },
  });
});
