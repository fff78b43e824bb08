// @newest
/** Imports of files that the body names: those of `/files`, by the rights of their sender, and URLs. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import t, { type Test } from 'tap';
import { createClient } from '#ops/client/source/index.ts';
import { bodyOf, type ErrorsBody, type JobBody } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';

const cluster = await startCluster(t, {
  workers: 1,
  env: { IMPORT_IP_ALLOW_LIST: '127.0.0.1', IMPORT_MAX_SIZE: '1mb' },
});
const { db } = cluster;
await db.query('CREATE TABLE things (id serial PRIMARY KEY, name text)');
await cluster.served('/items/things');

const names = async () =>
  (await db.query('SELECT name FROM things ORDER BY name')).rows.map(({ name }) => name);

const JSON_TYPE = { 'content-type': 'application/json' };

function request(body: object, query = '', headers: Readonly<Record<string, string>> = {}) {
  return cluster.fetch(`/utils/import/things${query}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  });
}

async function stored(content: string, name = 'a.csv', type = 'text/csv'): Promise<string> {
  const form = new FormData();
  form.set('file', new File([content], name, { type }));
  const answer = await cluster.fetch('/files', { method: 'POST', body: form });
  return (await bodyOf<{ data: { id: string } }>(answer)).data.id;
}

async function refusal(answer: Response) {
  const { errors } = await bodyOf<ErrorsBody>(answer);
  const { code, reason_code: why } = errors[0]?.extensions ?? {};
  return [answer.status, code, why];
}

/** The outcome of a job that has a location. */
async function outcome(location: string | null) {
  const read = async () => (await bodyOf<JobBody>(await cluster.fetch(location ?? ''))).data;
  await until(async () => (await read()).finished_on !== null, 'the job has ended');
  const { state, error } = await read();
  return [state, JSON.stringify(error)];
}

/** Holds imports of the table back while `work` runs. */
async function held(work: () => Promise<void>): Promise<void> {
  const lock = await db.connect();
  await lock.query('BEGIN; LOCK TABLE things IN ACCESS EXCLUSIVE MODE');
  try {
    const first = await upload(cluster, 'things', `name\nheld ${performance.now()}\n`, {
      headers: { prefer: 'respond-async' },
    });
    t.equal(first.status, 202);
    await work();
  } finally {
    await lock.query('ROLLBACK');
    lock.release();
  }
}

async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('there is no address');
  return `http://127.0.0.1:${address.port}`;
}

t.test('a file of /files is imported and remains', async (t) => {
  const id = await stored('name\nof a file\n');
  const answer = await request({ file: id });
  t.equal(answer.status, 200, await answer.text());
  t.ok((await names()).includes('of a file'));
  t.equal(await (await cluster.fetch(`/assets/${id}`)).text(), 'name\nof a file\n');
  const semicolons = await stored('name;id\nsemi;9001\n', 'b.txt', 'text/plain');
  t.equal((await request({ file: semicolons }, '?separator=%3B')).status, 200);
  t.ok((await names()).includes('semi'));
  const { rows } = await db.query(
    "SELECT file_name, file_format FROM system_jobs WHERE kind = 'import' ORDER BY created_on DESC LIMIT 1",
  );
  t.strictSame(rows, [{ file_name: 'b.txt', file_format: 'csv' }]);
  const empty = await stored('', 'empty.csv');
  t.equal((await refusal(await request({ file: empty })))[0], 400);
});

t.test('a repeated request with a key finds the first job, even without the file', async (t) => {
  const id = await stored('name\nkeyed file\n');
  const key = { 'idempotency-key': 'source-1' };
  const first = await request({ file: id }, '', key);
  t.equal(first.status, 200);
  await cluster.fetch(`/files/${id}`, { method: 'DELETE' });
  const again = await request({ file: id }, '', key);
  t.strictSame([again.status, again.headers.get('location')], [200, first.headers.get('location')]);
  t.equal((await request({ file: id }, '?dry_run', key)).status, 422);
  t.equal((await names()).filter((name) => name === 'keyed file').length, 1);
});

