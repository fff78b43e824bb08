// @slow
/** Imports into collections that they create: once, seen by every process, and kept if rows fail. */

import { gzipSync } from 'node:zlib';
import t from 'tap';
import { bodyOf, type JobBody, type JobsBody } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, QUICK_TAKEOVER, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { type UploadOptions, upload } from '#tests/harness/upload.ts';

const cluster = await startCluster(t, {
  workers: 1,
  env: { ...QUICK_TAKEOVER, LOG_LEVEL: 'info' },
});
const second = await cluster.addEdge();

interface Ended extends JobBody {
  readonly data: JobBody['data'] & {
    readonly result: Record<string, unknown>;
    readonly error: readonly { message: string; extensions: Record<string, unknown> }[] | null;
  };
}

async function ended(id: string) {
  return await until(async () => {
    const { data } = await bodyOf<Ended>(await cluster.fetch(`/jobs/${id}`));
    return data.state === 'waiting' || data.state === 'running' ? null : data;
  }, 'the job has ended');
}

/** Sends a file and waits for its job. */
async function create(collection: string, content: string, options: UploadOptions = {}) {
  const { query = '?create=true', ...others } = options;
  const sent = { ...others, query, headers: { prefer: 'respond-async' } };
  const answer = await upload(cluster, collection, content, sent);
  t.equal(answer.status, 202, await answer.clone().text());
  return ended((await bodyOf<JobBody>(answer)).data.id);
}

/** Where workers are killed; the pass for ordinary roles has one for all. */
const FAILPOINTS =
  process.env.TEST_ROLE === 'ordinary'
    ? ['import.creating']
    : ['import.inferred', 'import.creating', 'import.committed'];

t.test('the request is known by its id in its jobs and in the log of their worker', async (t) => {
  const [worker] = cluster.workers;
  const headers = { prefer: 'respond-async', 'x-request-id': 'request-of-import/1' };
  const sent = { query: '?create=true', headers };
  const answer = await upload(cluster, 'requested', 'id,name\n1,a\n', sent);
  t.equal(answer.headers.get('x-request-id'), 'request-of-import/1');
  const { data } = await bodyOf<JobBody>(answer);
  t.match(await ended(data.id), { state: 'completed', request_id: 'request-of-import/1' });
  const { rows } = await cluster.db.query(
    "SELECT request_id FROM system_jobs WHERE kind = 'schema' AND collection = 'requested'",
  );
  t.strictSame(rows, [{ request_id: 'request-of-import/1' }], 'also that of the job it submitted');
  const line = new RegExp(
    `"job":"${data.id}"[^\\n]*"request":"request-of-import/1"[^\\n]*job ends`,
  );
  await until(async () => line.test(worker?.output() ?? ''), 'the worker logs the end of the job');

  // The session of an import names its job; a trigger sees what pg_stat_activity shows.
  await cluster.db.query(`
    CREATE TABLE seen (application text);
    GRANT ALL ON seen TO PUBLIC;
    CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN INSERT INTO public.seen VALUES (current_setting(''application_name'')); RETURN NEW; END';
    CREATE TRIGGER see BEFORE INSERT ON requested FOR EACH ROW EXECUTE FUNCTION see()`);
  const unfit = { ...sent, headers: { ...headers, 'x-request-id': '*/ DROP TABLE x; --' } };
  const other = await upload(cluster, 'requested', 'id,name\n2,b\n', unfit);
  const own = other.headers.get('x-request-id');
  t.match(own, /^[\w-]+$/, 'what could not stand in a comment is replaced');
  const { id } = (await bodyOf<JobBody>(other)).data;
  t.match(await ended(id), { state: 'completed', request_id: own });
  const seen = await cluster.db.query('SELECT DISTINCT application FROM seen');
  t.strictSame(seen.rows, [{ application: `sluice job ${id}` }]);
});

const schemaJobs = async (collection: string) => {
  const { rows } = await cluster.db.query<{ id: string; state: string }>(
    "SELECT id, state FROM system_jobs WHERE kind = 'schema' AND collection = $1",
    [collection],
  );
  return rows;
};

t.test('a file makes its collection, and every process knows it', async (t) => {
  const csv = 'name,age,zip,born,id\nAda,36,01234,1815-12-10,7\nBob,,99999,,9\n';
  const answer = await upload(cluster, 'people', csv, { query: '?create=1' });
  t.equal(answer.status, 200, await answer.clone().text());
  for (const url of [cluster.url, second.url]) {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const read = await fetch(`${url}/items/people?sort=id`, { headers });
    t.strictSame(await read.json(), {
      data: [
        { name: 'Ada', age: 36, zip: '01234', born: '1815-12-10', id: 7 },
        { name: 'Bob', age: null, zip: '99999', born: null, id: 9 },
      ],
    });
  }
  const made = await cluster.fetch('/items/people', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Cid' }),
  });
  t.match(await made.json(), { data: { id: 10 } }, 'keys go on behind those of the file');

  const again = await create('people', `${csv}Dan,1,1,2000-01-01,11\n`);
  t.match(again.result, { inserted: 1, unchanged: 2 }, 'a plain import where it exists');
  t.notOk('fields' in again.result);
  t.match(await schemaJobs('people'), [{ state: 'completed' }]);
});

