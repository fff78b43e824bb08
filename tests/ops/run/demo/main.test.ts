// @newest @rare @slow

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import pg from 'pg';
import t from 'tap';
import { createDatabase } from '#tests/harness/database.ts';
import { freePort } from '#tests/harness/port.ts';
import { Run, temporaryFolder } from '#tests/ops/run/supervisor/stand-in/run.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const DEMO = 'ops/run/demo/main.ts';
const AIRPORTS = 3_376;
const ROUTES = 5_366;

/** What the printed lines for the shell ask, sent again as they stand. */
async function askAgain(printed: string, token: string): Promise<unknown[]> {
  const urls = [...printed.matchAll(/"(http:\/\/[^"]+)"/g)].map(([, url = '']) => url);
  return Promise.all(
    urls.map(async (url) => {
      const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
      return response.json();
    }),
  );
}

/** The shell's lines of the README that send requests, each after the one that reads the token. */
function readmeLines(): string[] {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const blocks = Array.from(readme.matchAll(/^```sh\n(.*?)^```$/gms), ([, text = '']) => text);
  const lines = blocks.join('\n').replaceAll('\\\n', ' ').split('\n');
  const preparation = lines.find((line) => line.startsWith('. ')) ?? '';
  return lines
    .filter((line) => line.startsWith('curl'))
    .map((line) => `${preparation}; ${line.replace('curl', 'curl -sS')}`);
}

t.test('beside npm start with an embedded database, twice', async (t) => {
  const port = await freePort();
  const dataDir = join(temporaryFolder(t), 'data');
  const env = { DATA_DIR: dataDir, EDGE_PROCESSES: '1' };
  await new Run(t, { ...env, PORT: String(port) }, 'ops/start.ts').prints('Ctrl-C stops it');
  // The demo gets no port: it finds the one in the running file of the installation.

  const first = await new Run(t, env, DEMO).exited;
  t.equal(first.code, 0, first.stderr);
  t.match(first.stdout, 'Created the tables');
  t.match(first.stdout, 'airports.csv: 3,376 inserted');
  t.match(first.stdout, 'flights-airport.csv: 5,366 inserted');
  t.match(first.stdout, `. ${dataDir}/initial-admin.env`);
  t.match(first.stdout, '{"origin":"ATL","sum":{"count":"414513"}}');

  const { ADMIN_TOKEN: token = '' } = parseEnv(
    readFileSync(join(dataDir, 'initial-admin.env'), 'utf8'),
  );
  const answers = await askAgain(first.stdout, token);
  t.match(answers, Array(3).fill({ data: Array(5).fill(Object) }), 'the printed lines work');

  const patched = await fetch(`http://127.0.0.1:${port}/items/airports/LAX`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ city: 'elsewhere' }),
  });
  t.equal(patched.status, 200);
  const second = await new Run(t, env, DEMO).exited;
  t.equal(second.code, 0, second.stderr);
  t.match(second.stdout, 'airports.csv: 1 updated, 3,375 unchanged');
  t.match(second.stdout, 'flights-airport.csv: 5,366 unchanged');

  for (const line of readmeLines()) {
    const command = line
      .replaceAll('http://127.0.0.1:8055', `http://127.0.0.1:${port}`)
      .replaceAll('.data/', `${dataDir}/`);
    const { stdout } = await promisify(execFile)('bash', ['-ec', command], { cwd: ROOT });
    t.notMatch(stdout, '"errors"', line);
  }

  const wrong = await new Run(t, { ...env, ADMIN_TOKEN: 'nobody-has-this-one' }, DEMO).exited;
  t.equal(wrong.code, 1);
  t.match(wrong.stderr, /^ADMIN_TOKEN: .+\n$/);
});

t.test('where nothing runs it starts a Sluice, and stops it', async (t) => {
  const url = await createDatabase(t);
  const port = await freePort();
  const env = {
    DATABASE_URL: url,
    DATA_DIR: join(temporaryFolder(t), 'data'),
    PORT: String(port),
    EDGE_PROCESSES: '1',
    ADMIN_TOKEN: 'the-token-of-this-test',
  };
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  const count = async (table: string) => {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${table}`,
    );
    return rows[0]?.count;
  };

  const { code, stdout, stderr } = await new Run(t, env, DEMO).exited;
  t.equal(code, 0, stderr);
  t.notMatch(stdout, 'initial-admin.env');
  t.equal(await count('airports'), AIRPORTS);
  t.equal(await count('routes'), ROUTES);
  await t.rejects(fetch(`http://127.0.0.1:${port}/server/ping`), 'nothing is left running');

  await client.query('DROP TABLE routes; CREATE TABLE routes (id int PRIMARY KEY)');
  const foreign = await new Run(t, env, DEMO).exited;
  t.equal(foreign.code, 1);
  t.match(foreign.stderr, /^The database has its own table routes, .+\n$/);
  t.equal(await count('routes'), 0, "somebody's table is left alone");
});

t.test('another program on the port', async (t) => {
  const otherServer = createServer((_, response) => response.end('hello'));
  otherServer.listen(0, '127.0.0.1');
  await once(otherServer, 'listening');
  t.teardown(() => otherServer.close());
  const address = otherServer.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const env = { DATA_DIR: join(temporaryFolder(t), 'data'), PORT: String(port) };
  const { code, stderr } = await new Run(t, env, DEMO).exited;
  t.equal(code, 1);
  t.match(stderr, /^PORT: .+ is in use by another program.+\n$/);
});