t.test('bodies, types and sizes that are refused', async (t) => {
  const id = await stored('name\n');
  for (const [body, why] of [
    [{}, 'import_source_expected'],
    [{ file: id, url: 'http://a.test/' }, 'import_source_expected'],
    [{ file: id, mode: 'insert' }, 'import_source_member_unknown'],
    [{ file: 5 }, 'member_invalid'],
    [[], 'import_source_expected'],
    [{ url: 'http://u:p@a.test/a.csv' }, 'import_url_with_credentials'],
    [{ url: 'file:///etc/passwd' }, 'import_url_scheme_unknown'],
  ] as const) {
    t.strictSame(await refusal(await request(body)), [400, 'INVALID_PAYLOAD', why], why);
  }
  t.strictSame(await refusal(await request({ file: id }, '?mode=x')), [
    400,
    'INVALID_QUERY',
    'option_values_expected',
  ]);
  const picture = await stored('%PDF-1.4\n', 'a.pdf', 'application/pdf');
  const wrong = [415, 'UNSUPPORTED_MEDIA_TYPE', 'import_file_type_unknown'];
  t.strictSame(await refusal(await request({ file: picture })), wrong);
  const large = await stored(`name\n${'x'.repeat(1_100_000)}\n`, 'large.csv');
  t.strictSame((await refusal(await request({ file: large }))).slice(0, 2), [
    413,
    'CONTENT_TOO_LARGE',
  ]);
});

t.test('a hidden file is a missing file, when it is sent and when it runs', async (t) => {
  const id = await stored('name\nmember\n');
  const rights = [
    { collection: 'things', action: 'create', fields: ['id', 'name'] },
    { collection: 'things', action: 'read', fields: ['id', 'name'] },
  ] as const;
  const reading = { collection: 'system_files', action: 'read', fields: ['*'] } as const;
  const other = await createMember(cluster, rights);
  const ask = (file: string) => other.send('POST', '/utils/import/things?mode=insert', { file });
  const missing = await ask('00000000-0000-4000-8000-000000000000');
  t.strictSame([missing.status, missing.code], [403, 'FORBIDDEN']);
  t.strictSame((await ask(id)).body, missing.body);
  t.strictSame((await ask('no key')).body, missing.body);

  const reader = await createMember(cluster, [...rights, reading]);
  const send = () =>
    reader.send('POST', '/utils/import/things?mode=insert&background', { file: id });
  const jobs: string[] = [];
  await held(async () => {
    const { status, body } = await send();
    t.equal(status, 202);
    jobs.push(`/jobs/${body.data.id}`);
    const { rows } = await db.query(
      "SELECT id FROM system_permissions WHERE policy = $1 AND collection = 'system_files'",
      [reader.policy],
    );
    await cluster.fetch(`/permissions/${rows[0].id}`, { method: 'DELETE' });
  });
  t.match(await outcome(jobs[0] ?? null), ['failed', /import_file_unreadable/]);
  t.notOk((await names()).includes('member'));
});

t.test('a file that is deleted or replaced before the job runs fails the job', async (t) => {
  const gone = await stored('name\ngone\n');
  const replaced = await stored('name\nfirst\n');
  const locations: (string | null)[] = [];
  await held(async () => {
    for (const file of [gone, replaced]) {
      const answer = await request({ file }, '?background');
      t.equal(answer.status, 202);
      locations.push(answer.headers.get('location'));
    }
    t.equal((await cluster.fetch(`/files/${gone}`, { method: 'DELETE' })).status, 204);
    const form = new FormData();
    form.set('file', new File(['name\nother\n'], 'a.csv', { type: 'text/csv' }));
    const change = await cluster.fetch(`/files/${replaced}`, { method: 'PATCH', body: form });
    t.equal(change.status, 200);
  });
  const [first = null, second = null] = locations;
  t.match(await outcome(first), ['failed', /import_file_unreadable/]);
  t.match(await outcome(second), [
    'failed',
    /CONFLICT.*import_file_replaced|import_file_replaced.*CONFLICT/,
  ]);
  t.notOk((await names()).some((name) => ['gone', 'first', 'other'].includes(name)));
});