t.test('every format makes one', async (t) => {
  const rows = [
    { a: 1, b: { c: [1] }, d: 1.25, e: true },
    { a: 2147483648, f: '2024-01-01T00:00:00Z' },
  ];
  const json = await create('as_json', JSON.stringify(rows), {
    name: 'a.json',
    type: 'application/json',
  });
  const lines = rows.map((row) => JSON.stringify(row)).join('\n');
  const ndjson = await create('as_lines', lines, {
    name: 'a.ndjson',
    type: 'application/x-ndjson',
  });
  const fields = [
    { field: 'id', type: 'integer', primary_key: true },
    { field: 'a', type: 'bigInteger' },
    { field: 'b', type: 'json' },
    { field: 'd', type: 'decimal' },
    { field: 'e', type: 'boolean' },
    { field: 'f', type: 'timestamp' },
  ];
  for (const [name, { result }] of Object.entries({ as_json: json, as_lines: ndjson })) {
    t.match(result, { inserted: 2, fields });
    const [job] = await schemaJobs(name);
    t.equal(result.schema_job, job?.id);
    const read = await cluster.fetch(`/items/${name}?sort=id`);
    t.match(await read.json(), {
      data: [
        { id: 1, a: 1, b: { c: [1] }, d: '1.25', e: true, f: null },
        { id: 2, a: 2147483648, f: '2024-01-01T00:00:00.000Z' },
      ],
    });
  }
  const dialect = await create('as_table', 'n;d\n1,125;31.12.2024\n', {
    query: '?create=true&separator=%3B&decimal=%2C&date_format=DD.MM.YYYY',
  });
  t.match(dialect.result, { inserted: 1, fields: [{}, { type: 'decimal' }, { type: 'date' }] });
  const read = await cluster.fetch('/items/as_table?fields=n,d');
  t.strictSame(await read.json(), { data: [{ n: '1.125', d: '2024-12-31' }] });
});

t.test('a compressed file makes one', async (t) => {
  const form = new FormData();
  form.set('create', '1');
  form.set('file', new Blob([gzipSync('a,b\n1,x\n2,y\n')]), 'a.csv.gz');
  const answer = await cluster.fetch('/utils/import/packed', { method: 'POST', body: form });
  t.equal(answer.status, 200, await answer.clone().text());
  const read = await cluster.fetch('/items/packed?fields=a,b');
  t.strictSame(await read.json(), {
    data: [
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
    ],
  });
});

t.test('an import says that it waits for a paused queue, and can be cancelled there', async (t) => {
  const switched = (state: string) => cluster.fetch(`/queues/schema/${state}`, { method: 'POST' });
  t.ok((await switched('pause')).ok);
  const begin = async (name: string) => {
    const answer = await upload(cluster, name, 'a\n1\n', { query: '?create=1&background' });
    const { data } = await bodyOf<JobBody>(answer);
    const path = `/jobs?filter[id][_eq]=${data.id}`;
    const waits = await until(async () => {
      const { data: found } = await bodyOf<JobsBody>(await cluster.fetch(path));
      return found[0]?.progress?.waits_for ?? null;
    }, 'the import tells what it waits for');
    const [schemaJob] = await schemaJobs(name);
    t.strictSame(waits, {
      ...{ job: schemaJob?.id, state: 'waiting', queue: 'schema', queue_state: 'paused' },
    });
    return data.id;
  };
  const cancelled = await begin('unwanted');
  t.ok((await cluster.fetch(`/jobs/${cancelled}`, { method: 'DELETE' })).ok);
  t.match(await ended(cancelled), { state: 'cancelled' });
  t.match(await schemaJobs('unwanted'), [{ state: 'cancelled' }]);
  const wanted = await begin('wanted');
  t.ok((await switched('resume')).ok);
  const { state, result, progress } = await ended(wanted);
  t.match([state, result], ['completed', { inserted: 1 }]);
  t.notOk(progress?.waits_for, 'it waits no more');
  t.equal((await cluster.fetch('/items/unwanted')).status, 403);
});

