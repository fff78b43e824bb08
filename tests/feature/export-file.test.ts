// @newest @slow
/** Exports to files: the job, its rights, its file and what becomes of it when a worker dies. */
import t from 'tap';
import {
  ADMIN_TOKEN,
  type Cluster,
  type Member,
  QUICK_TAKEOVER,
  startCluster,
} from '#tests/harness/cluster.ts';
import { createMember, sendAs } from '#tests/harness/member.ts';
import { storedFiles } from '#tests/harness/stored-files.ts';
import { until } from '#tests/harness/until.ts';

const ROWS = 3_000;

let cluster: Cluster;
let worker: Member;

function send(method: string, path: string, body?: unknown) {
  return sendAs(cluster, ADMIN_TOKEN, method, path, body);
}

/** Submits an export and returns the path of its job. */
async function submit(body: object, token = ADMIN_TOKEN, collection = 'item'): Promise<string> {
  const answer = await cluster.fetch(`/utils/export/${collection}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  t.equal(answer.status, 204, await answer.text());
  return answer.headers.get('location') ?? '';
}

async function ended(job: string) {
  await until(async () => (await send('GET', job)).body.data.finished_on !== null, 'the job ends');
  return (await send('GET', job)).body.data;
}

async function exported(body: object): Promise<string> {
  const job = await submit(body);
  t.match(await ended(job), { state: 'completed' });
  // `text()` would drop a byte order mark.
  const file = await cluster.fetch(`${job}/file`);
  return Buffer.from(await file.arrayBuffer()).toString('utf8');
}

function spooled(): string[] {
  return storedFiles(cluster);
}

t.before(async () => {
  cluster = await startCluster(t, { env: { ...QUICK_TAKEOVER, JOB_FILES_MAX: '4' } });
  await cluster.db.query(`
    CREATE TABLE owner (id int PRIMARY KEY, name text);
    INSERT INTO owner VALUES (1, 'null'), (2, '=cmd');
    CREATE TABLE item (
      id int PRIMARY KEY, name text, owner int REFERENCES owner, secret text, doc jsonb,
      twice int GENERATED ALWAYS AS (id * 2) STORED);
    INSERT INTO item SELECT n, CASE n % 3 WHEN 0 THEN '' WHEN 1 THEN 'name "' || n || '"' END,
      n % 2 + 1, 'secret', '{"n": [1, null]}' FROM generate_series(1, ${ROWS}) AS n`);
  await until(
    async () => (await send('GET', '/items/item?limit=1&fields=owner.name')).status === 200,
    'tables',
  );
});

t.test('a file is written by a worker, and belongs to who wanted it', async (t) => {
  const stranger = await createMember(cluster, [{ collection: 'item', action: 'read' }]);
  const query = { filter: { id: { _lte: 3 } }, sort: ['-id'] };
  const job = await submit({ query, format: 'csv', file: { title: 'My items' } });
  t.match(await send('GET', `${job}/file`), { status: 409, code: 'CONFLICT' });
  worker = await cluster.startWorker();
  const { result } = await ended(job);
  t.match(result, { rows: 3, format: 'csv', file: 'My items.csv' });
  const answer = await cluster.fetch(`${job}/file`);
  const text = await answer.text();
  t.equal(
    text,
    'id,name,owner,secret,doc\n' +
      '3,"""""",2,secret,"{""n"": [1, null]}"\n' +
      '2,null,1,secret,"{""n"": [1, null]}"\n' +
      '1,"name ""1""",2,secret,"{""n"": [1, null]}"\n',
    'fields that an import takes, null and empty told apart',
  );
  t.equal(answer.headers.get('content-disposition'), 'attachment; filename="My items.csv"');
  t.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8');
  const tag = answer.headers.get('etag') ?? '';
  t.match(tag, /^"[0-9a-f]{64}"$/);

  const part = async (range: string, headers: Record<string, string> = {}) => {
    const response = await cluster.fetch(`${job}/file`, { headers: { range, ...headers } });
    const { status } = response;
    return [status, response.headers.get('content-range'), await response.text()];
  };
  const size = Buffer.byteLength(text);
  t.strictSame(await part('bytes=3-6'), [206, `bytes 3-6/${size}`, 'name']);
  t.strictSame(await part('bytes=-4'), [
    206,
    `bytes ${size - 4}-${size - 1}/${size}`,
    text.slice(-4),
  ]);
  t.strictSame((await part(`bytes=${size - 2}-`))[2], text.slice(-2));
  t.match(await part('bytes=0-1,4-5'), [206, null, /bytes 0-1\/\d+\r\n\r\nid\r\n/]);
  t.strictSame(await part('bytes=9-3'), [200, null, text], 'what is no part is the whole');
  t.strictSame((await part(`bytes=${size}-`)).slice(0, 2), [416, `bytes */${size}`]);
  t.equal((await part('bytes=0-1', { 'if-range': tag }))[0], 206);
  t.equal((await part('bytes=0-1', { 'if-range': '"other"' }))[0], 200);
  t.equal((await part('bytes=0-1', { 'if-none-match': tag }))[0], 304);
  const modified = answer.headers.get('last-modified') ?? '';
  t.equal((await part('bytes=0-1', { 'if-range': modified }))[0], 206);
  const head = await cluster.fetch(`${job}/file`, { method: 'HEAD' });
  t.strictSame([head.status, head.headers.get('content-length')], [200, String(size)]);

  t.match(await stranger.send('GET', `${job}/file`), { status: 403 });
  t.match(await send('GET', '/jobs/00000000-0000-4000-8000-000000000000/file'), { status: 403 });
});

t.test('every format holds the items', async (t) => {
  const query = { filter: { id: { _eq: 2 } }, fields: 'id,name,owner.name,doc' };
  const item = { id: 2, name: null, owner: { name: 'null' }, doc: { n: [1, null] } };
  t.strictSame(JSON.parse(await exported({ query, format: 'json' })), [item]);
  t.strictSame(JSON.parse(await exported({ query, format: 'ndjson' })), item);
  t.match(await exported({ query, format: 'yaml' }), '- id: 2\n');
  t.match(await exported({ query, format: 'xml' }), '<id>2</id>');
  t.equal(
    await exported({ query, format: 'csv_utf8' }),
    '\uFEFFid,name,owner.name,doc\n2,null,"""null""","{""n"": [1, null]}"\n',
  );
  const safe = { query: { sort: '-id' }, format: 'csv', export_safe: true };
  const job = await submit(safe, ADMIN_TOKEN, 'owner');
  await ended(job);
  const text = await (await cluster.fetch(`${job}/file`)).text();
  t.equal(text, 'id,name\n2,\'=cmd\n1,"""null"""\n');
  const grouped = { groupBy: ['owner'], aggregate: { count: 'id' }, sort: ['owner'] };
  t.equal(
    await exported({ query: grouped, format: 'csv' }),
    `owner,count.id\n1,${ROWS / 2}\n2,${ROWS / 2}\n`,
  );
  const lists = { fields: ['id', 'item.id'], sort: 'id', deep: { item: { _limit: 2 } } };
  const nested = await submit({ query: lists, format: 'csv' }, ADMIN_TOKEN, 'owner');
  await ended(nested);
  t.equal(
    await (await cluster.fetch(`${nested}/file`)).text(),
    'id,item\n1,"[{""id"":2}, {""id"":4}]"\n2,"[{""id"":1}, {""id"":3}]"\n',
  );
});

t.test('what cannot be exported is refused before there is a job', async (t) => {
  const refused = async (body: object, collection = 'item') =>
    await send('POST', `/utils/export/${collection}`, body);
  t.match(await refused({ format: 'pdf' }), { status: 400, code: 'INVALID_PAYLOAD' });
  t.match(await refused({ query: {} }), { status: 400, code: 'INVALID_PAYLOAD' });
  t.match(await refused({ format: 'csv', file: { title: '../x' } }), { status: 400 });
  t.match(await refused({ format: 'csv' }, 'nothing'), { status: 403, code: 'FORBIDDEN' });
  t.match(await refused({ format: 'csv' }, 'system_users'), { status: 403, code: 'FORBIDDEN' });
  const unknown = { query: { fields: 'nothing' }, format: 'csv' };
  t.match(await refused(unknown), { status: 403, code: 'FORBIDDEN' });
  const wrong = { query: { filter: { id: { _eq: 'x' } } }, format: 'csv' };
  t.match(await refused(wrong), { status: 400, code: 'INVALID_QUERY' });
  const poison = { query: { filter: { name: { _eq: "a\0' OR 1=1" } } }, format: 'csv' };
  t.match(await refused(poison), { status: 400, code: 'INVALID_QUERY' });
  const anonymous = await fetch(`${cluster.url}/utils/export/item`, {
    method: 'POST',
    body: JSON.stringify({ format: 'csv' }),
  });
  t.equal(anonymous.status, 403);
  const other = await submit({ format: 'csv' });
  await ended(other);
  t.match(await send('DELETE', other), { status: 409 });
});

t.test('a repeated request with an Idempotency-Key gets the first job and its file', async (t) => {
  const readers = [{ collection: 'owner', action: 'read' } as const];
  const [one, other] = [await createMember(cluster, readers), await createMember(cluster, readers)];
  const post = async (key: string, body: object, token = one.token, collection = 'owner') => {
    const response = await cluster.fetch(`/utils/export/${collection}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'idempotency-key': key },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const errors = text === '' ? [] : JSON.parse(text).errors;
    const { status, headers } = response;
    return { status, job: headers.get('location') ?? '', error: errors[0]?.extensions };
  };
  const body = { query: { sort: ['id'], fields: ['name'] }, format: 'csv', file: { title: 'a' } };
  const parallel = await Promise.all(Array.from({ length: 6 }, () => post('k', body)));
  t.strictSame(new Set(parallel.map(({ status }) => status)), new Set([204]));
  const job = parallel[0]?.job ?? '';
  t.strictSame(new Set(parallel.map((answer) => answer.job)), new Set([job]), 'at the same time');
  t.match(await ended(job), { state: 'completed', result: { rows: 2 } });
  await cluster.db.query(`INSERT INTO owner VALUES (9, 'later')`);
  t.strictSame(await post('k', body), { status: 204, job, error: undefined }, 'and when it ended');
  t.match((await one.send('GET', job)).body.data, { attempts: 1, result: { rows: 2 } });
  const differing = [
    { ...body, format: 'json' },
    { ...body, export_safe: true },
    { ...body, file: { title: 'b' } },
    { ...body, query: { sort: ['id'] } },
  ];
  for (const changed of differing) {
    const { status, error } = await post('k', changed);
    t.equal(status, 422, JSON.stringify(changed));
    t.match(error, { code: 'UNPROCESSABLE_ENTITY', header: 'Idempotency-Key', key: 'k' });
  }
  t.match(await post('a b', body), { status: 400, error: { code: 'INVALID_PAYLOAD' } });
  for (const [key, token] of [
    ['other', one.token],
    ['k', other.token],
  ] as const) {
    const { status, job: own } = await post(key, body, token);
    t.equal(status, 204);
    t.not(own, job, 'another key, or the key of another user');
    t.match(await ended(own), { result: { rows: 3 } });
  }
  const aged = (interval: string) =>
    cluster.db.query(
      `UPDATE system_idempotency_keys SET created_on = now() - $1::interval WHERE job = $2`,
      [interval, job.slice('/jobs/'.length)],
    );
  await aged('23:59');
  t.equal((await post('k', body)).job, job);
  await aged('24:01');
  const fresh = await post('k', body);
  t.not(fresh.job, job, 'for a day');
  t.match(await ended(fresh.job), { result: { rows: 3 } });
  await cluster.db.query('DELETE FROM owner WHERE id = 9');
});

