/**
 * A transaction pooler with five connections between an edge and its database: with many clients at once
 * it answers and writes what it would without, also while tables change under it. One that loses prepared
 * statements is refused; a newer one is found in PATH before that of Debian.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { startPooler } from '#tests/harness/pooler.ts';
import { freePort } from '#tests/harness/port.ts';
import { Run, temporaryFolder } from '#tests/ops/run/supervisor/stand-in/run.ts';

/** How long tables change, and the longest answer meanwhile: the schema's locks last a moment each. */
const CHANGING_MS = 20_000;
const LATEST_MS = 15_000;

const CLIENTS = 24;
const ROUNDS = 30;

const { databaseUrl, db, startEdge, startWorker } = await startCluster(t, { edges: 0 });
await db.query(`
  CREATE TABLE author (id serial PRIMARY KEY, name text NOT NULL);
  CREATE TABLE article (id serial PRIMARY KEY, title text, author int REFERENCES author);
  INSERT INTO author (name) SELECT 'author ' || n FROM generate_series(1, 50) n;
  INSERT INTO article (title, author) SELECT 'article ' || n, 1 + n % 50 FROM generate_series(1, 2000) n`);
const pooler = await startPooler(t, databaseUrl);
t.comment(`PgBouncer ${pooler.version}`);
const port = await freePort();
const env = {
  DATABASE_URL: pooler.url,
  DATABASE_DIRECT_URL: databaseUrl,
  WORKER_PROCESSES: '1',
};

/** From this release on it keeps prepared statements. */
const KEEPS = [1, 21] as const;
const [major = 0, minor = 0] = pooler.version.split('.').map(Number);
const keeps = major > KEEPS[0] || (major === KEEPS[0] && minor >= KEEPS[1]);

async function ask(
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; text: string }> {
  const type = init.body instanceof FormData ? {} : { 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...type },
  });
  return { status: response.status, text: await response.text() };
}

async function manyClients(t: Test): Promise<void> {
  const wrong: string[] = [];
  const expect = async (
    name: string,
    work: Promise<{ status: number; text: string }>,
    part: string,
  ) => {
    const { status, text } = await work;
    if (status !== 200 || !text.includes(part))
      wrong.push(`${name}: ${status} ${text.slice(0, 300)}`);
  };
  const client = async (number: number) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = 1 + ((number * ROUNDS + round) % 50);
      const title = `new ${number} ${round}`;
      await expect('item', ask(`/items/author/${id}`), `"author ${id}"`);
      await expect('nested', ask(`/items/article/${id}?fields=title,author.name`), '"author":{');
      await expect('list', ask(`/items/article?filter[author][_eq]=${id}&limit=3`), '"data":[{');
      await expect(
        'group',
        ask('/items/article?groupBy=author&aggregate[count]=*&limit=2'),
        '"count"',
      );
      const body = JSON.stringify({ title, author: id });
      await expect('create', ask('/items/article', { method: 'POST', body }), title);
      const update = JSON.stringify({ name: `author ${id}` });
      await expect(
        'update',
        ask(`/items/author/${id}`, { method: 'PATCH', body: update }),
        'author',
      );
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  t.strictSame(wrong.slice(0, 5), [], `${wrong.length} answers are wrong`);
  const { rows } = await db.query(
    "SELECT count(*)::int AS n FROM article WHERE title LIKE 'new %'",
  );
  t.same(rows, [{ n: CLIENTS * ROUNDS }]);
}

/** Reads and writes while others change the tables, by SQL as an operator does. */
async function besideChanges(t: Test): Promise<void> {
  const wrong: string[] = [];
  let slowest = 0;
  let isOver = false;
  let answers = 0;
  const expect = async (name: string, work: () => ReturnType<typeof ask>) => {
    const since = performance.now();
    const { status, text } = await work();
    slowest = Math.max(slowest, performance.now() - since);
    answers += 1;
    if (status !== 200) wrong.push(`${name}: ${status} ${text.slice(0, 300)}`);
  };
  const send = (path: string, method: string, body: object) =>
    ask(path, { method, body: JSON.stringify(body) });
  const client = async (number: number) => {
    for (let round = 0; !isOver; round += 1) {
      const id = 1 + ((round * 7 + number * 131) % 2_000);
      const title = `changed ${round}`;
      await expect('create', () => send('/items/article', 'POST', { title, author: 1 }));
      await expect('update', () => send(`/items/article/${id}`, 'PATCH', { title }));
      await expect('nested', () =>
        send(`/items/article/${id}`, 'PATCH', { author: { name: title } }),
      );
      await expect('read', () => ask(`/items/article/${id}?fields=*,author.*`));
    }
  };
  const clients = Array.from({ length: CLIENTS / 2 }, (_, number) => client(number));
  const end = performance.now() + CHANGING_MS;
  for (let number = 1; performance.now() < end; number += 1) {
    const changes = [
      `ADD COLUMN added_${number} int DEFAULT 1`,
      `ALTER COLUMN title TYPE ${number % 2 === 0 ? 'text' : 'varchar'}`,
      `DROP COLUMN added_${number}`,
    ];
    for (const change of changes) {
      await db.query(`ALTER TABLE article ${change}`);
      await delay(150);
    }
  }
  isOver = true;
  await Promise.all(clients);
  t.strictSame(wrong.slice(0, 5), [], `${wrong.length} of ${answers} answers are wrong`);
  t.ok(slowest < LATEST_MS, `the slowest answer took ${Math.round(slowest)} ms`);
}

async function streamsAndImports(t: Test): Promise<void> {
  const all = await ask('/items/article?limit=-1&export=ndjson&fields=id');
  t.equal(all.status, 200);
  t.equal(all.text.trim().split('\n').length, 2_000 + CLIENTS * ROUNDS);
  const form = new FormData();
  form.set('file', new File(['name\nimported\n'], 'a.csv', { type: 'text/csv' }));
  const imported = await ask('/utils/import/author', { method: 'POST', body: form });
  t.equal(imported.status, 200, imported.text);
  t.match((await ask('/items/author?filter[name][_eq]=imported')).text, '"imported"');
}

async function refusal(t: Test): Promise<void> {
  const data = join(temporaryFolder(t), 'data');
  const variables = { ...env, PORT: String(port), DATA_DIR: data };
  const { code, stderr } = await new Run(t, variables, 'ops/start.ts').exited;
  t.equal(code, 1);
  t.match(stderr, /^DATABASE_URL: the pooler at [^\n]+ 1\.21 [^\n]+\n$/);
}

if (keeps) {
  await startEdge(port, env);
  await startWorker(env);
  t.test('reads and writes of many clients', manyClients);
  t.test('streams and imports', streamsAndImports);
  t.test('reads and writes beside changes of their tables', besideChanges);
} else {
  t.test('one that loses prepared statements is refused by one line', refusal);
}
t.test('a start past it is none', async (t) => {
  const data = join(temporaryFolder(t), 'data');
  const variables = { DATABASE_URL: databaseUrl, DATABASE_DIRECT_URL: databaseUrl, DATA_DIR: data };
  const run = new Run(t, { ...variables, PORT: String(await freePort()) }, 'ops/start.ts');
  await run.prints('Ctrl-C stops it');
});
