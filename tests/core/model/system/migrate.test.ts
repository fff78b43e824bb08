import pg from 'pg';
import t from 'tap';
import { migrate } from '#core/model/system/migrate.ts';
import { SetupError } from '#core/model/system/setup-error.ts';
import { INTERNAL_TABLES, SYSTEM_COLLECTIONS } from '#core/model/system-collections/registry.ts';
import { asSuperuser, createDatabase, type Teardown } from '#tests/harness/database.ts';

async function connect(t: Teardown, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  t.teardown(() => client.end());
  return client;
}

t.test('an empty database gets every system table, once', async (t) => {
  const url = await createDatabase(t);
  const first = await migrate({ DATABASE_SCHEMA: ['public'] }, url);
  t.equal(first[0], 'system-collections');
  t.strictSame(await migrate({ DATABASE_SCHEMA: ['public'] }, url), []);
  const client = await connect(t, url);
  const { rows } = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  t.strictSame(
    rows.map(({ name }) => name).sort(),
    [...SYSTEM_COLLECTIONS.keys(), ...INTERNAL_TABLES].sort(),
  );
});

t.test('several starts at once migrate once', async (t) => {
  const url = await createDatabase(t);
  const applied = await Promise.all(
    [1, 2, 3].map(() => migrate({ DATABASE_SCHEMA: ['public'] }, url)),
  );
  t.equal(applied.filter((names) => names.length > 0).length, 1);
});

t.test('two installations share a database in schemas of any name', async (t) => {
  const url = await createDatabase(t);
  for (const schema of ['Odd "name"', 'other']) {
    const applied = await migrate({ DATABASE_SCHEMA: [schema, 'public'] }, url);
    t.equal(applied[0], 'system-collections', schema);
  }
  const client = await connect(t, url);
  const { rows } = await client.query(
    "SELECT schemaname FROM pg_tables WHERE tablename = 'system_users' ORDER BY 1",
  );
  t.strictSame(rows, [{ schemaname: 'Odd "name"' }, { schemaname: 'other' }]);
});

t.test('a database that a later release migrated is not changed', async (t) => {
  const url = await createDatabase(t);
  await migrate({ DATABASE_SCHEMA: ['public'] }, url);
  const client = await connect(t, url);
  await client.query("INSERT INTO system_migrations (version, name) VALUES (9999, 'later')");
  t.strictSame(await migrate({ DATABASE_SCHEMA: ['public'] }, url), []);
});

t.test('the error for a missing privilege names the GRANT', async (t) => {
  const url = new URL(await createDatabase(t));
  const role = `guest_${url.pathname.slice(1)}`;
  await asSuperuser(async (client) => {
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'guest'`);
    await client.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
  }, url.pathname.slice(1));
  t.teardown(() => asSuperuser(async (client) => void (await client.query(`DROP ROLE ${role}`))));
  url.username = role;
  url.password = 'guest';
  await t.rejects(migrate({ DATABASE_SCHEMA: ['public'] }, url.href), {
    constructor: SetupError,
    message: new RegExp(`GRANT CREATE ON SCHEMA "public" TO "${role}"`),
  });
  await t.rejects(migrate({ DATABASE_SCHEMA: ['absent'] }, url.href), {
    constructor: SetupError,
    message: new RegExp(`CREATE SCHEMA "absent" AUTHORIZATION "${role}"`),
  });
});
