import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import t from 'tap';
import { openBus } from '#core/messaging/open-message-bus.ts';
import { openCatalog } from '#core/model/catalog/open-catalog.ts';
import { until } from '#tests/harness/until.ts';
import { install } from './installation.ts';

const log = pino({ level: 'silent' });
const POLICY = '00000000-0000-4000-8000-000000000001';
const TABLES = `CREATE TABLE a (id int PRIMARY KEY, title text, secret text);
  CREATE TABLE b (id int PRIMARY KEY); CREATE TABLE c (id int PRIMARY KEY);
  CREATE SCHEMA other;`;

t.test('permissions are revoked with their objects', async (t) => {
  const { sql, pool, open } = await install(t, TABLES);
  await sql(`INSERT INTO system_policies (id, name) VALUES ('${POLICY}', 'p');
    INSERT INTO system_fields (collection, field, special) VALUES ('a', 'list', 'alias,o2m');
    INSERT INTO system_permissions (policy, collection, action, fields) VALUES
      ('${POLICY}', 'a', 'read', 'id, secret,title,list,never'), ('${POLICY}', 'a', 'create', '*'),
      ('${POLICY}', 'a', 'update', 'secret'), ('${POLICY}', 'a', 'delete', NULL),
      ('${POLICY}', 'b', 'read', '*'), ('${POLICY}', 'c', 'read', 'secret'),
      ('${POLICY}', 'never', 'read', '*')`);
  const keeper = await open(true);
  const follower = await open(false);
  const rights = async () => {
    const { rows } = await pool.query<{ text: string }>(
      `SELECT concat_ws(' ', collection, action, fields) AS text FROM system_permissions ORDER BY id`,
    );
    return rows.map(({ text }) => text);
  };
  const moved = new Promise<number>((resolve) => follower.onCounter('access', resolve));

  await sql('ALTER TABLE a DROP COLUMN secret');
  await until(() => keeper.current().collections.get('a')?.fields.has('secret') === false);
  t.strictSame(await rights(), [
    'a read id,title,list,never',
    'a create *',
    'a update',
    'a delete',
    'b read *',
    'c read secret',
    'never read *',
  ]);
  t.ok((await moved) > 0, 'every process is notified');

  await sql("ALTER TABLE a ADD COLUMN secret text; DELETE FROM system_fields WHERE field = 'list'");
  await keeper.refresh();
  t.equal((await rights())[0], 'a read id,title,never', 'and an alias is a field');

  await sql('DROP TABLE b');
  await keeper.refresh();
  await sql('CREATE TABLE b (id int PRIMARY KEY)');
  await keeper.refresh();
  t.notOk(
    (await rights()).some((text) => text.startsWith('b')),
    'a recreated field has no permissions',
  );

  const before = await rights();
  await sql('ALTER TABLE c RENAME TO "c/c"');
  await keeper.refresh();
  t.notOk(
    (await rights()).some((text) => text.startsWith('c ')),
    'a renamed object is a different one',
  );
  t.strictSame(
    await rights(),
    before.filter((text) => !text.startsWith('c ')),
  );
});

t.test('hidden objects keep their permissions', async (t) => {
  const setup = `${TABLES} CREATE TABLE other.z (id int PRIMARY KEY);`;
  const { sql, pool, config, url, open } = await install(t, setup, 'public,other');
  await sql(`INSERT INTO system_policies (id, name) VALUES ('${POLICY}', 'p');
    INSERT INTO system_permissions (policy, collection, action) VALUES ('${POLICY}', 'z', 'read')`);
  const wide = await open(false);
  t.ok(wide.current().collections.has('z'));
  const bus = await openBus(config, url, randomUUID(), log);
  const narrow = await openCatalog(
    { DATABASE_SCHEMA: ['public'] },
    { pool, kind: 'test', bus, log, keep: false },
  );
  t.teardown(async () => {
    await narrow.close();
    await bus.close();
  });
  t.notOk(narrow.current().collections.has('z'));
  const { rows } = await pool.query('SELECT collection FROM system_permissions');
  t.strictSame(rows, [{ collection: 'z' }]);
});