t.test('a file may have so many bytes', async (t) => {
  await worker.end('SIGTERM');
  const before = spooled();
  worker = await cluster.startWorker({ EXPORT_MAX_SIZE: '1kb' });
  const query = { filter: { id: { _lte: 3 } } };
  t.match(await ended(await submit({ query, format: 'csv' })), { state: 'completed' });
  for (const format of ['csv', 'ndjson', 'yaml']) {
    const job = await submit({ format });
    t.match(await ended(job), {
      state: 'failed',
      attempts: 1,
      waiting_for: null,
      file_kept: false,
      error: [
        {
          message: /1024 bytes \(EXPORT_MAX_SIZE\)/,
          extensions: { code: 'CONTENT_TOO_LARGE', limit: 1024, variable: 'EXPORT_MAX_SIZE' },
        },
      ],
    });
    t.match(await send('GET', `${job}/file`), { status: 409, code: 'CONFLICT' });
  }
  const added = spooled().filter((file) => !before.includes(file));
  t.equal(added.length, 1, 'nothing is left of them');
  await worker.end('SIGTERM');
  worker = await cluster.startWorker();
});

t.test('texts of a condition stay texts', async (t) => {
  await cluster.db.query(`INSERT INTO owner VALUES (3, $1)`, [`O'Neil \\' $1 "; --`]);
  const query = { filter: { name: { _in: [`O'Neil \\' $1 "; --`, 'x'] } }, fields: 'name' };
  const job = await submit({ query, format: 'csv' }, ADMIN_TOKEN, 'owner');
  t.match(await ended(job), { state: 'completed', result: { rows: 1 } });
  t.equal(await (await cluster.fetch(`${job}/file`)).text(), `name\n"O'Neil \\' $1 ""; --"\n`);
});

