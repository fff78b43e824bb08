// @quick

import t from 'tap';
import { ANONYMOUS } from '#core/access/grants.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import { fieldRules } from '#core/read/evaluate/field-rule.ts';
import { passesFilter, Validation } from '#core/read/evaluate/validation.ts';
import { collectionWith } from './fixture/collection.ts';

const { catalog, collection } = await collectionWith({
  n: 'int4',
  big: 'int8',
  exact: 'numeric',
  word: 'text',
  day: 'date',
  at: 'timestamptz',
  flag: 'bool',
  uid: 'uuid',
});
const KEY = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
const now = new Date('2024-05-01T12:00:00Z');
const caller = { ...ANONYMOUS, user: 'me', roles: ['r1', 'r2'] };

function faults(rule: object, item: object) {
  const facts = { collection, caller, now };
  const validation = new Validation(facts, [parseFilter(rule, 'validation')]);
  return validation.faults({ ...item }).map(({ details }) => details);
}

/** Valid and invalid items: rule, item, and the error's details besides field and path. */
const CASES: readonly (readonly [object, object, object | null])[] = [
  [{ n: { _eq: 5 } }, { n: '5' }, null],
  [{ n: { _eq: 5 } }, { n: 6 }, { type: 'eq', valid: 5 }],
  [{ n: 5 }, { n: 6 }, { type: 'eq', valid: 5 }],
  [{ n: { _neq: 5 } }, { n: 5 }, { type: 'neq', invalid: 5 }],
  [{ n: { _neq: 5 } }, { n: null }, null],
  [{ n: { _lt: 5 } }, { n: 5 }, { type: 'lt', valid: 5 }],
  [{ n: { _lte: 5 } }, { n: 5 }, null],
  [{ n: { _gt: 5 } }, { n: null }, { type: 'gt', valid: 5 }],
  [{ n: { _gt: 5 } }, { n: 'many' }, { type: 'gt', valid: 5 }],
  [{ n: { _gte: 10 } }, { n: '9' }, { type: 'gte', valid: 10 }],
  [{ big: { _gt: '9007199254740992' } }, { big: '9007199254740993' }, null],
  [{ exact: { _lt: 1.5 } }, { exact: '1.25' }, null],
  [{ word: { _lt: '5' } }, { word: '10' }, null],
  [{ n: { _in: [1, 2] } }, { n: '2' }, null],
  [{ n: { _in: [1, 2] } }, { n: 3 }, { type: 'in', valid: [1, 2] }],
  [{ word: { _in: 'a, b' } }, { word: 'b' }, null],
  [{ n: { _nin: [1, 2] } }, { n: 1 }, { type: 'nin', invalid: [1, 2] }],
  [{ n: { _between: [1, 3] } }, { n: 0 }, { type: 'gte', valid: 1 }],
  [{ n: { _between: [1, 3] } }, { n: 4 }, { type: 'lte', valid: 3 }],
  [{ n: { _between: '1,3' } }, { n: 3 }, null],
  [{ n: { _nbetween: [1, 3] } }, { n: 2 }, { type: 'lt', valid: 1 }],
  [{ n: { _nbetween: [1, 3] } }, { n: 4 }, null],
  [{ n: { _null: true } }, { n: 1 }, { type: 'null' }],
  [{ n: { _null: false } }, { n: null }, { type: 'nnull' }],
  [{ n: { _nnull: true } }, { n: null }, { type: 'nnull' }],
  [{ word: { _empty: true } }, { word: 'a' }, { type: 'empty' }],
  [{ word: { _nempty: true } }, { word: '' }, { type: 'nempty' }],
  [{ word: { _contains: 'b' } }, { word: 'abc' }, null],
  [{ word: { _contains: 'B' } }, { word: 'abc' }, { type: 'contains', substring: 'B' }],
  [{ word: { _icontains: 'B' } }, { word: 'abc' }, null],
  [{ word: { _ncontains: 'b' } }, { word: 'abc' }, { type: 'ncontains', substring: 'b' }],
  [{ word: { _nicontains: 'B' } }, { word: 'abc' }, { type: 'nicontains', substring: 'B' }],
  [{ word: { _starts_with: 'b' } }, { word: 'abc' }, { type: 'starts_with', substring: 'b' }],
  [{ word: { _nstarts_with: 'a' } }, { word: 'abc' }, { type: 'nstarts_with', substring: 'a' }],
  [{ word: { _istarts_with: 'A' } }, { word: 'abc' }, null],
  [{ word: { _nistarts_with: 'A' } }, { word: 'abc' }, { type: 'nistarts_with', substring: 'A' }],
  [{ word: { _ends_with: 'c' } }, { word: 'abc' }, null],
  [{ word: { _nends_with: 'c' } }, { word: 'abc' }, { type: 'nends_with', substring: 'c' }],
  [{ word: { _iends_with: 'C' } }, { word: 'abc' }, null],
  [{ word: { _niends_with: 'C' } }, { word: 'abc' }, { type: 'niends_with', substring: 'C' }],
  [{ word: { _ieq: 'ABC' } }, { word: 'abc' }, null],
  [{ word: { _ieq: 'ABC' } }, { word: 'x' }, { type: 'eq', valid: 'ABC' }],
  [{ word: { _nieq: 'ABC' } }, { word: 'abc' }, { type: 'neq', invalid: 'ABC' }],
  [{ word: { _contains: 'b' } }, { word: null }, { type: 'contains', substring: 'b' }],
  [{ word: { _regex: '^a.c$' } }, { word: 'abc' }, null],
  [{ word: { _regex: '/^A.C$/i' } }, { word: 'abc' }, null],
  [{ word: { _regex: '^b' } }, { word: 'abc' }, { type: 'regex', invalid: 'abc' }],
  [{ word: { _regex: '(' } }, { word: 'abc' }, { type: 'regex', invalid: 'abc' }],
  [{ word: { _submitted: true } }, {}, { type: 'required' }],
  [{ word: { _submitted: true } }, { word: null }, null],
  [{ flag: { _eq: true } }, { flag: 'true' }, null],
  [{ flag: { _eq: true } }, { flag: 0 }, { type: 'eq', valid: true }],
  [{ uid: { _eq: KEY.toUpperCase() } }, { uid: KEY.replaceAll('-', '') }, null],
  [{ uid: { _neq: KEY } }, { uid: `{${KEY}}` }, { type: 'neq' }],
  [{ uid: { _neq: KEY } }, { uid: 'none' }, { type: 'neq' }],
  [{ day: { _gt: '$NOW' } }, { day: '2024-05-02' }, null],
  [{ day: { _lt: '$NOW(-1 day)' } }, { day: '2024-05-01' }, { type: 'lt' }],
  [{ at: { _eq: '2024-05-01T14:00:00+02:00' } }, { at: '2024-05-01T12:00:00' }, null],
  [{ 'year(day)': { _eq: 2024 } }, { day: '2024-12-31' }, null],
  [{ 'week(day)': { _eq: 1 } }, { day: '2024-12-31' }, null],
  [{ 'hour(at)': { _lt: 5 } }, { at: '2024-12-31T06:00:00Z' }, { type: 'lt', valid: 5 }],
  [{ word: { _eq: '$CURRENT_USER' } }, { word: 'me' }, null],
  [{ word: { _in: ['$CURRENT_ROLES', 'x'] } }, { word: 'r2' }, null],
  [{ word: { _neq: '$CURRENT_ROLE' } }, { word: 'x' }, { type: 'neq' }],
  [{ word: { _nin: ['$CURRENT_ROLE'] } }, { word: 'x' }, { type: 'nin' }],
  [{ _or: [{ n: { _eq: 1 } }, { word: { _eq: 'a' } }] }, { n: 2, word: 'a' }, null],
  [{ _and: [{ n: 2 }, {}] }, { n: 2 }, null],
  [{ _and: [] }, { n: 2 }, null],
];