t.test('a file as people have it becomes a collection with types', async (t) => {
  const rows = Array.from({ length: 100 }, (_, index) => {
    return `K${index};${(index % 28) + 1}.1.2024;1.234,5${index % 10};${index % 2 ? 'ja' : 'nein'}`;
  });
  rows[9] = 'K9;soon;1,5;ja';
  const content = `code;made;price;active\n${rows.join('\n')}\n`;
  const refused = await create('orders', content, { query: '?create=true&key=code' });
  t.match(refused, {
    state: 'failed',
    error: [{ extensions: { code: 'FAILED_VALIDATION', row: 10, field: 'made', value: 'soon' } }],
  });
  t.equal((await cluster.fetch('/items/orders')).status, 403, 'nothing is created');
  const tried = await create('orders', content, {
    query: '?create=true&key=code&on_error=skip&dry_run=true',
  });
  t.match(tried.result, { inserted: 99, failed: 1, dry_run: true });
  const query = '?create=true&key=code&on_error=skip&name=Our+orders&types={"active":"boolean"}';
  const made = await create('orders', content, { query });
  t.match(made.result, {
    ...{ inserted: 99, failed: 1, separator: ';' },
    fields: [
      { field: 'code', type: 'string', primary_key: true },
      { field: 'made', type: 'date', misfits: 1, examples: [{ row: 10, value: 'soon' }] },
      { field: 'price', type: 'decimal' },
      { field: 'active', type: 'boolean' },
    ],
  });
  const { data } = await bodyOf<{ data: unknown }>(await cluster.fetch('/items/orders/K3'));
  t.strictSame(data, { code: 'K3', made: '2024-01-04', price: '1234.53', active: true });
  const { rows: stored } = await cluster.db.query(
    "SELECT translations FROM system_collections WHERE collection = 'orders'",
  );
  t.match(JSON.stringify(stored), /Our orders/);
});

t.test('a new field refers to items of another collection', async (t) => {
  await create('authors', 'id,name\n7,Ada\n9,Bo\n');
  const relations = (more: object) => `relations=${JSON.stringify(more)}`;
  const query = `?create=true&${relations({ author: 'authors' })}`;
  const made = await create('books', 'id,author\n1,7\n2,9\n3,\n', { query });
  t.match(made, { state: 'completed', result: { inserted: 3 } }, JSON.stringify(made.error));
  t.match(made.result.fields, [{ field: 'id' }, { field: 'author', type: 'integer' }]);
  const read = async (path: string) =>
    (await bodyOf<{ data: unknown }>(await cluster.fetch(path))).data;
  t.strictSame(await read('/items/books/1?fields=id,author.name'), {
    id: 1,
    author: { name: 'Ada' },
  });
  const { rows } = await cluster.db.query(
    "SELECT indexdef FROM pg_indexes WHERE tablename = 'books' AND indexdef LIKE '%(author)'",
  );
  t.equal(rows.length, 1, 'the foreign key has an index');

  await t.test('which the values find by another field', async (t) => {
    const mapping = JSON.stringify({ author: { field: 'author', by: 'name', missing: 'create' } });
    const by = await create('essays', 'id,author\n1,Bo\n2,Cy\n', {
      query: `${query}&mapping=${mapping}`,
    });
    t.match(by, { state: 'completed', result: { inserted: 2 } }, JSON.stringify(by.error));
    t.match(await read('/items/essays?fields=author.name&sort=id'), [
      { author: { name: 'Bo' } },
      { author: { name: 'Cy' } },
    ]);
  });

  await t.test('a key without an item is a fault of its row', async (t) => {
    const wrong = await create('poems', 'id,author\n1,7\n2,8\n', {
      query: `${query}&on_error=skip`,
    });
    t.match(wrong.result, { inserted: 1, failed: 1 });
  });

  await t.test('collections that a field cannot refer to are refused', async (t) => {
    const refused = async (more: object, content = 'id,author\n1,7\n') => {
      const { state, error } = await create('plays', content, {
        query: `?create=true&${relations(more)}`,
      });
      t.equal((await cluster.fetch('/items/plays')).status, 403, 'nothing is created');
      return [state, error?.[0]?.extensions.reason_code];
    };
    t.strictSame(await refused({ author: 'nobody' }), ['failed', 'no_such_collection']);
    t.strictSame(await refused({ author: 'system_users' }), ['failed', 'new_field_cannot_refer']);
    t.strictSame(await refused({ editor: 'authors' }), ['failed', 'named_column_missing']);
    t.strictSame(await refused({ id: 'authors' }), ['failed', 'relation_on_primary_key']);
    await cluster.db.query('CREATE TABLE pair (a int, b int, PRIMARY KEY (a, b))');
    await until(async () => (await cluster.fetch('/items/pair')).status === 200, 'pair is known');
    t.strictSame(await refused({ author: 'pair' }), ['failed', 'target_without_single_key']);
    const answer = await upload(cluster, 'plays', 'id\n1\n', {
      query: '?create=true&relations=[]',
    });
    t.equal(answer.status, 400);
    const without = await upload(cluster, 'books', 'id\n1\n', { query: `?${relations({})}` });
    t.equal(without.status, 400, 'only with create');
  });
});

