// @newest @slow
/** Big answers, slow clients and clients that go away, seen from PostgreSQL's side. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t from 'tap';
import { bodyOf, type ErrorsBody } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

/** Rows of `wide` and characters of each: far more than sockets hold. */
const ROWS = 30_000;
const WIDTH = 2_048;
/** The row of `broken` that cannot be computed. */
const BAD_ROW = 3_000;
const ANSWERS = [
  '',
  ...['csv', 'csv_utf8', 'json', 'ndjson', 'xml', 'yaml'].map((format) => `&export=${format}`),
];

const TABLES = `
CREATE TABLE wide (id int PRIMARY KEY, filler text);
INSERT INTO wide SELECT i, repeat(md5(i::text), ${WIDTH / 32}) FROM generate_series(1, ${ROWS}) i;
CREATE SEQUENCE taken;
CREATE VIEW counted AS SELECT id, filler, nextval('taken') AS n FROM wide ORDER BY id;
CREATE VIEW broken AS SELECT id, filler, 1 / (${BAD_ROW} - id) AS quotient FROM wide;
CREATE VIEW heavy AS SELECT count(*) AS pairs
  FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b WHERE a + b > 0;
CREATE VIEW trap AS SELECT id, CASE WHEN id = 2 THEN pg_sleep(60)::text ELSE 'quick' END AS word
  FROM wide;
`;

let cluster: Cluster;
let port: number;

t.afterEach(() => poolIsFree());

t.before(async () => {
  cluster = await startCluster(t, { env: { DATABASE_POOL_MAX: '4' } });
  port = Number(new URL(cluster.url).port);
  await cluster.db.query(TABLES);
  await until(async () => (await cluster.fetch('/items/trap?limit=0')).ok, 'the views are known');
});