t.test('a file of a URL is imported, and the URL is stored nowhere', async (t) => {
  const url = await serve(t, (asked, response) => {
    if (asked.url?.startsWith('/moved') === true) {
      return response.writeHead(302, { Location: 'http://10.0.0.1/a.csv' }).end();
    }
    if (asked.url === '/page') return response.setHeader('Content-Type', 'text/html').end('<p>');
    if (asked.url === '/large.csv') return response.end(Buffer.alloc(1_100_000, 'x'));
    response.setHeader('Content-Type', 'text/csv; charset=iso-8859-1');
    return response.end(Buffer.from('name\nübers Netz\n', 'latin1'));
  });
  const answer = await request({ url: `${url}/a.csv?token=geheim` });
  t.equal(answer.status, 200, await answer.text());
  t.ok((await names()).includes('übers Netz'));
  const { rows } = await db.query(
    "SELECT file_name, message, j::text LIKE '%geheim%' AS told FROM system_jobs j ORDER BY created_on DESC LIMIT 1",
  );
  t.match(rows, [
    { file_name: 'a.csv', told: false, message: { file: { sha256: /^[0-9a-f]{64}$/ } } },
  ]);
  const unreached = [503, 'SERVICE_UNAVAILABLE', 'import_server_unreached'];
  t.strictSame(await refusal(await request({ url: 'http://10.0.0.1/a.csv' })), unreached);
  t.strictSame(await refusal(await request({ url: `${url}/moved` })), unreached);
  t.equal((await request({ url: `${url}/page` })).status, 415);
  t.match((await bodyOf<ErrorsBody>(await request({ url: `${url}/large.csv` }))).errors, [
    { extensions: { code: 'CONTENT_TOO_LARGE', variable: 'IMPORT_MAX_SIZE' } },
  ]);
});

t.test('a download goes on after a break, or begins again', async (t) => {
  const content = `name\n${'x'.repeat(100_000)}\nbroken\n`;
  const half = 50_000;
  const asked: (string | undefined)[] = [];
  const url = await serve(t, (request, response) => {
    const { range, 'if-range': condition } = request.headers;
    asked.push(range);
    const tag = request.url === '/tagged.csv' ? '"one"' : 'W/"one"';
    const type = { 'Content-Type': 'text/csv', ETag: tag };
    if (range !== undefined) {
      t.equal(condition, tag);
      const start = Number(/\d+/.exec(range)?.[0]);
      const place = `bytes ${start}-${content.length - 1}/${content.length}`;
      response.writeHead(206, { ...type, 'Content-Range': place }).end(content.slice(start));
      return;
    }
    response.writeHead(200, { ...type, 'Content-Length': content.length });
    if (asked.length > 1) response.end(content);
    else response.write(content.slice(0, half), () => response.destroy());
  });
  for (const [path, again] of [
    ['/tagged.csv', /^bytes=\d+-$/],
    ['/untagged.csv', undefined],
  ] as const) {
    asked.length = 0;
    const before = (await names()).filter((name) => name === 'broken').length;
    const answer = await request({ url: url + path });
    t.equal(answer.status, 200, await answer.text());
    t.match(asked, [undefined, again], path);
    t.equal((await names()).filter((name) => name === 'broken').length, before + 1, path);
  }
});

t.test('the client imports files that the server fetches', async (t) => {
  const client = createClient(cluster.url, { token: ADMIN_TOKEN });
  const things = client.items('things');
  t.match(await things.import({ file: await stored('name\nby client\n') }), { inserted: 1 });
  const url = await serve(t, (_, response) => response.end('[{"name":"by url"}]'));
  t.match(await things.import({ url: `${url}/a.json` }, { mode: 'insert' }), { inserted: 1 });
});
