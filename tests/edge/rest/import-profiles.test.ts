// @newest
/** Import profiles: a system collection of named options, and imports that use them. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import t from 'tap';
import { bodyOf, type ErrorsBody, type JobBody } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createMember, type MemberUser, sendAs } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t, {
  workers: 1,
  env: { IMPORT_IP_ALLOW_LIST: '127.0.0.1' },
});
const { db } = cluster;
await db.query(`CREATE TABLE prices (sku text PRIMARY KEY, price numeric, note text);
  CREATE TABLE others (id serial PRIMARY KEY, name text)`);
await cluster.served('/items/prices');
await cluster.served('/items/others');

const admin = (method: string, path: string, body?: unknown) =>
  sendAs(cluster, ADMIN_TOKEN, method, path, body);

const prices = async () =>
  (await db.query('SELECT sku, price::text, note FROM prices ORDER BY sku')).rows.map((row) =>
    Object.values(row).join(),
  );

function form(content: string, name = 'a.csv') {
  const body = new FormData();
  body.set('file', new File([content], name, { type: 'text/csv' }));
  return body;
}

async function refusal(answer: Response) {
  const { errors } = await bodyOf<ErrorsBody>(answer);
  const { code, reason_code: why } = errors[0]?.extensions ?? {};
  return [answer.status, code, why];
}

const send = (query: string, content: string) =>
  cluster.fetch(`/utils/import/prices${query}`, { method: 'POST', body: form(content) });

const named = (query: string, body?: object, token = ADMIN_TOKEN) =>
  cluster.fetch(`/utils/import/prices${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });

async function stored(content: string, name = 'a.csv'): Promise<string> {
  const answer = await cluster.fetch('/files', { method: 'POST', body: form(content, name) });
  return (await bodyOf<{ data: { id: string } }>(answer)).data.id;
}

async function jobOf(answer: Response) {
  const read = async () =>
    (await bodyOf<JobBody>(await cluster.fetch(answer.headers.get('location') ?? ''))).data;
  await until(async () => (await read()).finished_on !== null, 'the job has ended');
  return await read();
}

await admin('POST', '/import_profiles', {
  name: 'supplier',
  collection: 'prices',
  mapping: { Article: 'sku', Price: 'price' },
  options: { separator: ';', decimal: ',', null_values: ['NULL', '-'], constants: { note: 'new' } },
  mode: 'upsert',
});

t.test('a profile is an item of a system collection', async (t) => {
  const made = await admin('POST', '/import_profiles', { name: 'plain', collection: 'prices' });
  t.equal(made.status, 200);
  t.ok(made.body.data.user_created, 'the server keeps who made it');
  const { id } = made.body.data;
  const again = await admin('POST', '/import_profiles', { name: 'plain', collection: 'others' });
  t.strictSame([again.status, again.code], [400, 'RECORD_NOT_UNIQUE']);
  const changed = await admin('PATCH', `/import_profiles/${id}`, { options: { on_error: 'skip' } });
  t.strictSame(changed.body.data.options, { on_error: 'skip' });
  const graphql = await admin('POST', '/graphql/system', {
    query: '{ import_profiles(filter: { name: { _eq: "supplier" } }) { collection mapping } }',
  });
  t.strictSame(graphql.body.data.import_profiles, [
    { collection: 'prices', mapping: { Article: 'sku', Price: 'price' } },
  ]);
  const history = await admin('GET', '/revisions?filter[collection][_eq]=system_import_profiles');
  t.equal(history.body.data.length >= 3, true);
  const document = (await admin('GET', '/server/specs/oas')).body;
  t.ok(document.paths['/import_profiles/{key}']?.patch);
  t.equal((await admin('DELETE', `/import_profiles/${id}`)).status, 204);
});

t.test('an invalid profile is refused when it is stored, and the option is named', async (t) => {
  const cases: readonly [object, string, string][] = [
    [{ options: { separatr: ';' } }, 'options', 'option_unknown'],
    [{ options: { separator: ';;' } }, 'options', 'option_character_expected'],
    [{ options: { decimal: '!' } }, 'options', 'option_values_expected'],
    [{ options: { quote: [1] } }, 'options', 'profile_option_value_unknown'],
    [{ options: { mode: 'insert' } }, 'options', 'profile_option_is_member'],
    [{ options: ['separator'] }, 'options', 'profile_options_expected'],
    [{ options: { max_errors: 5 } }, 'options', 'max_errors_without_skip'],
    [{ mapping: { a: 'x', b: 'x' } }, 'mapping', 'option_maps_field_twice'],
    [{ mapping: 'x' }, 'mapping', 'option_mapping_expected'],
    [{ mode: 'all' }, 'mode', 'option_values_expected'],
    [{ source: {} }, 'source', 'import_source_expected'],
    [{ source: { url: 'http://a.test', file: 'b' } }, 'source', 'import_source_expected'],
    [{ source: { url: 'ftp://a.test' } }, 'source', 'import_url_scheme_unknown'],
    [{ source: { url: 'http://u:p@a.test' } }, 'source', 'import_url_with_credentials'],
    [{ source: { path: '/etc/passwd' } }, 'source', 'import_source_member_unknown'],
    [{ name: ' ' }, 'name', 'text_empty'],
  ];
  for (const [given, field, why] of cases) {
    const body = { name: 'wrong', collection: 'prices', ...given };
    const { status, body: answer } = await admin('POST', '/import_profiles', body);
    const { code, field: place, reason_code } = answer.errors?.[0]?.extensions ?? {};
    const told = [status, code, place, reason_code];
    t.strictSame(told, [400, 'INVALID_PAYLOAD', field, why], JSON.stringify(given));
  }
  const { id } = (await admin('GET', '/import_profiles?filter[name][_eq]=supplier')).body.data[0];
  const changed = await admin('PATCH', `/import_profiles/${id}`, { options: { separator: '' } });
  t.strictSame([changed.status, changed.code], [400, 'INVALID_PAYLOAD']);
  t.equal((await admin('POST', '/import_profiles', { collection: 'prices' })).status, 400);
});

t.test('an upload uses the options of a profile, and its own options replace them', async (t) => {
  await db.query('TRUNCATE prices');
  const first = await send('?profile=supplier', 'Article;Price\na;1,5\nb;-\n');
  t.equal(first.status, 200, await first.clone().text());
  t.strictSame(await prices(), ['a,1.5,new', 'b,,new']);
  const job = await jobOf(first);
  t.match(job.result, { inserted: 2, profile: 'supplier' });
  const constants = encodeURIComponent(JSON.stringify({ note: 'other' }));
  const mapping = encodeURIComponent(JSON.stringify({ Code: 'sku', Price: 'price' }));
  const query = `?profile=supplier&constants=${constants}&mapping=${mapping}&separator=auto`;
  const second = await send(query, 'Code;Price\nc;2,5\n');
  t.equal(second.status, 200, await second.clone().text());
  t.strictSame(await prices(), ['a,1.5,new', 'b,,new', 'c,2.5,other']);
  const parts = new FormData();
  parts.set('decimal', '.');
  parts.set('file', new File(['Article;Price\nd;3.5\n'], 'a.csv', { type: 'text/csv' }));
  const third = await cluster.fetch('/utils/import/prices?profile=supplier', {
    method: 'POST',
    body: parts,
  });
  t.equal(third.status, 200, await third.clone().text());
  t.ok((await prices()).includes('d,3.5,new'), 'parts of the form replace them too');
});

t.test('the source of a profile is used without a body, or with an empty object', async (t) => {
  await db.query('TRUNCATE prices');
  const file = await stored('sku,price\nx,1\n');
  const other = await stored('sku,price\ny,2\n');
  await admin('POST', '/import_profiles', {
    ...{ name: 'daily', collection: 'prices', source: { file } },
  });
  t.equal((await named('?profile=daily')).status, 200);
  t.strictSame(await prices(), ['x,1,']);
  await db.query('TRUNCATE prices');
  t.equal((await named('?profile=daily', {})).status, 200);
  t.strictSame(await prices(), ['x,1,']);
  t.equal((await named('?profile=daily', { file: other })).status, 200);
  t.strictSame(await prices(), ['x,1,', 'y,2,'], 'a source in the body replaces it');
  const none = await named('?profile=supplier', {});
  t.strictSame(await refusal(none), [400, 'INVALID_PAYLOAD', 'import_profile_without_source']);
  t.strictSame((await refusal(await named('', {})))[2], 'import_source_expected');
});

t.test('a job keeps the options of its request when the profile changes', async (t) => {
  await db.query('TRUNCATE prices');
  const file = await stored('Code;Price\nq;1\n');
  const made = await admin('POST', '/import_profiles', {
    ...{ name: 'changing', collection: 'prices', source: { file } },
    ...{ mapping: { Code: 'sku', Price: 'price' }, options: { constants: { note: 'first' } } },
  });
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'idempotency-key': 'changing-1' };
  const request = () =>
    cluster.fetch('/utils/import/prices?profile=changing&background', { method: 'POST', headers });
  const lock = await db.connect();
  await lock.query('BEGIN; LOCK TABLE prices IN ACCESS EXCLUSIVE MODE');
  try {
    const accepted = await request();
    t.equal(accepted.status, 202);
    const path = `/import_profiles/${made.body.data.id}`;
    const options = { constants: { note: 'second' } };
    t.equal((await admin('PATCH', path, { options })).status, 200);
    const again = await request();
    t.equal(again.headers.get('location'), accepted.headers.get('location'), 'it is one request');
    await lock.query('ROLLBACK');
    t.match((await jobOf(accepted)).result, { inserted: 1, profile: 'changing' });
  } finally {
    lock.release();
  }
  t.strictSame(await prices(), ['q,1,first']);
});

t.test('a profile can name a URL', async (t) => {
  const server = createServer((_, answer) =>
    answer.setHeader('content-type', 'text/csv').end('Article;Price\nurl;7,5\n'),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('there is no address');
  const url = `http://127.0.0.1:${address.port}/a.csv`;
  const { id } = (await admin('GET', '/import_profiles?filter[name][_eq]=supplier')).body.data[0];
  await admin('PATCH', `/import_profiles/${id}`, { source: { url } });
  const answer = await named('?profile=supplier', {});
  t.equal(answer.status, 200, await answer.text());
  t.ok((await prices()).includes('url,7.5,new'));
});

t.test('unknown, hidden and foreign profiles are refused', async (t) => {
  const missing = await refusal(await named('?profile=no-such', {}));
  t.strictSame(missing, [403, 'FORBIDDEN', 'import_profile_unreadable']);
  const rights = { collection: 'prices', permissions: {} } as const;
  const writer = [
    { ...rights, action: 'create' },
    { ...rights, action: 'update' },
    { ...rights, action: 'read' },
  ] as const;
  const ask = async (member: MemberUser, name: string) =>
    refusal(await named(`?profile=${name}`, {}, member.token));
  const without = await createMember(cluster, writer);
  t.strictSame(await ask(without, 'daily'), missing, 'without the right to read profiles');
  const some = await createMember(cluster, [
    ...writer,
    {
      collection: 'system_import_profiles',
      action: 'read',
      permissions: { name: { _neq: 'daily' } },
    },
  ]);
  t.strictSame(await ask(some, 'daily'), missing, 'hidden by a rule');
  const partly = await createMember(cluster, [
    ...writer,
    { collection: 'system_import_profiles', action: 'read', fields: ['name'], permissions: {} },
  ]);
  t.strictSame(await ask(partly, 'daily'), missing, 'hidden fields');
  await admin('POST', '/import_profiles', { name: 'open', collection: 'prices' });
  const readable = await cluster.fetch('/utils/import/prices?profile=open', {
    method: 'POST',
    headers: { authorization: `Bearer ${some.token}` },
    body: form('sku\nreadable\n'),
  });
  t.equal(readable.status, 200, await readable.text());
  await admin('POST', '/import_profiles', { name: 'foreign', collection: 'others' });
  t.strictSame(await refusal(await named('?profile=foreign', {})), [
    ...[400, 'INVALID_QUERY', 'import_profile_of_other_collection'],
  ]);
});