t.test('each operator reports the expected value', async (t) => {
  for (const [rule, item, expected] of CASES) {
    const name = `${JSON.stringify(rule)} on ${JSON.stringify(item)}`;
    const found = faults(rule, item);
    if (expected === null) t.strictSame(found, [], name);
    else t.match(found, [{ path: [], ...expected }], name);
  }
});

t.test('a missing member passes every operator', async (t) => {
  const rules = CASES.map(([rule]) => rule).filter(
    (rule) => !/submitted/.test(JSON.stringify(rule)),
  );
  for (const rule of rules) t.strictSame(faults(rule, {}), [], JSON.stringify(rule));
});

t.test('every violated rule is reported, with all alternatives', async (t) => {
  const both = { _and: [{ n: { _gt: 5 } }, { word: { _nempty: true } }] };
  t.match(faults(both, { n: 1, word: '' }), [{ field: 'n' }, { field: 'word' }]);
  const either = { _or: [{ n: { _gt: 5 } }, { n: { _lt: 0 } }] };
  t.match(faults(either, { n: 1 }), [{ type: 'gt' }, { type: 'lt' }]);
});

t.test('members of a nested object are validated, a plain key is unknown', async (t) => {
  const rule = { author: { country: { code: { _neq: 'x' } } } };
  t.strictSame(faults(rule, { author: { country: { code: 'y' } } }), []);
  t.match(faults(rule, { author: { country: { code: 'x' } } }), [
    { field: 'author', path: ['country', 'code'], type: 'neq', invalid: 'x' },
  ]);
  t.match(faults(rule, { author: 5 }), [{ field: 'author', type: 'neq' }]);
  t.match(faults({ tags: { _none: { id: 1 } } }, { tags: [2] }), [{ field: 'tags' }]);
});

