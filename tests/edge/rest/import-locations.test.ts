// @newest
/** Imports of objects of IMPORT_LOCATIONS, by key and by prefix, from a folder and a bucket. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import t from 'tap';
import { createClient } from '#ops/client/source/index.ts';
import { bodyOf, type ErrorsBody, type JobBody } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { answerS3Error, startS3Server } from '#tests/harness/s3-server.ts';
import { until } from '#tests/harness/until.ts';

interface PrefixBody {
  readonly data: {
    readonly jobs: readonly { readonly key: string; readonly job: string }[];
    readonly skipped: { readonly imported: number; readonly running: number };
    readonly refused: readonly {
      readonly key: string;
      readonly error: { readonly extensions: { readonly code: string } };
    }[];
    readonly next: string | null;
  };
}

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-inbox-')));
t.teardown(() => rmSync(root, { recursive: true, force: true }));
const inbox = join(root, 'inbox');
mkdirSync(inbox);

function put(key: string, content: string): void {
  mkdirSync(dirname(join(inbox, key)), { recursive: true });
  writeFileSync(join(inbox, key), content);
}

const server = await startS3Server(t);
const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
const bucket = new S3Client({
  ...{ region: 'us-east-1', endpoint: server.url, forcePathStyle: true, credentials },
});
t.teardown(() => bucket.destroy());

async function putObject(key: string, content: string): Promise<void> {
  const Key = `drop/${key}`;
  await bucket.send(new PutObjectCommand({ Bucket: server.bucket, Key, Body: content }));
}

const cluster = await startCluster(t, {
  edges: 2,
  workers: 1,
  env: {
    IMPORT_LOCATIONS: 'inbox,drop',
    STORAGE_INBOX_ROOT: inbox,
    STORAGE_DROP_DRIVER: 's3',
    STORAGE_DROP_BUCKET: server.bucket,
    STORAGE_DROP_ROOT: 'drop',
    STORAGE_DROP_ENDPOINT: server.url,
    STORAGE_DROP_FORCE_PATH_STYLE: 'true',
    STORAGE_DROP_KEY: credentials.accessKeyId,
    STORAGE_DROP_SECRET: credentials.secretAccessKey,
  },
});
const { db } = cluster;
await db.query(
  'CREATE TABLE orders (id serial PRIMARY KEY, name text NOT NULL CHECK (name <> $$no$$))',
);
await cluster.served('/items/orders');

const names = async () =>
  (await db.query('SELECT name FROM orders ORDER BY name')).rows.map(({ name }) => name);

const JSON_TYPE = { 'content-type': 'application/json' };

function request(body: object, query = '', headers: Readonly<Record<string, string>> = {}) {
  return cluster.fetch(`/utils/import/orders${query}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  });
}

async function refusal(answer: Response) {
  const { errors } = await bodyOf<ErrorsBody>(answer);
  const { code, reason_code: why } = errors[0]?.extensions ?? {};
  return [answer.status, code, why];
}

async function ended(job: string) {
  const read = async () => (await bodyOf<JobBody>(await cluster.fetch(`/jobs/${job}`))).data;
  await until(async () => (await read()).finished_on !== null, 'the job has ended');
  return (await read()).state;
}

/** Imports a prefix, and waits for its jobs. */
async function prefixed(body: object, query = '') {
  const answer = await request(body, query);
  if (answer.status !== 200) throw new Error(await answer.text());
  const { data } = await bodyOf<PrefixBody>(answer);
  const states = [];
  for (const { job } of data.jobs) states.push(await ended(job));
  return { ...data, keys: data.jobs.map(({ key }) => key), states };
}

t.test('an object of a folder and one of a bucket are imported by their keys', async (t) => {
  put('2026/one.csv', 'name\nof a folder\n');
  await putObject('2026/two.csv', 'name\nof a bucket\n');
  for (const [location, key] of [
    ['inbox', '2026/one.csv'],
    ['drop', '2026/two.csv'],
  ] as const) {
    const answer = await request({ location, key });
    t.equal(answer.status, 200, await answer.text());
  }
  t.strictSame(await names(), ['of a bucket', 'of a folder']);
  const { rows } = await db.query(
    "SELECT file_name FROM system_jobs WHERE kind = 'import' ORDER BY created_on",
  );
  t.strictSame(rows, [{ file_name: '2026/one.csv' }, { file_name: '2026/two.csv' }]);
});

