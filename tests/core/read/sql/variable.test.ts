// @quick

import t from 'tap';
import type { Caller, Grant, Grants } from '#core/access/grants.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import { type Ask, openAsker } from './fixture/asker.ts';

const id = (last: number) => `00000000-0000-4000-8000-00000000000${last}`;
const ROLE = id(1);
const PARENT = id(2);
const ADA = id(3);
const BOB = id(4);

let ask: Ask;

t.before(async () => {
  ask = await openAsker(
    t,
    `CREATE TABLE notes (id int PRIMARY KEY, role uuid, owner uuid, word text, parent int);
     INSERT INTO system_roles (id, name) VALUES ('${PARENT}', 'Staff');
     INSERT INTO system_roles (id, name, parent, description)
       VALUES ('${ROLE}', 'Editor', '${PARENT}', '100%');
     INSERT INTO system_users (id, first_name, role, tags, token, location)
       VALUES ('${ADA}', 'Ada', '${ROLE}', '["red", "blue"]', 'secret', '2'),
         ('${BOB}', NULL, NULL, NULL, NULL, NULL);
     INSERT INTO notes VALUES (1, NULL, NULL, NULL, NULL), (2, '${ROLE}', '${ADA}', 'Editor', 1),
       (3, '${PARENT}', '${BOB}', 'red', 1);
     INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
       VALUES ('notes', 'parent', 'notes', 'children');
     INSERT INTO system_fields (collection, field, special) VALUES ('notes', 'children', 'o2m');`,
  );
});

const ADMIN = { user: ADA, role: ROLE, roles: [ROLE, PARENT] };

async function ids(filter: unknown, caller: Partial<Caller> = ADMIN, grants?: Grants) {
  const rows = await ask('notes', { fields: ['id'], filter }, caller, grants);
  return Array.isArray(rows) ? rows.map((row) => row.id) : rows;
}

async function refusal(filter: unknown, grants?: Grants) {
  return ids(filter, ADMIN, grants).then(
    () => null,
    (error: unknown) => (error instanceof ServiceError ? error.code : error),
  );
}

t.test('an empty list variable denies, with any other conditions', async (t) => {
  const found = (operator: string, value: unknown, roles: readonly string[]) =>
    ids({ role: { [operator]: value } }, { roles });
  t.strictSame(await found('_in', ['$CURRENT_ROLES'], [ROLE]), [2]);
  t.strictSame(await found('_nin', ['$CURRENT_ROLES'], [ROLE]), [3]);
  t.strictSame(await found('_in', '$CURRENT_ROLES', []), []);
  t.strictSame(await found('_nin', '$CURRENT_ROLES', []), []);
  t.strictSame(await found('_in', [ROLE, '$CURRENT_ROLES'], []), [2]);
  t.strictSame(await found('_nin', [ROLE, '$CURRENT_ROLES'], []), []);
});

/** A variable without a value, for each possible reason. */
const ABSENT: readonly (readonly [string, string, Partial<Caller>])[] = [
  ['no user', '$CURRENT_USER', { user: null }],
  ['no user to have a name', '$CURRENT_USER.first_name', { user: null }],
  ['a null', '$CURRENT_USER.first_name', { user: BOB }],
  ['a null on the way', '$CURRENT_USER.role.name', { user: BOB }],
  ['an empty list', '$CURRENT_USER.tags', { user: BOB }],
  ['no role', '$CURRENT_ROLE.name', { role: null }],
  ['no roles', '$CURRENT_ROLES.name', { roles: [] }],
];

for (const [how, variable, caller] of ABSENT) {
  t.test(`${how}: ${variable} matches no row and never widens the result`, async (t) => {
    const field = variable === '$CURRENT_USER' ? 'owner' : 'word';
    const isList = /S\.|tags/.test(variable);
    const operators = isList ? ['_in', '_nin'] : ['_eq', '_neq', '_in', '_nin'];
    for (const operator of operators) {
      const test = { [field]: { [operator]: variable } };
      t.strictSame(await ids(test, caller), [], operator);
      t.strictSame(await ids({ children: { _none: test } }, caller), [], `_none of ${operator}`);
      t.strictSame(await ids({ children: { _some: test } }, caller), [], `_some of ${operator}`);
      t.strictSame(await ids({ _or: [test, { id: 1 }] }, caller), [1], `_or beside ${operator}`);
    }
  });
}