t.test('rights are those of the user when the job runs', async (t) => {
  await worker.end('SIGTERM');
  const mine = { collection: 'item', action: 'read' } as const;
  const reader = await createMember(cluster, [
    { ...mine, fields: ['id', 'name'], permissions: { id: { _lte: 2 } } },
  ]);
  const leaver = await createMember(cluster, [mine]);
  const narrowed = await createMember(cluster, [mine]);
  const jobs = {
    reader: await submit({ format: 'ndjson' }, reader.token),
    leaver: await submit({ format: 'ndjson' }, leaver.token),
    narrowed: await submit({ format: 'csv' }, narrowed.token),
  };
  t.equal((await send('PATCH', `/users/${leaver.id}`, { status: 'suspended' })).status, 200);
  const permission = await send(
    'GET',
    `/permissions?filter[policy][_eq]=${narrowed.policy}&filter[collection][_eq]=item`,
  );
  await send('PATCH', `/permissions/${permission.body.data[0].id}`, {
    permissions: { id: { _eq: 5 } },
  });
  worker = await cluster.startWorker();
  t.match(await ended(jobs.reader), { state: 'completed', result: { rows: 2 } });
  t.match(await reader.send('GET', '/jobs?filter[kind][_eq]=export'), {
    body: { data: { length: 1 } },
  });
  t.match(await ended(jobs.leaver), {
    state: 'failed',
    error: [{ extensions: { code: 'FORBIDDEN' } }],
  });
  t.match(await ended(jobs.narrowed), { state: 'completed', result: { rows: 1 } });
  t.match(await leaver.send('GET', `${jobs.leaver}/file`), { status: 401 });
});