t.test('bodies, keys and callers that are refused', async (t) => {
  writeFileSync(join(root, 'secret.csv'), 'name\nsecret\n');
  symlinkSync(join(root, 'secret.csv'), join(inbox, 'leading-out.csv'));
  symlinkSync(root, join(inbox, 'up'));
  symlinkSync(join(inbox, '2026'), join(inbox, 'within'));
  const invalid = 'import_key_invalid';
  const missing = 'import_object_missing';
  for (const [body, why] of [
    [{ location: 'inbox' }, 'import_source_expected'],
    [{ key: 'a.csv' }, 'import_source_expected'],
    [{ location: 'inbox', key: 'a.csv', prefix: '' }, 'import_source_expected'],
    [{ location: 'inbox', key: 'a.csv', after: 'a' }, 'import_source_expected'],
    [{ location: 'inbox', key: 'a.csv', url: 'http://a.test/' }, 'import_source_expected'],
    [{ location: 'inbox', key: 'a.csv', etag: 'x' }, 'import_source_member_unknown'],
    [{ location: 'local', key: 'a.csv' }, 'import_location_unknown'],
    [{ location: 'local', prefix: '' }, 'import_location_unknown'],
    [{ location: 'inbox', key: '../secret.csv' }, invalid],
    [{ location: 'inbox', key: '2026/../../secret.csv' }, invalid],
    [{ location: 'inbox', key: join(root, 'secret.csv') }, invalid],
    [{ location: 'inbox', key: '2026//one.csv' }, invalid],
    [{ location: 'inbox', key: './2026/one.csv' }, invalid],
    [{ location: 'inbox', key: 'one.csv\0' }, invalid],
    [{ location: 'inbox', key: 'x'.repeat(2_000) }, invalid],
    [{ location: 'inbox', prefix: '../' }, invalid],
    [{ location: 'inbox', prefix: '/' }, invalid],
    [{ location: 'inbox', prefix: '', after: '/' }, invalid],
    [{ location: 'drop', key: '../files/one.csv' }, invalid],
    [{ location: 'inbox', key: 'leading-out.csv' }, missing],
    [{ location: 'inbox', key: 'up/secret.csv' }, missing],
    [{ location: 'inbox', key: '2026' }, missing],
    [{ location: 'inbox', key: '2026/one.csv/x' }, missing],
    [{ location: 'drop', key: '2026/three.csv' }, missing],
  ] as const) {
    t.strictSame(
      await refusal(await request(body)),
      [400, 'INVALID_PAYLOAD', why],
      JSON.stringify(body).slice(0, 80),
    );
  }
  t.equal((await request({ location: 'inbox', key: 'within/one.csv' })).status, 200);
  const other = await createMember(cluster, [
    { collection: 'orders', action: 'create', fields: ['*'] },
    { collection: 'orders', action: 'read', fields: ['*'] },
  ]);
  for (const body of [
    { location: 'inbox', key: '2026/one.csv' },
    { location: 'inbox', key: 'missing.csv' },
    { location: 'inbox', prefix: '' },
  ]) {
    const { status, code } = await other.send('POST', '/utils/import/orders', body);
    t.strictSame([status, code], [403, 'FORBIDDEN']);
  }
});