/** Sends a request and reads nothing yet. */
async function ask(path: string, to = port, method = 'GET'): Promise<Socket> {
  const socket = connect({ port: to, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  socket.pause();
  await once(socket, 'connect');
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n\r\n`,
  );
  return socket;
}

/** Reads until the answer ends, by its last chunk, or the connection does. */
async function readOut(socket: Socket): Promise<{ text: string; whole: boolean }> {
  const chunks: Buffer[] = [];
  let tail = '';
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    tail = (tail + chunk.subarray(-5).toString('latin1')).slice(-5);
    if (tail === '0\r\n\r\n') socket.destroy();
  });
  socket.resume();
  await once(socket, 'close');
  return { text: Buffer.concat(chunks).toString(), whole: tail === '0\r\n\r\n' };
}

interface Backend {
  readonly application: string;
  readonly waits: string | null;
}

/** The edges' sessions that are at a statement with this text. */
async function busy(text: string): Promise<readonly Backend[]> {
  const { rows } = await cluster.db.query<Backend>(
    `SELECT application_name AS application, wait_event AS waits FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'sluice edge%'
       AND state <> 'idle' AND query LIKE '%' || $1 || '%'`,
    [text],
  );
  return rows;
}

const begins = (text: string) =>
  until(async () => (await busy(text))[0], `a statement about ${text} runs`);
const ends = (text: string) =>
  until(async () => (await busy(text)).length === 0, `nothing about ${text} runs`);

async function poolIsFree(): Promise<void> {
  await until(async () => {
    const health = await cluster.fetch('/server/health');
    const { checks } = JSON.parse(await health.text());
    return checks['pg:connectionsUsed'][0].observedValue === 0;
  }, 'no connection of the pool is held');
}

async function rowsTaken(): Promise<number> {
  const { rows } = await cluster.db.query<{ n: number }>('SELECT last_value::int AS n FROM taken');
  return rows[0]?.n ?? 0;
}

t.test(
  'a client that does not read holds the portal back, and gets all when it does',
  async (t) => {
    const socket = await ask('/items/counted?limit=-1');
    const taken = await until(async () => {
      const before = await rowsTaken();
      // Others are served meanwhile, so that the stream had its time to run ahead.
      for (let time = 0; time < 5; time += 1) await cluster.fetch('/items/wide/1?fields=id');
      const [backend] = await busy('counted');
      return backend?.waits === 'ClientRead' && (await rowsTaken()) === before && before;
    }, 'PostgreSQL is not asked for more');
    t.ok(taken < ROWS / 2, `${taken} of ${ROWS} rows were taken`);
    const { text, whole } = await readOut(socket);
    t.equal(whole, true);
    t.equal(await rowsTaken(), ROWS);
    t.equal(text.match(/"filler":/g)?.length, ROWS);
  },
);

t.test('a client that goes away while it is sent rows ends the statement', async (t) => {
  for (const [index, how] of ANSWERS.entries()) {
    const socket = await ask(`/items/wide?limit=-1${how}`);
    await once(socket, 'readable');
    await begins('wide');
    if (index % 2 === 0) socket.resetAndDestroy();
    else socket.destroy();
    await ends('wide');
    await poolIsFree();
    t.pass(how);
  }
});

t.test('a client that goes away before the first row ends the statement', async (t) => {
  const paths = ['heavy', 'heavy?fields=pairs', ...ANSWERS.map((how) => `heavy?limit=-1${how}`)];
  for (const path of paths) {
    const socket = await ask(`/items/${path}`);
    await begins('heavy');
    socket.destroy();
    await ends('heavy');
    await poolIsFree();
    t.pass(path);
  }
});

t.test('a client that goes away ends a statement that shares its connection', async (t) => {
  const path = (id: number) => `/items/trap?filter[id][_eq]=${id}`;
  // Known and quick by now, so that it goes where short reads go.
  for (let time = 0; time < 20; time += 1) {
    t.match(await (await cluster.fetch(path(1))).text(), 'quick');
  }
  const socket = await ask(path(2));
  t.match(await begins('trap'), { application: 'sluice edge pages' });
  const others = Array.from({ length: 10 }, async () => (await cluster.fetch(path(1))).text());
  socket.destroy();
  await ends('trap');
  t.match(await Promise.all(others), Array(10).fill(/quick/), 'those behind it are answered');
});

t.test('HEAD of a big answer leaves nothing behind', async (t) => {
  for (const how of [...ANSWERS, ...ANSWERS]) {
    const { status } = await cluster.fetch(`/items/wide?limit=-1${how}`, { method: 'HEAD' });
    t.equal(status, 200);
  }
  await ends('wide');
});

t.test('an error after the first byte cuts the connection', async (t) => {
  for (const how of ANSWERS) {
    const { text, whole } = await readOut(await ask(`/items/broken?limit=-1${how}`));
    t.match(text, /^HTTP\/1.1 200 OK\r\n/, how);
    t.ok(text.length > WIDTH, 'rows were sent before');
    t.equal(whole, false, 'the last chunk is missing');
    t.notMatch(text.slice(-100), /\](\}|\s)|<\/data>/, 'and so is the end of the list');
  }
  const first = await cluster.fetch(`/items/broken?limit=-1&filter[id][_gte]=${BAD_ROW}`);
  t.equal(first.status, 400, 'before the first byte it is an answer');
});

t.test('time and connections are bounded', async (t) => {
  const env = { QUERY_TIMEOUT: '2s', DATABASE_POOL_WAIT: '3s' };
  const other = await cluster.addEdge(env);
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const answer = await fetch(`${other.url}${path}`, { headers });
    const [error] = (await bodyOf<ErrorsBody>(answer)).errors ?? [];
    return { status: answer.status, retry: answer.headers.get('retry-after'), error };
  };
  for (const path of ['/items/heavy', '/items/heavy?limit=-1', '/items/heavy?export=csv']) {
    t.match(await get(path), {
      status: 503,
      retry: /^\d+$/,
      error: { message: /QUERY_TIMEOUT/, extensions: { code: 'SERVICE_UNAVAILABLE' } },
    });
  }
  await ends('heavy');
  const held = await Promise.all(
    [1, 2].map(() => ask('/items/wide?limit=-1', Number(new URL(other.url).port))),
  );
  await until(async () => (await busy('wide')).length === 2, 'both are streams');
  t.match(await get('/items/wide?limit=-1'), {
    status: 429,
    retry: '3',
    error: { extensions: { code: 'REQUESTS_EXCEEDED', variable: 'STREAM_MAX_PER_USER' } },
  });
  // By now they have taken longer than a statement may, but for nothing of PostgreSQL's doing.
  for (const { text, whole } of await Promise.all(held.map(readOut))) {
    t.equal(whole, true);
    t.equal(text.match(/"filler":/g)?.length, ROWS);
  }
  t.equal((await get('/items/wide?limit=1')).status, 200);
});
