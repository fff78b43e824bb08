// @newest
/** Imports, exports, files, jobs and the schema by the client, against a real server. */
import { createHash, randomBytes } from 'node:crypto';
import t from 'tap';
import { createClient, FailedValidationError, type Step } from '#ops/client/source/index.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t, { workers: 1 });
await cluster.db.query(`
  CREATE TABLE thing (id int PRIMARY KEY, name text);
  CREATE TABLE keyless (id serial PRIMARY KEY, name text);
`);
await until(async () => (await cluster.fetch('/items/keyless')).ok, 'the tables are served');
const client = createClient(cluster.url, { token: ADMIN_TOKEN });
t.teardown(() => client.close());
const things = client.items('thing');

function csv(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => `${index},name ${index}\n`);
  return `id,name\n${lines.join('')}`;
}

async function* chunks(text: string) {
  for (let place = 0; place < text.length; place += 5) {
    yield new TextEncoder().encode(text.slice(place, place + 5));
  }
}

t.test('an import tells its progress and its result', async (t) => {
  const run = things.import({ name: 'things.csv', content: csv(5_000) });
  const steps: Step[] = [];
  for await (const step of run) steps.push(step);
  const last = steps.at(-1);
  t.equal(last?.stage === 'job' && last.job.state, 'completed');
  t.match(await run, { inserted: 5_000, failed: 0 });
});

t.test('a stream is imported, and options are sent', async (t) => {
  const content = chunks('ID;NAME\n7;seven\n');
  const mapping = { ID: 'id', NAME: 'name' };
  const run = things.import({ name: 'x.csv', content }, { separator: ';', mapping });
  t.match(await run, { updated: 1 });
  t.equal((await things.get(7)).name, 'seven');
});

t.test('a profile is kept, and a mirror deletes what its file lacks', async (t) => {
  const made = await client.importProfiles.create({
    ...{ name: 'mirror', collection: 'keyless', options: { separator: ';' } },
  });
  t.match(made, { name: 'mirror', options: { separator: ';' } });
  const content = 'id;name\n90;a\n91;b\n';
  const file = { name: 'x.csv', content };
  t.match(await client.items('keyless').import(file, { profile: 'mirror' }), {
    ...{ inserted: 2, profile: 'mirror' },
  });
  const fewer = { name: 'x.csv', content: 'id;name\n90;a\n' };
  const options = { profile: 'mirror', mode: 'mirror' } as const;
  const tried = await client.items('keyless').import(fewer, options);
  t.match(tried, { dry_run: true, unchanged: 1, deleted: 1, deleted_keys: ['91'] });
  const done = await client.items('keyless').import(fewer, { ...options, max_deletes: 1 });
  t.match(done, { unchanged: 1, deleted: 1 });
  const nothing = async () => await client.items('keyless').import({}, { profile: 'mirror' });
  await t.rejects(nothing(), { message: /names no file/ });
  await cluster.db.query('TRUNCATE keyless');
});

t.test('a faulty import is an error of its class, with the job and its rows', async (t) => {
  const run = things.import({ name: 'bad.csv', content: 'id,name\nx,y\n' });
  await t.rejects(Promise.resolve(run), FailedValidationError);
  await t.rejects(Promise.resolve(run), { errors: [{ extensions: { row: 1, field: 'id' } }] });
  const { id } = await run.job;
  t.match(await (await client.jobs.errors(id)).text(), /FAILED_VALIDATION/);
  const again = await client.jobs.retry(id);
  await t.rejects(client.jobs.wait(again.id), FailedValidationError);
});

t.test('an import that is named is done once', async (t) => {
  const file = { name: 'keyless.csv', content: 'name\nnobody\n' };
  const idempotencyKey = 'once';
  await client.items('keyless').import(file, { idempotencyKey });
  await client.items('keyless').import(file, { idempotencyKey });
  t.equal((await client.items('keyless').list()).length, 1);
});

t.test('a job is cancelled', async (t) => {
  await client.queues.pause('transfer');
  const run = things.import({ name: 'things.csv', content: csv(10) });
  await run.job;
  await run.cancel();
  await t.rejects(Promise.resolve(run), { code: 'UNPROCESSABLE_ENTITY' });
  await client.queues.resume('transfer');
  t.ok((await client.queues.list()).length >= 4);
  const { period, now } = await client.queues.statistics('day');
  t.match([period, now.queues.length, now.processes.edge], ['day', 4, 1]);
  const [latest] = await client.jobs.list({ limit: 1, filter: { collection: { _eq: 'thing' } } });
  t.equal(latest?.state, 'cancelled');
});

t.test('items are exported to a file, as a stream, and one by one', async (t) => {
  const few = { filter: { id: { _lt: 3 } }, sort: 'id' };
  const exported = await things.export('csv', few, { title: 'Three' });
  t.match(exported, { rows: 3, file: 'Three.csv' });
  const text = await (await exported.open()).text();
  t.equal(createHash('sha256').update(text).digest('hex'), exported.sha256);
  const stream = await things.stream('ndjson', { fields: ['id'], limit: 2, sort: 'id' });
  t.equal((await stream.text()).trim(), '{"id":0}\n{"id":1}');
  let sum = 0;
  for await (const item of things.each({ fields: ['id'] })) sum += Number(item.id);
  t.equal(sum, (5_000 * 4_999) / 2);
});