t.test('a dry run shows the fields, and creates nothing', async (t) => {
  const query = '?create=true&dry_run=true';
  const job = await create('tried', 'a,b\n1,x\n2,y\n', { query });
  const fields = [{ field: 'id' }, { field: 'a', type: 'integer' }, { field: 'b', type: 'string' }];
  t.match(job.result, { inserted: 2, failed: 0, dry_run: true, fields });
  const bad = await create('tried', 'a,b\n1,x\n2\n', { query });
  t.match(bad, { state: 'failed', error: [{ extensions: { code: 'INVALID_PAYLOAD', row: 2 } }] });
  const skipped = await create('tried', 'a,b\n1,x\n3\n', { query: `${query}&on_error=skip` });
  t.match(skipped.result, { inserted: 1, failed: 1 });
  t.strictSame(await schemaJobs('tried'), []);
  t.equal((await cluster.fetch('/items/tried')).status, 403);
});

t.test('what cannot become a collection is refused, and nothing is created', async (t) => {
  const statuses = async (name: string, query: string, content = 'a\n1\n') => {
    const answer = await upload(cluster, name, content, { query });
    const { errors } = await bodyOf<{ errors: { extensions: { code: string } }[] }>(answer);
    return [answer.status, errors[0]?.extensions.code];
  };
  t.strictSame(await statuses('nobody', ''), [403, 'FORBIDDEN']);
  t.strictSame(await statuses('nobody', '?create=false'), [403, 'FORBIDDEN']);
  t.strictSame(await statuses('system_mine', '?create=true'), [400, 'INVALID_PAYLOAD']);
  t.strictSame(await statuses('system_users', '?create=true'), [403, 'FORBIDDEN']);
  t.strictSame(await statuses('nobody', '?create=true&match=a'), [400, 'INVALID_QUERY']);
  t.strictSame(await statuses('nobody', '?create=true&mode=update'), [400, 'INVALID_QUERY']);
  const wrong = ['', 'a,a\n1,2\n', 'id\n1\n1\n', 'id,a\n,1\n', 'a\n"open'];
  for (const content of wrong) {
    t.strictSame(await statuses('nobody', '?create=true', content), [400, 'INVALID_PAYLOAD']);
  }
  const anonymous = new FormData();
  anonymous.set('create', 'true');
  anonymous.set('file', new Blob(['a\n1\n'], { type: 'text/csv' }), 'a.csv');
  const stranger = await fetch(`${cluster.url}/utils/import/nobody`, {
    method: 'POST',
    body: anonymous,
  });
  t.equal(stranger.status, 403);
  t.strictSame(await schemaJobs('nobody'), []);
});

t.test('it is kept if rows fail, and a retry goes on with it', async (t) => {
  const job = await create('kept', 'a,b\n1,x\n2\n');
  t.match(job, { state: 'failed', error: [{ extensions: { row: 2 } }] });
  t.ok((await cluster.fetch('/items/kept')).ok);
  const retried = await cluster.fetch(`/jobs/${job.id}/retry`, { method: 'POST' });
  t.equal(retried.status, 202);
  t.match(await ended(job.id), { state: 'failed', error: [{ extensions: { row: 2 } }] });
  const good = await create('kept', 'a,b\n1,x\n2\n', { query: '?create=true&on_error=skip' });
  t.match(good.result, { inserted: 1, failed: 1 });
  t.equal((await schemaJobs('kept')).length, 1);
});

t.test('a worker that is killed on the way is followed by one that makes it once', async (t) => {
  for (const failpoint of FAILPOINTS) {
    const name = failpoint.replace('.', '_');
    const [first] = cluster.workers;
    await first?.end('SIGKILL');
    const doomed = await cluster.startWorker({ FAILPOINT: failpoint });
    const form = new FormData();
    form.set('create', '1');
    form.set('file', new Blob(['a\n1\n2\n'], { type: 'text/csv' }), 'a.csv');
    const answer = await cluster.fetch(`/utils/import/${name}?background`, {
      method: 'POST',
      body: form,
    });
    const { data } = await bodyOf<JobBody>(answer);
    t.equal(await doomed.stoppedAt, failpoint);
    await doomed.end('SIGKILL');
    const successor = await cluster.startWorker();
    const job = await ended(data.id);
    t.match(job, { state: 'completed' });
    if (failpoint !== 'import.committed') t.equal(job.attempts, 2);
    t.match(job.result, { inserted: 2, fields: [{ field: 'id' }, { field: 'a' }] });
    const read = await cluster.fetch(`/items/${name}?fields=a`);
    t.strictSame(await read.json(), { data: [{ a: 1 }, { a: 2 }] });
    t.equal((await schemaJobs(name)).length, 1, failpoint);
    await successor.end('SIGKILL');
  }
});
