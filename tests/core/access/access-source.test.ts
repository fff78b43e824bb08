/** Accounts, their policies and rights, as the tables say and no older than a look. */
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import t from 'tap';
import { AccessSource } from '#core/access/access-source.ts';
import type { Account } from '#core/access/account-policies.ts';
import type { Caller } from '#core/access/grants.ts';
import { FULL_RIGHTS } from '#core/access/rights.ts';
import { createPool } from '#core/database/pool.ts';
import type { AccessChanges } from '#core/model/catalog/access-changes.ts';
import { NEVER } from '#core/query/query.ts';
import { install } from '#tests/core/model/catalog/installation.ts';
import { until } from '#tests/harness/until.ts';

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const [ROLE, PARENT, GRAND] = [id(1), id(2), id(3)];
const [ADA, BOB, EVE, ROOT] = [id(11), id(12), id(13), id(14)];
const [PUBLIC, EDIT, STAFF, OWN, LOCAL, ADMIN, APP] = [
  id(21),
  id(22),
  id(23),
  id(24),
  id(25),
  id(26),
  id(27),
];

const SETUP = `
  DELETE FROM system_policies;
  INSERT INTO system_roles (id, name) VALUES ('${GRAND}', 'grand');
  INSERT INTO system_roles (id, name, parent) VALUES ('${PARENT}', 'parent', '${GRAND}');
  INSERT INTO system_roles (id, name, parent) VALUES ('${ROLE}', 'role', '${PARENT}');
  INSERT INTO system_users (id, role) VALUES ('${ADA}', '${ROLE}'), ('${BOB}', NULL),
    ('${EVE}', NULL), ('${ROOT}', NULL);
  INSERT INTO system_policies (id, name, ip_access, enforce_tfa, admin_access, app_access) VALUES
    ('${PUBLIC}', 'public', NULL, false, false, false),
    ('${EDIT}', 'edit', NULL, true, false, false), ('${STAFF}', 'staff', NULL, false, false, false),
    ('${OWN}', 'own', NULL, false, false, false),
    ('${LOCAL}', 'local', '127.0.0.1, 10.0.0.0/8', false, false, false),
    ('${ADMIN}', 'admin', '10.0.0.1', false, true, false),
    ('${APP}', 'app', NULL, false, false, true);
  INSERT INTO system_access (role, "user", policy, sort) VALUES
    (NULL, NULL, '${PUBLIC}', 1), ('${ROLE}', NULL, '${EDIT}', 2), ('${GRAND}', NULL, '${STAFF}', 1),
    (NULL, '${ADA}', '${OWN}', 1), ('${ROLE}', NULL, '${LOCAL}', 1),
    (NULL, '${ROOT}', '${ADMIN}', 1);
  INSERT INTO system_permissions (policy, collection, action, permissions, validation, presets, fields)
  VALUES ('${PUBLIC}', 'notes', 'read', NULL, NULL, NULL, 'id, title'),
    ('${EDIT}', 'notes', 'read', '{}', NULL, NULL, '*'),
    ('${EDIT}', 'notes', 'update', '{"owner":"$CURRENT_USER"}', '{"title":{"_nnull":true}}',
      '{"title":"new"}', NULL),
    ('${OWN}', 'gone', 'delete', '{"_and":[]}', NULL, NULL, NULL);`;

const account = (user: string, role: string | null = null): Account => ({
  user,
  role,
  session: null,
  secondFactor: true,
});

async function open(t: Parameters<typeof install>[0], lines: unknown[] = []) {
  const installation = await install(t, 'CREATE TABLE notes (id int PRIMARY KEY, title text)');
  await installation.sql(SETUP);
  const catalog = await installation.open(false);
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) });
  const { pool } = installation;
  return { ...installation, access: new AccessSource({ pool, schema: 'public', catalog, log }) };
}