t.test('a prefix imports each new object once, in the order of the keys', async (t) => {
  await db.query('TRUNCATE orders');
  for (const key of ['p/b.csv', 'p/a/z.csv', 'p/a.csv', 'p/a-.csv', 'q/other.csv', 'p/.part.csv']) {
    put(key, `name\n${key}\n`);
    await putObject(key, `name\nbucket ${key}\n`);
  }
  for (const location of ['inbox', 'drop']) {
    const keys = ['p/a-.csv', 'p/a.csv', 'p/a/z.csv', 'p/b.csv'];
    const first = await prefixed({ location, prefix: 'p/' });
    // The server of the test lists folders before files, unlike S3.
    const listed = location === 'drop' ? first.keys.toSorted() : first.keys;
    t.strictSame([listed, first.next], [keys, null]);
    t.strictSame(
      first.states,
      keys.map(() => 'completed'),
    );
    const again = await prefixed({ location, prefix: 'p/' });
    t.strictSame([again.keys, again.skipped], [[], { imported: 4, running: 0 }]);
    const later = await prefixed({ location, prefix: 'p/a', after: 'p/a.csv' });
    t.strictSame([later.keys, later.skipped.imported], [[], 1]);
    t.strictSame((await prefixed({ location, prefix: 'nothing/' })).keys, []);
  }
  put('p/a.csv', 'name\nnew content\n');
  await putObject('p/a.csv', 'name\nbucket new content\n');
  t.strictSame((await prefixed({ location: 'inbox', prefix: 'p/' })).keys, ['p/a.csv']);
  t.strictSame((await prefixed({ location: 'drop', prefix: 'p/' })).keys, ['p/a.csv']);
  t.equal((await names()).length, 10);
});

t.test('the client imports objects', async (t) => {
  const client = createClient(cluster.url, { token: ADMIN_TOKEN });
  put('k/1.csv', 'name\nby client\n');
  const orders = client.items('orders');
  const { inserted } = await orders.import({ location: 'inbox', key: 'k/1.csv' });
  t.equal(inserted, 1);
  const objects = await orders.importObjects(
    { location: 'inbox', prefix: 'k/' },
    { mapping: { name: 'name' } },
  );
  t.strictSame(objects, {
    ...{ jobs: [], skipped: { imported: 1, running: 0 } },
    ...{ refused: [], next: null },
  });
});

t.test('a failed object is tried again, and a refused one stops no other', async (t) => {
  put('f/1.csv', 'name\nno\n');
  put('f/2.pdf', '%PDF-1.4\n');
  put('f/3.csv', 'name\nthree\n');
  const first = await prefixed({ location: 'inbox', prefix: 'f/' });
  t.strictSame(
    [first.keys, first.states],
    [
      ['f/1.csv', 'f/3.csv'],
      ['failed', 'completed'],
    ],
  );
  t.strictSame(
    first.refused.map(({ key, error }) => [key, error.extensions.code]),
    [['f/2.pdf', 'UNSUPPORTED_MEDIA_TYPE']],
  );
  const again = await prefixed({ location: 'inbox', prefix: 'f/' });
  t.strictSame([again.keys, again.skipped.imported], [['f/1.csv'], 1]);
});

t.test('a dry run remembers nothing', async (t) => {
  put('d/1.csv', 'name\ndry\n');
  for (const query of ['?dry_run', '?dry_run', '']) {
    const { keys } = await prefixed({ location: 'inbox', prefix: 'd/' }, query);
    t.strictSame(keys, ['d/1.csv']);
  }
  t.equal((await names()).filter((name) => name === 'dry').length, 1);
});

t.test('concurrent requests import no object twice', async (t) => {
  await db.query('TRUNCATE orders');
  const wanted = Array.from({ length: 12 }, (_, index) => `c${String(index).padStart(2, '0')}`);
  for (const name of wanted) put(`c/${name}.csv`, `name\n${name}\n`);
  const modes = ['insert', 'upsert', 'insert', 'upsert'];
  await Promise.all(
    modes.map((mode) => prefixed({ location: 'inbox', prefix: 'c/' }, `?mode=${mode}`)),
  );
  t.strictSame((await prefixed({ location: 'inbox', prefix: 'c/' })).skipped, {
    imported: 12,
    running: 0,
  });
  t.strictSame(await names(), wanted);
});