t.test('a pattern that takes too long matches no text, and the request continues', async (t) => {
  const facts = { collection, caller, now };
  const rule = parseFilter({ word: { _regex: '^(a+)+$' } }, 'validation');
  const validation = new Validation(facts, [rule]);
  const word = `${'a'.repeat(100)}!`;
  const found = Array.from({ length: 1_000 }, () => validation.faults({ word }).length);
  t.ok(found.every((count) => count === 1));
  t.equal(new Validation(facts, [rule]).faults({ word: 'a'.repeat(20_000) }).length, 1, 'too long');
  t.equal(new Validation(facts, [rule]).faults({ word: 'aaa' }).length, 0);
});

t.test('prototypes are not members', async (t) => {
  for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
    const rule = JSON.parse(`{"${name}":{"_eq":1}}`);
    t.strictSame(faults(rule, {}), [], name);
  }
});

t.test('presets replace variables by their values, or by null', async (t) => {
  const validation = new Validation({ collection, caller, now }, []);
  t.equal(validation.resolve('$CURRENT_USER'), 'me');
  t.equal(validation.resolve('$CURRENT_ROLE'), null);
  t.equal(validation.resolve('$NOW'), now.toISOString());
  t.strictSame(validation.resolve(['$CURRENT_ROLES']), ['r1', 'r2']);
  t.equal(validation.resolve('plain'), 'plain');
});

t.test('objects that are not items are filtered in the same way', async (t) => {
  const filter = parseFilter({ action: { _eq: 'read' } }, 'filter');
  t.equal(passesFilter(filter, { action: 'read' }, caller), true);
  t.equal(passesFilter(filter, { action: 'update' }, caller), false);
});

t.test('an unreadable rule of a field blocks writes', async (t) => {
  t.strictSame(fieldRules(catalog, collection), []);
  const broken = await collectionWith({ n: 'int4' }, { n: { _and: 5 } });
  t.throws(() => fieldRules(broken.catalog, broken.collection), { code: 'UNPROCESSABLE_ENTITY' });
});
