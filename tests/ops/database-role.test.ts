// @newest

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { asSuperuser } from '#tests/harness/database.ts';
import { completeHealth } from '#tests/harness/health.ts';
import { freePort } from '#tests/harness/port.ts';
import { Run, temporaryFolder } from './run/supervisor/stand-in/run.ts';

const DOCUMENT = join(import.meta.dirname, '../../ops/docs/database-role.md');
const id = randomBytes(4).toString('hex');
const ROLE = `role_${id}`;
const DATABASE = `test_${id}`;
const SCHEMA = 'shop_data';
const TOKEN = 'a-token-of-the-first-admin';
/** Connections with which an edge and a worker work, on PostgreSQL alone. */
const LEAST = 13;

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
      CREATE TABLE ${SCHEMA}.others (id serial PRIMARY KEY, name text);
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
    new RegExp(`^DATABASE_URL: .* ${LEAST - 1} connections .* at least ${LEAST}: `),
  );

  // As few connections are enough, too, and they are for two edges what they are for one.
  for (const { limit, edges } of [
    { limit: LEAST, edges: 1 },
    { limit: 20, edges: 2 },
  ]) {
    await runAsSuperuser(`ALTER ROLE ${ROLE} CONNECTION LIMIT ${limit}`);
    const run = new Run(t, { ...env, EDGE_PROCESSES: '2', ADMIN_TOKEN: TOKEN }, 'ops/start.ts');
    await run.prints('Ctrl-C stops it');
    t.match(run.stdout, new RegExp(`Running +${edges} edge`));
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const url = `http://127.0.0.1:${port}`;
    const importInto = async (table: string) => {
      const form = new FormData();
      const csv = new Blob(['id,name\n1,first\n2,two\n'], { type: 'text/csv' });
      form.append('file', csv, 'rows.csv');
      const init = { method: 'POST', headers, body: form };
      const response = await fetch(`${url}/utils/import/${table}`, init);
      t.equal(response.status, 200, await response.text());
    };
    await Promise.all([importInto('things'), importInto('others')]);
    const items = await fetch(`${url}/items/things`, { headers });
    t.strictSame(await items.json(), {
      data: [
        { id: 1, name: 'first' },
        { id: 2, name: 'two' },
      ],
    });
    const health = await completeHealth(async () =>
      bodyOf<object>(await fetch(`${url}/server/health`, { headers })),
    );
    t.match(health, {
      checks: { 'pg:connectionsAllowed': [{ status: 'warn', output: `allows ${limit}` }] },
    });
    t.equal(run.stdout.split(`PostgreSQL allows ${limit}`).length, 2, 'it warns once');
    t.notMatch(run.stdout, 'process ended');
    t.notMatch(run.stdout, 'timeout exceeded', 'no job waits for what another has');
    run.process.kill('SIGTERM');
    await run.exited;
  }
});