t.test('objects stay imported when their collection gets another name', async (t) => {
  await db.query('CREATE TABLE offers (id serial PRIMARY KEY, name text)');
  await cluster.served('/items/offers');
  put('n/1.csv', 'name\nrenamed\n');
  const send = async (method: string, path: string, body?: object) =>
    await cluster.fetch(path, {
      method,
      headers: JSON_TYPE,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const take = async (collection: string) => {
    const source = { location: 'inbox', prefix: 'n/' };
    const answer = await send('POST', `/utils/import/${collection}`, source);
    const { data } = await bodyOf<PrefixBody>(answer);
    for (const { job } of data.jobs) await ended(job);
    return [data.jobs.length, data.skipped.imported];
  };
  t.strictSame(await take('offers'), [1, 0]);
  const renamed = await send('POST', '/collections/offers/rename', { collection: 'deals' });
  t.equal(renamed.status, 200, await renamed.text());
  t.strictSame(await take('deals'), [0, 1]);
  t.equal((await send('DELETE', '/collections/deals')).status, 204);
  const { rows } = await db.query(
    "SELECT FROM system_import_objects WHERE collection IN ('offers', 'deals')",
  );
  t.equal(rows.length, 0);
});

t.test('a request submits a hundred imports, and the next one continues', async (t) => {
  for (let index = 0; index < 103; index += 1) {
    put(`h/${String(index).padStart(3, '0')}.csv`, 'name\nhundred\n');
  }
  const first = await prefixed({ location: 'inbox', prefix: 'h/' }, '?dry_run');
  t.strictSame([first.keys.length, first.next], [100, 'h/099.csv']);
  const rest = await prefixed({ location: 'inbox', prefix: 'h/', after: first.next }, '?dry_run');
  t.strictSame([rest.keys, rest.next], [['h/100.csv', 'h/101.csv', 'h/102.csv'], null]);
});

/** Holds imports of the table back while `work` runs. */
async function held(work: () => Promise<void>): Promise<void> {
  const lock = await db.connect();
  await lock.query('BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE');
  try {
    put('held.csv', `name\nheld ${performance.now()}\n`);
    const first = await request({ location: 'inbox', key: 'held.csv' }, '', {
      prefer: 'respond-async',
    });
    t.equal(first.status, 202);
    await work();
  } finally {
    await lock.query('ROLLBACK');
    lock.release();
  }
}

t.test('an object that changes before its import fails with a conflict', async (t) => {
  const locations: string[] = [];
  await held(async () => {
    for (const [location, store] of [
      ['inbox', async (key: string, content: string) => put(key, content)],
      ['drop', putObject],
    ] as const) {
      await store('changing.csv', 'name\nfirst\n');
      const answer = await request({ location, key: 'changing.csv' }, '', {
        prefer: 'respond-async',
      });
      locations.push(answer.headers.get('location') ?? '');
      await store('changing.csv', 'name\nother\n');
    }
  });
  for (const location of locations) {
    t.equal(await ended(location.replace('/jobs/', '')), 'failed');
    const { error } = (await bodyOf<JobBody>(await cluster.fetch(location))).data;
    t.match(JSON.stringify(error), 'import_object_replaced');
  }
});

t.test('an outage of a location is 503, and its jobs wait for it', async (t) => {
  put('o/1.csv', 'name\noutage\n');
  const away = `${inbox}-away`;
  await rename(inbox, away);
  for (const body of [
    { location: 'inbox', key: 'o/1.csv' },
    { location: 'inbox', prefix: 'o/' },
  ]) {
    t.equal((await request(body)).status, 503);
  }
  await rename(away, inbox);
  await putObject('o/1.csv', 'name\nbucket outage\n');
  let job = '';
  await held(async () => {
    const { jobs } = (await bodyOf<PrefixBody>(await request({ location: 'drop', prefix: 'o/' })))
      .data;
    job = jobs[0]?.job ?? '';
    server.fault = (_, response) => answerS3Error(response, 503, 'ServiceUnavailable');
  });
  t.equal((await request({ location: 'drop', key: 'o/1.csv' })).status, 503);
  const failures = async () =>
    (await bodyOf<JobBody>(await cluster.fetch(`/jobs/${job}`))).data.failures?.length ?? 0;
  await until(async () => (await failures()) > 0, 'the job has met the outage');
  server.fault = () => false;
  t.equal(await ended(job), 'completed');
  t.ok((await names()).includes('bucket outage'));
  const Key = 'drop/o/1.csv';
  await bucket.send(new DeleteObjectCommand({ Bucket: server.bucket, Key }));
});
