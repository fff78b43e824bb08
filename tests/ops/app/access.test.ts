// @newest @quick
/** Permissions of the Admin App as cells of a matrix, and which policies count for a user. */
import t from 'tap';
import type { Access, Policy, Role } from '#ops/app/source/access/access-types.ts';
import { countingPolicies } from '#ops/app/source/access/effective.ts';
import {
  cellsOf,
  FULL_RULE,
  levelOf,
  permissionChanges,
  rulesFor,
  withCell,
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
  const stored = cellsOf([
    row(1, 'read'),
    row(2, 'update', { fields: ['title'] }),
    row(3, 'update'),
  ]);
  const read = 'read article';
  const update = 'update article';
  const none = withCell(stored, new Map(), read, rulesFor('none', stored.get(read) ?? []));
  t.strictSame(permissionChanges(stored, none), { create: [], update: [], delete: [1] });
  const back = withCell(stored, none, read, rulesFor('full', stored.get(read) ?? []));
  t.equal(back.size, 0, 'what is as it is stored is no change');
  t.equal(permissionChanges(stored, back), null);
  const full = withCell(stored, new Map(), update, rulesFor('full', stored.get(update) ?? []));
  const { id: _, ...all } = FULL_RULE;
  t.strictSame(
    permissionChanges(stored, full),
    { create: [], update: [{ id: 2, ...all }], delete: [3] },
    'one row is kept',
  );
  const made = withCell(stored, new Map(), 'delete a b', [FULL_RULE]);
  t.strictSame(permissionChanges(stored, made), {
    create: [{ action: 'delete', collection: 'a b', ...all }],
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