t.test('a variable with a path has the values of the path', async (t) => {
  t.strictSame(await ids({ word: '$CURRENT_USER.role.name' }), [2]);
  t.strictSame(await ids({ word: { _neq: '$CURRENT_USER.role.name' } }), [3]);
  t.strictSame(await ids({ word: '$CURRENT_ROLE.name' }), [2]);
  t.strictSame(await ids({ word: { _in: '$CURRENT_ROLES.name' } }), [2]);
  t.strictSame(await ids({ word: { _in: ['red', '$CURRENT_ROLES.name'] } }), [2, 3]);
  t.strictSame(await ids({ word: { _nin: ['red', '$CURRENT_ROLES.name'] } }), []);
  t.strictSame(await ids({ word: { _in: '$CURRENT_USER.tags' } }), [3], 'lists are flat');
  t.strictSame(await ids({ word: { _nin: '$CURRENT_USER.tags' } }), [2]);
  t.strictSame(await ids({ role: '$CURRENT_USER.role' }), [2]);
  t.strictSame(await ids({ role: '$CURRENT_USER.role.parent' }), [3]);
  t.strictSame(await ids({ id: '$CURRENT_USER.location' }), [2], 'a text that is a number');
  t.strictSame(await ids({ id: { _gt: '$CURRENT_USER.location' } }), [3]);
  t.strictSame(await ids({ word: { _ieq: '$CURRENT_USER.role.name' } }), [2]);
  t.strictSame(await ids({ word: { _contains: '$CURRENT_USER.role.description' } }), []);
  t.strictSame(
    await ids({ children: { _none: { word: '$CURRENT_USER.role.name' } } }),
    [2, 3],
    'with a value "none" works as usual',
  );
});

t.test('concealed values have no path, and unknown or unsuitable paths are rejected', async (t) => {
  t.equal(await refusal({ word: '$CURRENT_USER.token' }), 'FORBIDDEN');
  t.equal(await refusal({ word: '$CURRENT_USER.password' }), 'FORBIDDEN');
  t.equal(await refusal({ word: '$CURRENT_USER.nothing' }), 'FORBIDDEN');
  t.equal(await refusal({ word: '$CURRENT_USER.role.users.tfa_secret' }), 'FORBIDDEN');
  t.equal(await refusal({ word: '$CURRENT_ROLES.name' }), 'INVALID_QUERY', 'several values');
  t.equal(await refusal({ role: '$CURRENT_USER.email_notifications' }), 'INVALID_QUERY');
});

t.test('a path in a query requires permissions; in a rule it does not', async (t) => {
  const notes: Grant = [{ fields: null, rule: null }];
  const given = (users: Grant | null, rule: unknown = null): Grants => ({
    of: (name) => {
      if (name === 'system_users') return users;
      if (name !== 'notes') return null;
      return rule === null ? notes : [{ fields: null, rule: parseFilter(rule, 'rule') }];
    },
  });
  const byName = { word: '$CURRENT_USER.role.name' };
  const named: Grant = [{ fields: new Set(['first_name', 'role']), rule: null }];
  const others: Grant = [{ fields: null, rule: parseFilter({ first_name: 'Eve' }, 'rule') }];
  t.equal(await refusal({ owner: '$CURRENT_USER.id' }, given(null)), 'FORBIDDEN');
  t.equal(await refusal({ owner: '$CURRENT_USER.id' }, given(named)), 'FORBIDDEN');
  t.equal(await refusal(byName, given(named)), 'FORBIDDEN', 'roles may not be read');
  t.strictSame(await ids({ role: '$CURRENT_USER.role' }, ADMIN, given(named)), [2]);
  t.strictSame(await ids({ role: '$CURRENT_USER.role' }, ADMIN, given(others)), []);
  t.strictSame(await ids({}, ADMIN, given(null, byName)), [2]);
  t.strictSame(
    await ids({}, ADMIN, given(null, { word: '$CURRENT_USER.token' })),
    [],
    'a rule that cannot hold permits no rows',
  );
});
