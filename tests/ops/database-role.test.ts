import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { freePort } from '#ops/embedded/postgres.ts';
import { asSuperuser } from '#tests/harness/database.ts';
import { Run, temporaryFolder } from './supervisor/stand-in/run.ts';

const DOCUMENT = join(import.meta.dirname, '../../ops/docs/database-role.md');
const id = randomBytes(4).toString('hex');
const ROLE = `role_${id}`;
const DATABASE = `test_${id}`;
const SCHEMA = 'shop_data';
/** Connections with which an edge and a worker work, on PostgreSQL alone. */
const LEAST = 16;

/** The document's statements for a database that exists already, for the names of this test. */
function documentedSql(): string {
  const section = readFileSync(DOCUMENT, 'utf8').split('## An existing database')[1] ?? '';
  return (/```sql\n(.*?)```/s.exec(section)?.[1] ?? '')
    .replaceAll(/\bsluice\b/g, ROLE)
    .replaceAll(/\bshop\b/g, DATABASE)
    .replaceAll(/\bpublic\b/g, SCHEMA);
}

function runAsSuperuser(text: string, database?: string): Promise<void> {
  return asSuperuser(async (client) => void (await client.query(text)), database);
}

function roleUrl(): string {
  const url = new URL(process.env.TEST_POSTGRES_URL ?? '');
  url.pathname = `/${DATABASE}`;
  url.username = ROLE;
  url.password = 'choose one';
  return url.href;
}

t.test('the documented rights are enough, on tables that belong to somebody else', async (t) => {
  await runAsSuperuser(`CREATE DATABASE ${DATABASE}`);
  t.teardown(async () => {
    await runAsSuperuser(`DROP DATABASE ${DATABASE} WITH (FORCE)`);
    await runAsSuperuser(`DROP ROLE ${ROLE}`);
  });
  await runAsSuperuser(
    `REVOKE ALL ON DATABASE ${DATABASE} FROM PUBLIC;
      CREATE SCHEMA ${SCHEMA};
      CREATE TABLE ${SCHEMA}.things (id serial PRIMARY KEY, name text);
      INSERT INTO ${SCHEMA}.things (name) VALUES ('one')`,
    DATABASE,
  );
  const statements = documentedSql();
  const forQueue = /GRANT CREATE ON DATABASE.*/.exec(statements)?.[0] ?? '';
  await runAsSuperuser(statements.replace(forQueue, ''), DATABASE);
  const port = String(await freePort());
  const env = {
    DATABASE_URL: roleUrl(),
    DATABASE_SCHEMA: SCHEMA,
    PORT: port,
    DATA_DIR: join(temporaryFolder(t), 'data'),
    EDGE_PROCESSES: '1',
  };
  const refused = await new Run(t, env, 'ops/start.ts').exited;
  t.equal(refused.code, 1);
  t.match(refused.stderr, /^DATABASE_URL: .*GRANT CREATE ON DATABASE.*\n$/);

  await runAsSuperuser(forQueue, DATABASE);
  await runAsSuperuser(`ALTER ROLE ${ROLE} CONNECTION LIMIT ${LEAST - 1}`);
  const short = await new Run(t, env, 'ops/start.ts').exited;
  t.equal(short.code, 1);
  t.match(
    short.stderr,
    new RegExp(`^DATABASE_URL: .* ${LEAST - 1} connections .* ${LEAST} at the`),
  );

  // As few connections are enough, too.
  await runAsSuperuser(`ALTER ROLE ${ROLE} CONNECTION LIMIT ${LEAST}`);
  const run = new Run(t, env, 'ops/start.ts');
  await run.prints('Ctrl-C stops it');
  const headers = { Authorization: `Bearer ${/Bearer ([^"]+)/.exec(run.stdout)?.[1]}` };
  const form = new FormData();
  const csv = new Blob(['id,name\n1,first\n2,two\n'], { type: 'text/csv' });
  form.append('file', csv, 'things.csv');
  const url = `http://127.0.0.1:${port}`;
  const imported = await fetch(`${url}/utils/import/things`, {
    ...{ method: 'POST', headers, body: form },
  });
  t.equal(imported.status, 200, await imported.text());
  const items = await fetch(`${url}/items/things`, { headers });
  t.strictSame(await items.json(), {
    data: [
      { id: 1, name: 'first' },
      { id: 2, name: 'two' },
    ],
  });
  const health = await fetch(`${url}/server/health`, { headers });
  t.match(await health.json(), {
    checks: { 'pg:connectionsAllowed': [{ status: 'warn', output: `allows ${LEAST}` }] },
  });
  t.equal(run.stdout.split(`PostgreSQL allows ${LEAST}`).length, 2, 'it warns once');
  t.notMatch(run.stdout, 'process ended');
});