t.test('who has which policies', async (t) => {
  const { access, sql } = await open(t);
  const policies = async (who: Account | null, ip: string | null = '10.0.0.1') =>
    (await access.callerOf(who, ip)).policies;

  await t.test(
    'a user has those of its role, its ancestors and its own, weightiest last',
    async (t) => {
      const caller = await access.callerOf({ ...account(ADA, ROLE), session: id(99) }, '10.0.0.1');
      t.strictSame(caller, {
        user: ADA,
        role: ROLE,
        roles: [ROLE, PARENT, GRAND],
        policies: [STAFF, LOCAL, EDIT, OWN],
        admin: false,
        app: false,
        enforceTfa: true,
        lacksSecondFactor: false,
        byAddress: true,
        ip: '10.0.0.1',
        session: id(99),
      } satisfies Caller);
    },
  );

  await t.test(
    'anonymous callers and users without a role have the public ones, others do not',
    async (t) => {
      t.strictSame(await policies(null), [PUBLIC]);
      t.strictSame(await policies(account(BOB)), [PUBLIC]);
      t.strictSame(await policies(account(EVE, GRAND)), [STAFF]);
      t.strictSame(await policies(account(ROOT)), [PUBLIC, ADMIN]);
    },
  );

  await t.test('policies hold only where their addresses are', async (t) => {
    t.strictSame(await policies(account(ADA, ROLE), '8.8.8.8'), [STAFF, EDIT, OWN]);
    t.strictSame(await policies(account(ADA, ROLE), null), [STAFF, EDIT, OWN]);
    t.equal((await access.callerOf(account(ROOT), '10.0.0.1')).admin, true);
    await t.rejects(
      access.callerOf(account(ROOT), '10.0.0.2'),
      { code: 'INVALID_IP' },
      'what the public may do is no substitute',
    );
    await sql(`UPDATE system_policies SET ip_access = '1.1.1.1' WHERE id = '${PUBLIC}'`);
    access.forget();
    await t.rejects(access.callerOf(account(BOB), '8.8.8.8'), { code: 'INVALID_IP' });
    await t.rejects(access.callerOf(account(ROOT), '8.8.8.8'), { code: 'INVALID_IP' });
    t.strictSame(await policies(account(ROOT)), [ADMIN], 'one that holds is enough');
    t.strictSame(await policies(null, '8.8.8.8'), [], 'anonymous callers never get the reason');
    await sql(`UPDATE system_policies SET ip_access = NULL WHERE id = '${PUBLIC}'`);
    access.forget();
  });

  await t.test('a list without an address holds nowhere', async (t) => {
    for (const blank of ['', ' ', ',', ' , ']) {
      await sql(`UPDATE system_policies SET ip_access = '${blank}' WHERE id = '${LOCAL}'`);
      access.forget();
      t.strictSame(await policies(account(ADA, ROLE)), [STAFF, EDIT, OWN], `"${blank}"`);
    }
    await sql(`UPDATE system_policies SET ip_access = '10.0.0.0/8' WHERE id = '${LOCAL}'`);
    access.forget();
  });

  await t.test('a role that is its own ancestor ends the chain', async (t) => {
    await sql(`UPDATE system_roles SET parent = '${ROLE}' WHERE id = '${GRAND}'`);
    access.forget();
    const { roles } = await access.callerOf(account(ADA, PARENT), '10.0.0.1');
    t.strictSame(roles, [PARENT, GRAND, ROLE]);
    await sql(`UPDATE system_roles SET parent = NULL WHERE id = '${GRAND}'`);
    access.forget();
  });

  await t.test('a policy that is given twice counts once, where it weighs most', async (t) => {
    await sql(`INSERT INTO system_access ("user", policy) VALUES ('${ADA}', '${STAFF}')`);
    access.forget();
    t.strictSame(await policies(account(ADA, ROLE)), [LOCAL, EDIT, OWN, STAFF]);
  });
});