t.test('files are stored, in pieces too, replaced, signed and zipped', async (t) => {
  const bytes = randomBytes(3_000_000);
  const told: number[] = [];
  const onProgress = ({ bytes }: { readonly bytes: number }) => told.push(bytes);
  const file = { name: 'blob "ü".bin', content: bytes };
  const stored = await client.files.upload(file, { title: 'A blob' }, { onProgress });
  t.match(stored, { title: 'A blob', filesize: '3000000' });
  t.ok(told.length > 1 && (told.at(-1) ?? 0) > bytes.length);
  const id = String(stored?.id);
  const read = await client.assets.read(id);
  t.ok(Buffer.from(await read.arrayBuffer()).equals(bytes));

  const begun: string[] = [];
  const resumable = { pieceSize: 1_000_000, onBegin: (upload: string) => begun.push(upload) };
  const content = new Blob([bytes]);
  const options = { onProgress, resumable };
  const pieces = await client.files.upload(
    { name: 'p.bin', content },
    { title: 'Pieces' },
    options,
  );
  t.match(pieces, { title: 'Pieces', filesize: '3000000', sha256: stored?.sha256 });
  t.equal(begun.length, 1);
  t.equal(told.at(-1), bytes.length);
  const nothing = { name: 'empty.txt', content: new Blob([]) };
  t.match(await client.files.upload(nothing, {}, { resumable: true }), { filesize: '0' });

  const other = { name: 'b.txt', content: 'other', type: 'text/plain' };
  t.match(await client.files.replace(id, other), { id, filesize: '5', title: 'A blob' });
  const { url } = await client.files.signUrl(id, { expires: 60 });
  const signed = await fetch(`${cluster.url}/assets/${id}${new URL(url).search}`);
  t.equal(await signed.text(), 'other');
  const zip = await client.assets.zip([id, String(pieces?.id)]);
  t.equal(zip.headers.get('content-type'), 'application/zip');
  await zip.body?.cancel();
  t.equal(client.assets.url(id, { width: 5 }), `${cluster.url}/assets/${id}?width=5`);
  const two = await client.files.uploadMany([
    { file: { name: '1.txt', content: '1' }, columns: { title: 'One' } },
    { file: { name: '2.txt', content: '2' }, columns: { title: 'Two' } },
  ]);
  t.match(two, [{ title: 'One' }, { title: 'Two' }]);
  const query = { filter: { title: { _eq: 'Two' } }, fields: ['title'] };
  t.strictSame(await client.files.list(query), [{ title: 'Two' }]);
});

t.test('the schema is read and changed, and what takes long is waited for', async (t) => {
  const { schema } = client;
  await schema.collections.create({ collection: 'made', schema: {}, meta: {} });
  const field = await schema.fields.create('made', { field: 'title', type: 'string' });
  t.match(field, { field: 'title', type: 'string' });
  await client.queues.pause('schema');
  const note = { meta: { note: 'A note' } };
  const headers = { prefer: 'respond-async' };
  const changing = schema.fields.update('made', 'title', note, { headers });
  const filter = { queue: { _eq: 'schema' }, state: { _eq: 'waiting' } };
  await until(async () => (await client.jobs.list({ filter })).length === 1, 'the change waits');
  await client.queues.resume('schema');
  t.match(await changing, { field: 'title', meta: { note: 'A note' } });
  const snapshot = await schema.snapshot();
  t.equal(await schema.diff(snapshot), null);
  await schema.fields.delete('made', 'title');
  const diff = await schema.diff(snapshot);
  if (diff === null) throw new Error('there is no difference');
  t.match((await schema.tryApply(diff)).join(), /title/);
  await schema.apply(diff);
  t.equal((await schema.fields.get('made', 'title')).field, 'title');
  t.match(await schema.fields.rename('made', 'title', 'heading'), { field: 'heading' });
  t.match(await schema.collections.rename('made', 'crafted'), { collection: 'crafted' });
  t.equal((await schema.fields.get('crafted', 'heading')).field, 'heading');
  await schema.collections.rename('crafted', 'made');
  await schema.collections.delete('made');
  t.notOk((await schema.collections.list()).some(({ collection }) => collection === 'made'));
});

t.test('utilities', async (t) => {
  t.equal((await client.utils.randomString()).length, 32);
  t.equal((await client.utils.randomString(7)).length, 7);
  const hash = await client.utils.hash.generate('secret');
  t.equal(await client.utils.hash.verify('secret', hash), true);
  t.equal(await client.utils.hash.verify('other', hash), false);
  await client.schema.collections.create({
    collection: 'sorted',
    schema: {},
    meta: { sort_field: 'sort' },
    fields: [
      { field: 'sort', type: 'integer' },
      { field: 'name', type: 'string' },
    ],
  });
  const sorted = client.items('sorted');
  await sorted.createMany([1, 2, 3].map((sort) => ({ sort, name: `n${sort}` })));
  await client.utils.sort('sorted', 3, 1);
  t.strictSame(await sorted.list({ fields: ['id'] }), [{ id: 3 }, { id: 1 }, { id: 2 }]);
  await sorted.update(1, { name: 'changed' });
  const revisions = await client.revisions.list({
    filter: { collection: { _eq: 'sorted' }, item: { _eq: '1' } },
    sort: 'id',
  });
  await client.utils.revert(Number(revisions[0]?.id));
  t.equal((await sorted.get(1)).name, 'n1');
  await client.utils.clearCache();
});

t.test('documents of GraphQL', async (t) => {
  const document = 'query ($id: ID!) { thing_by_id(id: $id) { name } }';
  t.strictSame(await client.graphql(document, { id: 7 }), { thing_by_id: { name: 'seven' } });
  await t.rejects(client.graphql('{ nothing }'), { code: 'GRAPHQL_VALIDATION' });
  const partial = client.graphql('{ a: thing_by_id(id: 1) { id } b: thing_by_id(id: -1) { id } }');
  await t.rejects(partial, { code: 'FORBIDDEN', data: { a: { id: '1' } } });
  const users = await client.graphql('{ users { email } }', {}, { scope: 'system' });
  t.ok(users.users);
});
