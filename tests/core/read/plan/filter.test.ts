/** Filters as printed conditions of a plan: operands become values of the field's type. */
import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { planned } from './fixture/shop.ts';

const CALLER = { user: '00000000-0000-4000-8000-000000000001' };

/** The condition of a filter on `things`. */
function condition(filter: object): string {
  const lines = planned('things', { fields: 'id', filter }, undefined, CALLER).split('\n');
  return lines.find((line) => line.includes('where'))?.trim() ?? '';
}

const CONDITIONS: readonly (readonly [object, string])[] = [
  [{ name: { _eq: 'a' } }, 'where t1.name _eq text "a"'],
  [{ id: { _eq: '5' } }, 'where t1.id _eq int4 "5"'],
  [{ id: 5 }, 'where t1.id _eq int4 "5"'],
  [{ size: { _gt: 1 } }, 'where t1.size _gt numeric "1"'],
  [{ name: { _null: false } }, 'where t1.name _nnull'],
  [{ name: { _eq: null } }, 'where t1.name _null'],
  [{ id: { _in: [1, 2] } }, 'where t1.id _in int4[] ["1","2"]'],
  [{ id: { _nin: [1, null] } }, 'where unknown'],
  // An integer equals no number that it cannot hold; all numbers of a list have its type.
  [{ id: { _in: [1, 5e9, 1.5, '7.0', '1e2'] } }, 'where t1.id _in int4[] ["1","7","100"]'],
  [{ id: { _in: ['10e-1', '0.10e1', '1e-400', '-0.0'] } }, 'where t1.id _in int4[] ["1","1","0"]'],
  [{ id: { _in: [5e9, 6e9] } }, 'where t1.id _in int8[] ["5000000000"]'],
  [{ id: { _nin: ['9'.repeat(30), 1.5] } }, `where t1.id _nin numeric[] ["${'9'.repeat(30)}"]`],
  [{ id: { _gt: 5e9 } }, 'where t1.id _gt int8 "5000000000"'],
  [{ id: { _lt: 1.5 } }, 'where t1.id _lt numeric "1.5"'],
  [{ id: { _between: [1, 2] } }, 'where t1.id _between int4 "1" int4 "2"'],
  [{ name: { _icontains: 'a%' } }, 'where t1.name _icontains text "a%"'],
  [{ holder: '$CURRENT_USER' }, 'where t1.holder _eq uuid slot'],
  [{ born: { _lt: '$NOW' } }, 'where t1.born _lt timestamptz slot'],
  [{ holder: { _in: ['$CURRENT_USER'] } }, 'where t1.holder _in uuid[] slot'],
  [{ id: { _in: '$CURRENT_ROLES' } }, 'where unknown'],
  [{ holder: { _neq: '$CURRENT_ROLE' } }, 'where unknown'],
  [{ name: '$CURRENT_USER.first_name' }, 'where t1.name _eq $CURRENT_USER.first_name'],
  [{ owner: { name: 'a' } }, 'where one owners t2 on t2.id = t1.owner (t2.name _eq text "a")'],
  [{ owner: { name: { _null: true } } }, 'where one owners t2 on t2.id = t1.owner (t2.name _null)'],
  [{ notes: { text: 'x' } }, 'where some notes t2 of t1 (t2.text _eq text "x")'],
  [{ notes: { _none: { text: 'x' } } }, 'where no notes t2 of t1 (t2.text _eq text "x")'],
  [{ notes: { _null: true } }, 'where no notes t2 of t1'],
  [
    { _or: [{ id: 1 }, { _and: [{ name: 'b' }, { public: true }] }] },
    'where (t1.id _eq int4 "1" or (t1.name _eq text "b" and t1.public _eq boolean "true"))',
  ],
  [{ words: { _contains: 'a' } }, 'where t1.words holds ["a"]'],
  [
    { words: { _some: { _starts_with: 'a' } } },
    'where some element of t1.words (element _starts_with text "a")',
  ],
  [{ facts: { _json: { 'a.b': { _gt: 5 } } } }, 'where t1.facts -> a.b _gt text "5"'],
  [{ 'year(born)': 2024 }, 'where year(t1.born) _eq int8 "2024"'],
  [{ 'count(notes)': { _gt: 1 } }, 'where count(notes t2 of t1) _gt int8 "1"'],
  [{ _and: [] }, 'where true'],
];

t.test('conditions', async (t) => {
  for (const [filter, expected] of CONDITIONS) {
    t.equal(condition(filter), expected, JSON.stringify(filter));
  }
});

const REFUSED: readonly (readonly [object, string])[] = [
  [
    { public: { _in: [true] } },
    'INVALID_QUERY A query parameter cannot be used. "filter.public._in": a field of type boolean does not take _in.',
  ],
  [
    { id: { _eq: 'x' } },
    'INVALID_QUERY A query parameter cannot be used. "filter.id._eq" must be a number.',
  ],
  [
    { public: { _eq: 'true' } },
    'INVALID_QUERY A query parameter cannot be used. "filter.public._eq": The value must be true or false.',
  ],
  [
    { name: { _gt: null } },
    'INVALID_QUERY A query parameter cannot be used. "filter.name._gt" must not be null.',
  ],
  [
    { gone: 1 },
    'FORBIDDEN You may not do this, or it does not exist. You have no permission to access field "gone" in collection "things" or it does not exist (queried in filter of root).',
  ],
  [
    { name: { other: 1 } },
    'FORBIDDEN You may not do this, or it does not exist. You have no permission to access field "name.other" in collection "things" or it does not exist (queried in filter of root).',
  ],
  [
    { notes: { _some: { gone: 1 } } },
    'FORBIDDEN You may not do this, or it does not exist. You have no permission to access field "gone" in collection "notes" or it does not exist (queried in filter of notes).',
  ],
  [
    { id: { _between: [1] } },
    'INVALID_QUERY A query parameter cannot be used. "filter.id._between" must hold two values.',
  ],
];

t.test('invalid filters are rejected', async (t) => {
  for (const [filter, expected] of REFUSED) {
    try {
      t.fail(condition(filter), { filter });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      t.equal(`${error.code} ${error.message}`, expected, JSON.stringify(filter));
    }
  }
});