t.test('rights', async (t) => {
  const lines: { msg: string }[] = [];
  const { access, sql } = await open(t, lines);
  const rightsOf = async (who: Account | null) =>
    access.rightsOf(await access.callerOf(who, '10.0.0.1'));

  await t.test('are those of the rows', async (t) => {
    const anonymous = await rightsOf(null);
    t.strictSame(anonymous.of('notes', 'read'), [
      {
        collection: 'notes',
        action: 'read',
        fields: new Set(['id', 'title']),
        rule: null,
        validation: null,
        presets: {},
      },
    ]);
    t.strictSame(anonymous.of('notes', 'update'), []);
    t.equal(anonymous.reading.of('others'), null, 'without a row there is no access');
    const ada = await rightsOf(account(ADA, ROLE));
    const [update] = ada.of('notes', 'update');
    t.strictSame(update?.fields, new Set(), 'no fields are none');
    t.match(update?.rule, { kind: 'field', key: 'owner' });
    t.match(update?.validation, { kind: 'field', key: 'title' });
    t.strictSame(update?.presets, { title: 'new' });
    t.equal(ada.of('notes', 'read')[0]?.fields, null, '* is all of them');
    t.equal(ada.of('notes', 'read')[0]?.rule, null, '{} is every item');
    t.ok(ada.collections.has('gone'), 'rows may speak of what does not exist');
    t.equal(await rightsOf(account(ROOT)), FULL_RIGHTS);
  });

  await t.test(
    'are one object for all with the same policies, as long as these stay',
    async (t) => {
      const before = await rightsOf(account(BOB));
      t.equal(await rightsOf(null), before);
      t.equal(await rightsOf(account(EVE)), before);
      access.forget();
      t.equal(await rightsOf(null), before, 'reading the same again makes no new one');
      await sql("UPDATE system_permissions SET fields = 'id' WHERE fields = 'id, title'");
      access.forget();
      const after = await rightsOf(null);
      t.not(after, before);
      t.strictSame(after.of('notes', 'read')[0]?.fields, new Set(['id']));
    },
  );

  await t.test('come from rows that can be understood; others are named once', async (t) => {
    await sql(`INSERT INTO system_permissions (id, policy, collection, action, permissions, presets,
        validation, fields) VALUES
      (101, '${PUBLIC}', 'notes', 'publish', NULL, NULL, NULL, '*'),
      (102, '${PUBLIC}', 'notes', 'create', '"all"', NULL, NULL, '*'),
      (103, '${PUBLIC}', 'notes', 'create', '[1]', NULL, NULL, '*'),
      (104, '${PUBLIC}', 'notes', 'create', NULL, '[1]', NULL, '*'),
      (105, '${PUBLIC}', 'notes', 'create', NULL, NULL, '{"_and":7}', '*'),
      (106, '${PUBLIC}', 'notes', 'share', 'null', 'null', NULL, '*')`);
    access.forget();
    const rights = await rightsOf(null);
    const create = rights.of('notes', 'create');
    t.strictSame(
      create.map(({ validation }) => validation),
      create.map(() => NEVER),
      'nothing passes them',
    );
    t.strictSame(rights.of('notes', 'share')[0]?.rule, NEVER);
    t.equal(rights.of('notes', 'read').length, 1, 'and the others hold');
    access.forget();
    await rightsOf(null);
    await sql("UPDATE system_permissions SET fields = 'title' WHERE fields = 'id'");
    access.forget();
    await rightsOf(null);
    const named = lines.map(({ msg }) => /^permission (\d+)/.exec(msg)?.[1]);
    t.strictSame(named, ['101', '102', '103', '104', '105', '106']);
  });

  await t.test('of the app are those that it needs, beside the rows', async (t) => {
    await sql(`INSERT INTO system_access ("user", policy) VALUES ('${EVE}', '${APP}')`);
    access.forget();
    const caller = await access.callerOf(account(EVE), null);
    t.ok(caller.app);
    const rights = await access.rightsOf(caller);
    t.equal(rights.of('notes', 'read').length, 1);
    t.match(rights.of('system_users', 'read'), [{ rule: { kind: 'field', key: 'id' } }]);
    t.notOk(rights.of('system_users', 'read')[0]?.fields?.has('token'));
    t.notOk(rights.of('system_users', 'update')[0]?.fields?.has('email'));
    t.strictSame(rights.of('system_notifications', 'update')[0]?.fields, new Set(['status']));
    t.strictSame((await rightsOf(null)).of('system_users', 'read'), []);
  });
});

t.test('what changes is seen within a look', async (t) => {
  const { access, sql } = await open(t);
  const fields = async () => {
    const rights = await access.rightsOf(await access.callerOf(null, null));
    return [...(rights.of('notes', 'read')[0]?.fields ?? [])].join();
  };
  t.equal(await fields(), 'id,title');
  await sql("UPDATE system_permissions SET fields = 'title' WHERE fields = 'id, title'");
  let seen = '';
  await until(() => {
    fields().then((now) => {
      seen = now;
    });
    return seen === 'title';
  });
  await sql('DELETE FROM system_access');
  await until(() => {
    fields().then((now) => {
      seen = now;
    });
    return seen === '';
  });
  t.pass();
});

