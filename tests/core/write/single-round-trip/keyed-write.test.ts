/** Printed plans of writes by key: the changes, their rules, and the statement. */
import t from 'tap';
import { ANONYMOUS } from '#core/access/grants.ts';
import { FULL_RIGHTS, type PermissionRow, type Rights, rightsFrom } from '#core/access/rights.ts';
import { render, sql } from '#core/database/sql.ts';
import { isColumn } from '#core/model/catalog/catalog.ts';
import type { IndexDescriptor, TableDescriptor } from '#core/model/catalog/descriptor.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import { compileChange } from '#core/read/sql/compile.ts';
import { changeOfEach } from '#core/write/single-round-trip/keyed-change.ts';
import {
  type KeyedWrite,
  keyedRows,
  keyedSql,
  lockSql,
  locksBefore,
  planDeletion,
  planUpdate,
} from '#core/write/single-round-trip/keyed-write.ts';
import { skipOfDeletion, skipOfUpdate } from '#core/write/single-round-trip/skip-locked.ts';
import { NO_RULE, type WriteContext } from '#core/write/write-context.ts';
import { BOUNDS, catalog } from '../../read/plan/fixture/shop.ts';

const USER = '11111111-1111-4111-8111-111111111111';

function permission(
  action: 'update' | 'delete',
  rule: unknown,
  fields: readonly string[] | null = null,
): PermissionRow {
  return {
    ...{ collection: 'things', action, validation: null, presets: {} },
    fields: fields && new Set(fields),
    rule: rule === null ? null : parseFilter(rule, 'rule'),
  };
}

function writeBy(rights: Rights): WriteContext {
  const collection = catalog.collections.get('things');
  if (collection === undefined) throw new Error('there are no things');
  const caller = { ...ANONYMOUS, user: USER, admin: rights.admin };
  return {
    target: {
      ...{ catalog, rights, grants: rights.reading, caller, bounds: BOUNDS },
      collection: 'things',
    },
    collection,
    client: {
      query: () => {
        throw new Error('the database was asked');
      },
    },
    now: new Date(0),
    rule: NO_RULE,
    hash: async (secret) => secret,
  };
}