t.test('a worker that is killed leaves no file that anybody can get', async (t) => {
  for (const name of ['export.part', 'export.written']) {
    await worker.end('SIGTERM');
    const before = spooled();
    const doomed = await cluster.startWorker({ FAILPOINT: name });
    const job = await submit({ format: 'csv', query: { sort: 'id' } });
    t.equal(await doomed.stoppedAt, name);
    const sessions = await cluster.db.query(
      'SELECT FROM pg_stat_activity WHERE application_name = $1',
      [job.replace('/jobs/', 'sluice job ')],
    );
    t.equal(sessions.rowCount, 1, 'its session names the job');
    t.match(await send('GET', `${job}/file`), { status: 409, code: 'CONFLICT' });
    await doomed.end('SIGKILL');
    worker = await cluster.startWorker();
    t.match(await ended(job), { state: 'completed', attempts: 2, result: { rows: ROWS } });
    const text = await (await cluster.fetch(`${job}/file`)).text();
    t.equal(text.split('\n').length, ROWS + 2, 'the file is whole');
    const whole = spooled().filter((file) => !before.includes(file) && !file.endsWith('.part'));
    t.equal(whole.length, 1, 'and the only one');
  }
});

t.test('a cancelled export leaves nothing', async (t) => {
  await worker.end('SIGTERM');
  const before = spooled();
  worker = await cluster.startWorker();
  const lock = await cluster.db.connect();
  await lock.query('BEGIN; LOCK TABLE item');
  const job = await submit({ format: 'json' });
  await until(async () => (await send('GET', job)).body.data.state === 'running', 'it runs');
  t.equal((await send('DELETE', job)).status, 204);
  t.match(await ended(job), { state: 'cancelled' });
  await lock.query('ROLLBACK');
  lock.release();
  const left = spooled().filter((file) => !before.includes(file));
  t.strictSame(left, []);
  t.match(await send('GET', `${job}/file`), { status: 409, code: 'CONFLICT' });
});

t.test('only the last files of a user are kept, and of these so many bytes', async (t) => {
  const jobs: string[] = [];
  for (let count = 0; count < 6; count += 1) {
    jobs.push(
      await submit({ query: { limit: null, filter: { id: { _lt: 150 } } }, format: 'csv' }),
    );
  }
  for (const job of jobs) t.match(await ended(job), { result: { rows: 149 } });
  const kept = async () => {
    const { rows } = await cluster.db.query(
      'SELECT holder, kept_file FROM system_jobs WHERE kept_file IS NOT NULL',
    );
    return rows.map((row) => ({ holder: String(row.holder), file: String(row.kept_file) }));
  };
  const { user } = (await send('GET', jobs[0] ?? '')).body.data;
  await until(
    async () => (await kept()).filter(({ holder }) => holder.includes(user)).length <= 4,
    'the oldest are gone',
  );
  await until(async () => spooled().length === (await kept()).length, 'so are their files');
  t.equal((await cluster.fetch(`${jobs.at(-1)}/file`)).status, 200);
  t.match(await send('GET', `${jobs[0]}/file`), { status: 409, code: 'CONFLICT' });
});