t.test('without contact to the counters nothing old counts', async (t) => {
  const { access, sql } = await open(t);
  const policies = async () => (await access.callerOf(null, null)).policies;
  t.strictSame(await policies(), [PUBLIC]);
  await sql(
    'ALTER TABLE system_state RENAME TO misplaced; DROP TRIGGER system_count_change_delete ON system_access',
  );
  await sql('DELETE FROM system_access');
  while ((await policies()).length > 0) await setTimeout(10);
  t.pass('though no counter changed');
  await sql('ALTER TABLE misplaced RENAME TO system_state');
});

t.test('contact that is lost for a while costs one look, not all that is known', async (t) => {
  const { pool, sql } = await open(t);
  let looks = 0;
  const catalog = {
    onAccess: () => () => undefined,
    inContact: () => false,
    trust: async () => {
      looks += 1;
    },
  };
  const log = pino({ level: 'silent' });
  const access = new AccessSource({ pool, schema: 'public', catalog, log });
  t.strictSame((await access.callerOf(null, null)).policies, [PUBLIC]);
  await sql('DELETE FROM system_access');
  t.strictSame((await access.callerOf(null, null)).policies, [PUBLIC], 'the read showed no change');
  t.equal(looks, 2);
});

t.test('what changes is forgotten, and nothing else', async (t) => {
  const { pool, sql } = await open(t);
  const catalog = {
    onAccess: () => () => undefined,
    inContact: () => true,
    trust: async () => undefined,
  };
  const log = pino({ level: 'silent' });
  const access = new AccessSource({ pool, schema: 'public', catalog, log });
  const none: ReadonlySet<string> = new Set();
  const nothing = {
    ...{ users: none, roles: none, policies: none, permissions: none, sessions: none },
    public: false,
  };
  const people = {
    ada: account(ADA, ROLE),
    bob: account(BOB),
    root: account(ROOT),
    eve: account(EVE, GRAND),
    anonymous: null,
  };
  const callers = async () =>
    Promise.all(Object.values(people).map((who) => access.callerOf(who, '10.0.0.1')));
  /** Whose policies are read again after these changes. */
  const concerned = async (changes: Partial<AccessChanges>) => {
    await sql('UPDATE system_policies SET enforce_tfa = false');
    access.forget();
    await callers();
    await sql('UPDATE system_policies SET enforce_tfa = true');
    access.forget({ ...nothing, ...changes });
    const read = (await callers()).map(({ enforceTfa }) => enforceTfa);
    return Object.keys(people).filter((_, index) => read[index]);
  };
  t.strictSame(await concerned({ users: new Set([ADA]) }), ['ada']);
  t.strictSame(await concerned({ roles: new Set([PARENT]) }), ['ada'], 'those below a role, too');
  t.strictSame(await concerned({ roles: new Set([GRAND]) }), ['ada', 'eve']);
  t.strictSame(await concerned({ policies: new Set([ADMIN]) }), ['root']);
  t.strictSame(await concerned({ public: true }), ['bob', 'root', 'anonymous']);
  t.strictSame(await concerned({ permissions: new Set([EDIT]), sessions: new Set([ADA]) }), []);

  const readable = async (who: Account | null) => {
    const rights = await access.rightsOf(await access.callerOf(who, '10.0.0.1'));
    return rights.of('notes', 'read').length > 0;
  };
  const all = async () => [await readable(people.ada), await readable(null)];
  t.strictSame(await all(), [true, true]);
  await sql('DELETE FROM system_permissions');
  t.strictSame(await all(), [true, true], 'nobody has announced it');
  access.forget({ ...nothing, permissions: new Set([PUBLIC]) });
  t.strictSame(await all(), [true, false]);
  access.forget({ ...nothing, policies: new Set([EDIT]) });
  t.strictSame(await all(), [false, false]);
});

t.test('a database that cannot be asked is no answer', async (t) => {
  const { config } = await open(t);
  const log = pino({ level: 'silent' });
  const pool = createPool(config, 'postgres://127.0.0.1:1/none', log, {
    name: 'test',
    statementTimeout: 0,
  });
  t.teardown(() => pool.end());
  const trust = async () => undefined;
  const catalog = { onAccess: () => () => undefined, inContact: () => true, trust };
  const access = new AccessSource({ pool, schema: 'public', catalog, log });
  await t.rejects(access.callerOf(null, null), { code: 'SERVICE_UNAVAILABLE' });
  await t.rejects(access.callerOf(null, null), { code: 'SERVICE_UNAVAILABLE' });
});