/** The effects of a plan, a line for each part. */
function printed({ target }: WriteContext, plan: KeyedWrite | null): readonly string[] {
  if (plan === null) return ['step by step'];
  const { reaches, statement } = compileChange(
    target,
    { query: null, rules: plan.rules },
    keyedRows(plan),
    ({ condition }) => keyedSql(plan, 'public', { condition, answer: sql`answer` }),
  );
  const [, change = ''] = /AS \((.+?) RETURNING /s.exec(statement.text) ?? [];
  return [
    `${plan.form}: ${plan.keys.join()}`,
    ...plan.rows.flatMap(({ row }) => [...row]).map(([field, text]) => `  ${field.name}: ${text}`),
    change.replaceAll('"pg_catalog".', '').replaceAll(/\s+/g, ' '),
    ...(reaches ? ['locked before'] : []),
  ];
}

const ONE = { keys: [['5']], isList: false };
const SEVERAL = { keys: [['5'], ['2']], isList: true };

const OWN = { holder: { _eq: '$CURRENT_USER' } };
const FAR = { owner: { name: { _eq: 'x' } } };
const PUBLIC = { public: { _eq: true } };

const UPDATES: readonly (readonly [string, Rights, unknown, readonly string[]])[] = [
  [
    'an administrator names fields in any order',
    FULL_RIGHTS,
    { size: 3, name: 'a' },
    [
      'update of 3,7 of one by : 5',
      '  size: 3',
      '  name: a',
      'UPDATE "public"."things" AS t SET "name" = $1::text::"varchar", "size" = $2::text::"numeric" WHERE "t"."id" = $3::text::"int4"',
    ],
  ],
  [
    'a rule is part of the statement',
    rightsFrom([permission('update', OWN)]),
    { name: 'a' },
    [
      'update of 3 of one by 0: 5',
      '  name: a',
      'UPDATE "public"."things" AS t SET "name" = $1::text::"varchar" WHERE "t"."id" = $2::text::"int4" AND (("t"."holder" = $3::uuid) IS TRUE)',
    ],
  ],
  [
    'each member needs one of the permissions that cover it',
    rightsFrom([
      permission('update', OWN, ['name', 'size']),
      permission('update', PUBLIC, ['size']),
    ]),
    { name: 'a', size: 1 },
    [
      'update of 3,7 of one by 0,1|0: 5',
      '  name: a',
      '  size: 1',
      'UPDATE "public"."things" AS t SET "name" = $1::text::"varchar", "size" = $2::text::"numeric" WHERE "t"."id" = $3::text::"int4" AND (("t"."holder" = $4::uuid) IS TRUE OR ("t"."public" = $5::boolean) IS TRUE) AND (("t"."holder" = $6::uuid) IS TRUE)',
    ],
  ],
  [
    'a permission without a rule leaves none',
    rightsFrom([permission('update', OWN), permission('update', null, ['name'])]),
    { name: 'a' },
    [
      'update of 3 of one by : 5',
      '  name: a',
      'UPDATE "public"."things" AS t SET "name" = $1::text::"varchar" WHERE "t"."id" = $2::text::"int4"',
    ],
  ],
  [
    'a member that nothing covers is refused elsewhere',
    rightsFrom([permission('update', null, ['name'])]),
    { size: 1 },
    ['step by step'],
  ],
  ['nothing is changed', FULL_RIGHTS, {}, ['step by step']],
  ['related items', FULL_RIGHTS, { owner: { name: 'x' } }, ['step by step']],
  [
    'a link that must be readable',
    rightsFrom([permission('update', null)]),
    { owner: 1 },
    ['step by step'],
  ],
];

for (const [name, rights, body, expected] of UPDATES) {
  t.test(name, async (t) => {
    const write = writeBy(rights);
    t.strictSame(
      printed(write, await planUpdate(write, { ...ONE, isEach: false, values: [body] })),
      expected,
    );
  });
}

t.test('a rule that reads other rows requires a lock first', async (t) => {
  const write = writeBy(rightsFrom([permission('delete', FAR)]));
  const [form, change, ...more] = printed(write, planDeletion(write, ONE));
  t.equal(form, 'delete of one by 0: 5');
  t.match(change, /^DELETE FROM "public"."things" AS t WHERE "t"."id" = \$1::text::"int4" AND /);
  t.match(change, /"public"."owners" AS t2/);
  t.strictSame(more, ['locked before']);
});

t.test('a caller that may not delete is rejected elsewhere', async (t) => {
  const write = writeBy(rightsFrom([permission('update', null)]));
  t.equal(planDeletion(write, ONE), null);
});

t.test('several items are locked in key order and written in list order', async (t) => {
  const write = writeBy(rightsFrom([permission('update', OWN)]));
  const plan = await planUpdate(write, { ...SEVERAL, isEach: false, values: [{ size: 3 }] });
  if (plan === null) throw new Error('it takes more than one statement');
  const [form, , change] = printed(write, plan);
  t.equal(form, 'update of 7 of some by 0: 5,2');
  t.match(
    change,
    /FROM unnest\(\$\d::text\[\]\) WITH ORDINALITY AS k\(k, n\) WHERE "t"."id" = k.k::"int4" AND .*"t"."holder"/,
  );
  t.ok(locksBefore(plan, { reaches: false }));
  const condition = sql`rule`;
  t.match(render(lockSql(plan, condition)).text, /AND rule ORDER BY "t"."id" FOR UPDATE OF t$/);
  const { text } = render(keyedSql(plan, 'public', { condition, answer: sql`answer` }));
  t.match(text, /INSERT INTO "public"."system_activity".* ORDER BY t."n" RETURNING id/s);
  t.match(text, /\(SELECT count\(\*\) FROM w\) = \$\d+::int8/);
});

t.test('an item that another transaction has locked is skipped', async (t) => {
  const write = writeBy(rightsFrom([permission('update', OWN), permission('delete', null)]));
  const update = (body: unknown) => planUpdate(write, { ...ONE, isEach: false, values: [body] });
  const plan = await update({ size: 3 });
  if (plan === null) throw new Error('it takes more than one statement');
  const { text } = render(
    keyedSql(plan, 'public', { condition: sql`rule`, answer: null }, plan.skip),
  );
  t.match(
    text.replaceAll('"pg_catalog".', ''),
    'WHERE "t"."id" = (SELECT "t"."id" FROM "public"."things" AS t WHERE "t"."id" = $2::text::"int4" AND rule FOR NO KEY UPDATE OF t SKIP LOCKED) RETURNING',
  );
  const several = { ...SEVERAL, isEach: false, values: [{ size: 3 }] };
  t.equal((await planUpdate(write, several))?.skip, null, 'not one of several');
  t.equal(planDeletion(write, ONE)?.skip, null, 'not without an index on the referring column');
});

function indexOn(
  column: string | null,
  { unique = false, method = 'btree', partial = false },
): IndexDescriptor {
  return { name: 'i', columns: [column], unique, method, partial, valid: true };
}

/** Tables of which `things` is one, and whether its `size` may be set without waiting. */
const SKIPPED: readonly (readonly [string, Partial<TableDescriptor>, boolean])[] = [
  ['no index', {}, true],
  ['an index that says nothing of others', { indexes: [indexOn('size', {})] }, true],
  ['a unique index of another column', { indexes: [indexOn('name', { unique: true })] }, true],
  ['a unique index', { indexes: [indexOn('size', { unique: true })] }, false],
  ['an index that may exclude', { indexes: [indexOn('size', { method: 'gist' })] }, false],
  [
    'a unique index with a condition',
    { indexes: [indexOn('name', { unique: true, partial: true })] },
    false,
  ],
  ['a unique expression', { indexes: [indexOn(null, { unique: true })] }, false],
  ['an expression', { indexes: [indexOn(null, {})] }, true],
  ['a key', { primaryKey: ['size'] }, false],
];

t.test('a write that may wait for other transactions is not tried', async (t) => {
  const things = catalog.collections.get('things');
  const size = things?.fields.get('size');
  if (things?.table == null || size === undefined || !isColumn(size)) throw new Error('no things');
  for (const [name, members, expected] of SKIPPED) {
    const own = { ...things, table: { ...things.table, ...members } };
    t.equal(skipOfUpdate(catalog, own, [size]) !== null, expected, name);
  }
  const owner = things.fields.get('owner');
  if (owner === undefined || !isColumn(owner)) throw new Error('no owner');
  t.equal(skipOfUpdate(catalog, things, [owner]), null, 'a reference');
  t.equal(skipOfUpdate(catalog, { ...things, system: true }, [size]), null, 'a system table');
  const notes = catalog.collections.get('notes');
  const owners = catalog.collections.get('owners');
  if (notes === undefined || owners === undefined) throw new Error('no notes, no owners');
  t.strictSame(skipOfDeletion(catalog, notes)?.conditions, [], 'there are no references');
  const [condition, ...more] = skipOfDeletion(catalog, owners)?.conditions ?? [];
  t.strictSame(more, []);
  t.equal(
    condition && render(condition).text,
    'NOT EXISTS (SELECT FROM "public"."things" AS o WHERE "o"."owner" = "t"."id")',
  );
  t.equal(skipOfDeletion(catalog, { ...notes, system: true }), null, 'a system table');
});

t.test('several items with separate values', async (t) => {
  const write = writeBy(rightsFrom([permission('update', OWN)]));
  const own = [
    { id: 5, size: 3 },
    { size: 4, id: 2 },
  ];
  const change = changeOfEach(write, own);
  const plan = change && (await planUpdate(write, change));
  const [form, first, second, text] = printed(write, plan);
  t.equal(form, 'update of each 7 of some by 0: 5,2');
  t.strictSame([first, second], ['  size: 3', '  size: 4']);
  t.match(text, /SET "size" = k\.c0::"numeric" FROM unnest\(.*\) .* AS k\(k, c0, d, n\) WHERE/);
  t.equal(changeOfEach(write, [{ id: 5 }, { size: 4 }]), null, 'not without a key');
  t.equal(changeOfEach(write, [own[0], own[0]]), null, 'not an item twice');
  const many = Array.from({ length: 10_001 }, (_, id) => ({ id, size: 4 }));
  t.equal(changeOfEach(write, many), null, 'not so many that they would delay other requests');
  const different = changeOfEach(write, [own[0], { id: 2, title: 'x' }]);
  t.equal(different && (await planUpdate(write, different)), null, 'not different fields');
});
