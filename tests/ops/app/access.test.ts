// @newest @quick
/** Permissions of the Admin App as cells of a matrix, and which policies count for a user. */
import t from 'tap';
import type { Access, Policy, Role } from '#ops/app/source/access/access-types.ts';
import { countingPolicies } from '#ops/app/source/access/effective.ts';
import {
  FULL_RULE,
  levelOf,
  permissionChanges,
  type Rule,
} from '#ops/app/source/access/permission-rules.ts';

const row = (id: number, action: string, rest: object = {}) => ({
  ...{ id, policy: 'p', collection: 'article', action },
  ...{ permissions: null, validation: null, presets: null, fields: ['*'] },
  ...rest,
});

t.test('a cell says none, custom or full', async (t) => {
  const rule = { status: { _eq: 'published' } };
  t.equal(levelOf([], 'read'), 'none');
  t.equal(levelOf([FULL_RULE], 'read'), 'full');
  t.equal(levelOf([{ ...FULL_RULE, permissions: {} }], 'read'), 'full');
  t.equal(levelOf([{ ...FULL_RULE, permissions: rule }], 'read'), 'custom');
  t.equal(levelOf([{ ...FULL_RULE, permissions: rule }], 'create'), 'full', 'there is no item yet');
  t.equal(levelOf([{ ...FULL_RULE, fields: ['title'] }], 'read'), 'custom');
  t.equal(levelOf([{ ...FULL_RULE, fields: [] }], 'delete'), 'full', 'it has no fields');
  t.equal(levelOf([{ ...FULL_RULE, presets: { status: 'draft' } }], 'create'), 'custom');
  const limited = { ...FULL_RULE, fields: ['title'] };
  t.equal(levelOf([limited, FULL_RULE], 'read'), 'full', 'what one allows is allowed');
  const judged = { ...FULL_RULE, validation: rule };
  t.equal(levelOf([judged, FULL_RULE], 'create'), 'custom', 'validations all hold');
});

t.test('only what has changed is sent', async (t) => {
  const title = { fields: ['title'] };
  const stored = [row(1, 'read'), row(2, 'update', title), row(3, 'update')];
  const changed = (key: string, ...rules: Rule[]) =>
    permissionChanges(stored, new Map([[key, rules]]));
  const full = FULL_RULE;
  const body = { ...full, fields: ['body'] };
  t.strictSame(changed('read article'), { create: [], update: [], delete: [1] });
  t.equal(changed('read article', full), null, 'what is as it is stored is no change');
  t.strictSame(changed('update article', full), { create: [], update: [], delete: [2] });
  t.strictSame(
    changed('update article', body, full),
    { create: [], update: [{ id: 2, ...body }], delete: [] },
    'a rule takes the place of one that is gone',
  );
  t.strictSame(changed('update article', body), {
    create: [],
    update: [{ id: 2, ...body }],
    delete: [3],
  });
  const place = { action: 'delete', collection: 'a b' };
  t.strictSame(changed('delete a b', full), {
    create: [{ ...place, ...full }],
    update: [],
    delete: [],
  });
});

t.test('policies count by the nearest way to them', async (t) => {
  const role = (id: string, parent: string | null): Role => ({
    ...{ id, name: id, icon: null, description: null, parent },
  });
  const policy = (id: string): Policy => ({
    ...{ id, name: id, icon: null, description: null, ip_access: null },
    ...{ enforce_tfa: false, admin_access: false, app_access: false },
  });
  const access = (of: Partial<Access>, id: string): Access => ({
    ...{ id: `${of.role} ${of.user} ${id}`, role: null, user: null, policy: id, sort: null },
    ...of,
  });
  const holder = {
    // Above each other, which the service refuses, but a table may hold.
    roles: [role('writer', 'reader'), role('reader', 'writer')],
    policies: ['own', 'write', 'read', 'public'].map(policy),
    shared: [
      access({ role: 'reader' }, 'read'),
      access({ role: 'reader' }, 'own'),
      access({ role: 'writer' }, 'write'),
      access({}, 'public'),
    ],
    own: [access({ user: 'u' }, 'own')],
  };
  const ways = (of: string | null) =>
    countingPolicies({ ...holder, role: of }).map(({ policy: { id }, through, role: at }) => [
      ...[id, through, at?.id ?? null],
    ]);
  t.strictSame(ways('writer'), [
    ['own', 'user', null],
    ['write', 'role', 'writer'],
    ['read', 'role', 'reader'],
  ]);
  t.strictSame(ways(null), [
    ['own', 'user', null],
    ['public', 'public', null],
  ]);
});
