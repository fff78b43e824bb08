/** The routes of fields over real sockets: what is shown to whom, and what changes them. */
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';
import { createEditor } from './fixture/editor.ts';
import { sender } from './fixture/send.ts';
import { outcome } from './fixture/sign-in.ts';

interface FieldBody {
  readonly collection: string;
  readonly field: string;
  readonly type: string;
  readonly meta: Readonly<Record<string, unknown>> | null;
  readonly schema: Readonly<Record<string, unknown>> | null;
}

const cluster = await startCluster(t, { workers: 1 });
const send = sender(cluster);
await createSample(cluster.db);
await cluster.db.query(`
  ALTER TABLE articles ADD COLUMN shout text GENERATED ALWAYS AS (upper(body)) STORED;
  UPDATE system_fields SET note = 'the words', options = '{"a":1}' WHERE field = 'tags'`);
const read = async <T>(path: string) => (await bodyOf<{ data: T }>(await cluster.fetch(path))).data;
await until(async () => (await cluster.fetch('/fields/articles/shout')).ok, 'the tables are known');

t.test('shows all fields to admins', async (t) => {
  const all = await read<FieldBody[]>('/fields?limit=1');
  const shown = new Set(all.map(({ collection, field }) => `${collection}.${field}`));
  for (const name of ['articles.title', 'articles.tags', 'system_users.password']) {
    t.ok(shown.has(name), `${name} is there`);
  }
  const articles = await read<FieldBody[]>('/fields/articles');
  t.strictSame(
    articles.map(({ field }) => field),
    [
      ...['id', 'author_id', 'title', 'body', 'status', 'views', 'published_at', 'shout'],
      ...['comments', 'tags'],
    ],
  );
  t.strictSame(await read('/fields/articles/title'), {
    collection: 'articles',
    field: 'title',
    type: 'text',
    meta: null,
    schema: {
      name: 'title',
      table: 'articles',
      schema: 'public',
      data_type: 'text',
      default_value: null,
      generation_expression: null,
      max_length: null,
      numeric_precision: null,
      numeric_scale: null,
      is_generated: false,
      is_nullable: false,
      is_unique: false,
      is_indexed: false,
      is_primary_key: false,
      has_auto_increment: false,
      foreign_key_schema: null,
      foreign_key_table: null,
      foreign_key_column: null,
      comment: null,
    },
  });
  const tags = await read<FieldBody>('/fields/articles/tags');
  t.match(tags, { type: 'alias', schema: null, meta: { note: 'the words', options: { a: 1 } } });
  t.equal(tags.meta?.special, 'm2m', 'flags are a text');
  t.match(await read('/fields/articles/author_id'), {
    schema: { foreign_key_table: 'authors', index_state: 'ready', is_indexed: true },
  });
});

t.test('shows indexes that are being built', async (t) => {
  await cluster.db.query(`INSERT INTO system_jobs (kind, queue, message, message_version)
    VALUES ('index', 'nowhere', '{"collection":"articles","field":"title"}', 1)`);
  t.match(await read('/fields/articles/title'), { schema: { index_state: 'building' } });
  t.notMatch(await read('/fields/articles/body'), { schema: { index_state: String } });
  await cluster.db.query("DELETE FROM system_jobs WHERE queue = 'nowhere'");
  t.notMatch(await read('/fields/articles/title'), { schema: { index_state: String } });
});

t.test('refuses nonexistent parts', async (t) => {
  for (const path of ['/fields/nope', '/fields/articles/nope', '/fields/nope/id']) {
    t.equal(await outcome(cluster.fetch(path)), 'FORBIDDEN', path);
  }
  t.equal(await outcome(fetch(`${cluster.url}/fields`)), 'FORBIDDEN', 'anonymous');
  t.equal(await outcome(cluster.fetch('/fields', { method: 'POST' })), 'ROUTE_NOT_FOUND');
});

t.test('shows other callers the parts that they may read', async (t) => {
  const blind = await createEditor(cluster, { reads: { articles: '*' } });
  t.equal(await outcome(blind('/fields')), 'FORBIDDEN');
  t.equal(await outcome(blind('/fields/articles')), 'FORBIDDEN');

  const reads = { articles: 'id,author_id,tags,shout', system_fields: 'field,note' };
  const editor = await createEditor(cluster, { reads });
  const get = async <T>(path: string) => (await bodyOf<{ data: T }>(await editor(path))).data;
  const [id, author, shout, tags, ...more] = await get<FieldBody[]>('/fields/articles');
  t.strictSame(more, []);
  t.match(id, { field: 'id', schema: { is_primary_key: true } });
  t.match(author, { field: 'author_id', schema: { foreign_key_table: null } }, 'not to be read');
  t.match(shout, { field: 'shout', schema: { generation_expression: null } }, 'of a hidden field');
  t.strictSame(tags?.meta, { field: 'tags', note: 'the words' });
  const all = await get<FieldBody[]>('/fields');
  t.strictSame(
    [...new Set(all.map(({ collection }) => collection))],
    ['articles', 'system_fields'],
  );
  const hidden = await editor('/fields/articles/body');
  const missing = await editor('/fields/articles/none');
  t.equal(hidden.status, 403);
  t.equal(
    (await hidden.text()).replaceAll('body', '?'),
    (await missing.text()).replaceAll('none', '?'),
  );
  t.equal(await outcome(editor('/fields/tags')), 'FORBIDDEN');
  // A rule decides which rows of the metadata may be read; the field itself stays.
  await cluster.db.query(`UPDATE system_permissions SET permissions = '{"note":{"_null":true}}'
    WHERE collection = 'system_fields'`);
  await until(async () => {
    const { meta } = await get<FieldBody>('/fields/articles/tags');
    return meta === null;
  }, 'the rule counts');

  const app = await createEditor(cluster, { app: true, reads: {} });
  t.equal(await outcome(app('/fields/system_users/email')), 200);
  t.equal(await outcome(app('/fields/system_users/external_identifier')), 'FORBIDDEN');
});

t.test('makes fields', async (t) => {
  const made = await send('POST', '/fields/pages', {
    field: 'f "quoted"; --',
    type: 'string',
    meta: { special: ['cast-json', 'conceal'], display_options: { a: 1 }, icon: 'x', note: 'hi' },
    schema: { default_value: "it's", is_nullable: false, is_unique: true, max_length: 20 },
  });
  t.equal(made.status, 200);
  t.match(made.body.data, {
    collection: 'pages',
    field: 'f "quoted"; --',
    meta: { special: 'cast-json,conceal', display_options: '{"a":1}', icon: 'x', sort: Number },
    schema: {
      data_type: 'character varying',
      max_length: 20,
      is_nullable: false,
      is_unique: true,
      index_state: 'ready',
    },
  });
  const path = `/fields/pages/${encodeURIComponent('f "quoted"; --')}`;
  t.strictSame(await read(path), made.body.data, 'which reads the same');
  const types: Readonly<Record<string, unknown>> = {
    text: 'text',
    boolean: 'boolean',
    integer: 'integer',
    bigInteger: 'bigint',
    float: 'double precision',
    decimal: 'numeric',
    date: 'date',
    time: 'time without time zone',
    dateTime: 'timestamp without time zone',
    timestamp: 'timestamp with time zone',
    json: 'json',
    csv: 'text',
    uuid: 'uuid',
    hash: 'character varying',
    binary: 'bytea',
  };
  const fields = Object.keys(types).map((type) => ({ field: `f_${type}`, type }));
  await send('POST', '/collections', { collection: 'types', schema: {}, meta: {}, fields });
  const [, ...found] = await read<FieldBody[]>('/fields/types');
  t.match(
    found,
    Object.entries(types).map(([type, column]) => {
      return { field: `f_${type}`, type, schema: { data_type: column } };
    }),
  );
  const alias = await send('POST', '/fields/pages', {
    field: 'divider',
    type: 'alias',
    meta: { special: 'alias,no-data', interface: 'divider' },
  });
  t.match(alias.body, {
    data: { type: 'alias', schema: null, meta: { special: 'alias,no-data' } },
  });
});

t.test('changes fields', async (t) => {
  const one = await send('PATCH', '/fields/pages/title', {
    meta: { note: 'hello', required: true },
    schema: { default_value: 'Untitled', comment: 'shown above' },
  });
  t.match(one, {
    status: 200,
    body: {
      data: {
        meta: { note: 'hello', required: true, sort: null },
        schema: { default_value: 'Untitled', comment: 'shown above', is_nullable: true },
      },
    },
  });
  const many = await send('PATCH', '/fields/pages', [
    { field: 'title', meta: { sort: 2 } },
    { field: 'id', meta: { sort: 1, hidden: true } },
  ]);
  t.match(many.body.data, [
    { field: 'title', meta: { sort: 2, note: 'hello' } },
    { field: 'id', meta: { sort: 1, hidden: true }, schema: { is_primary_key: true } },
  ]);
  const tag = (await cluster.fetch('/fields/pages/title')).headers.get('etag') ?? '';
  const match = { 'if-match': tag };
  t.equal((await send('PATCH', '/fields/pages/title', { meta: { sort: 3 } }, match)).status, 200);
  const stale = await send('PATCH', '/fields/pages/title', { meta: { sort: 4 } }, match);
  t.match(stale.body, { errors: [{ extensions: { code: 'PRECONDITION_FAILED' } }] });
  const whole = await read<FieldBody>('/fields/pages/title');
  t.match(await send('PATCH', '/fields/pages/title', whole), { status: 200 }, 'written as read');
  t.strictSame(await read('/fields/pages/title'), whole);
});

t.test('deletes fields', async (t) => {
  t.equal((await send('DELETE', '/fields/types/f_uuid')).status, 204);
  t.equal(await outcome(cluster.fetch('/fields/types/f_uuid')), 'FORBIDDEN');
  const again = await send('DELETE', '/fields/types/f_uuid');
  t.match(again, { status: 403, body: { errors: [{ extensions: { code: 'FORBIDDEN' } }] } });
});

t.test('a repeated request does not fall over its own change', async (t) => {
  const tagOf = async (path: string) => (await cluster.fetch(path)).headers.get('etag') ?? '';
  await send('POST', '/fields/pages', { field: 'once', type: 'string' });
  const path = '/fields/pages/once';
  const tag = await tagOf(path);
  const keyed = (key: string) => ({ 'if-match': tag, 'idempotency-key': key });
  const note = { meta: { note: 'repeated' } };
  const first = await send('PATCH', path, note, keyed('a'));
  t.match(first, { status: 200, body: { data: { meta: { note: 'repeated' } } } });
  t.match(await send('PATCH', path, note, keyed('a')), { status: 200, body: first.body });
  const other = await send('PATCH', path, { meta: { note: 'other' } }, keyed('a'));
  t.match(other, {
    status: 422,
    body: { errors: [{ extensions: { code: 'UNPROCESSABLE_ENTITY', key: 'a' } }] },
  });
  t.equal((await send('PATCH', path, note, keyed('b'))).status, 412, 'another request is judged');
  const doomed = { 'if-match': await tagOf(path), 'idempotency-key': 'c' };
  t.equal((await send('DELETE', path, undefined, doomed)).status, 204);
  t.equal((await send('DELETE', path, undefined, doomed)).status, 204, 'it is gone already');
});

t.test('answers at once when the client prefers it', async (t) => {
  const prefer = { prefer: 'respond-async' };
  const field = { field: 'later', type: 'integer' };
  const { headers, status, body } = await send('POST', '/fields/pages', field, prefer);
  t.equal(status, 202);
  t.equal(headers.get('location'), `/jobs/${body.data.id}`);
  t.equal(headers.get('preference-applied'), 'respond-async');
  t.match(body.data, { kind: 'schema', collection: 'pages' });
  const ended = await until(async () => {
    const job = await read<{ state: string }>(`/jobs/${body.data.id}`);
    return ['completed', 'failed'].includes(job.state) && job;
  }, 'the job ends');
  t.match(ended, { state: 'completed', result: { version: Number } });
  t.equal(await outcome(cluster.fetch('/fields/pages/later')), 200);
});

t.test('names the job when the client waits too long', async (t) => {
  const hasty = await cluster.addEdge({ JOB_WAIT_LIMIT: '1ms' });
  const holder = await cluster.db.connect();
  await holder.query('BEGIN; LOCK TABLE pages IN ACCESS SHARE MODE');
  const response = await fetch(`${hasty.url}/fields/pages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ field: 'slow', type: 'integer' }),
  });
  t.equal(response.status, 202);
  t.equal(await response.text(), '');
  t.match(response.headers.get('location'), /^\/jobs\/[0-9a-f-]{36}$/);
  await holder.query('COMMIT');
  holder.release();
  await until(
    async () => (await cluster.fetch('/fields/pages/slow')).ok,
    'it is made all the same',
  );
});

t.test('makes a field for one of two concurrent requests', async (t) => {
  const ask = () => send('POST', '/fields/pages', { field: 'twice', type: 'integer' });
  const answers = await Promise.all([ask(), ask()]);
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 400]);
});

t.test('refuses changes that cannot be made', async (t) => {
  const refused = async (code: string, method: string, path: string, body?: unknown) => {
    const answer = await send(method, path, body);
    const [error] = answer.body?.errors ?? [];
    t.equal(error?.extensions.code, code, `${method} ${path} ${JSON.stringify(body)}`);
    return answer;
  };
  const bad = (method: string, path: string, body?: unknown) =>
    refused('INVALID_PAYLOAD', method, path, body);
  await bad('POST', '/fields/pages', { type: 'string' });
  await bad('POST', '/fields/pages', { field: 'x' });
  await bad('POST', '/fields/pages', { field: 'x', type: 'strnig' });
  await bad('POST', '/fields/pages', { field: 'title', type: 'string' });
  await bad('POST', '/fields/pages', { field: 'x\0', type: 'string' });
  await bad('PATCH', '/fields/pages', { field: 'title' });
  await bad('PATCH', '/fields/pages/title', { field: 'headline' });
  await bad('PATCH', '/fields/pages/title', { type: 'alias' });
  await bad('PATCH', '/fields/pages/id', { schema: { is_nullable: true } });
  await bad('PATCH', '/fields/system_users/first_name', { schema: { max_length: 60 } });
  await bad('PATCH', '/fields/system_users/first_name', { meta: { note: 'x' } });
  await refused('FORBIDDEN', 'PATCH', '/fields/system_users/nope', { schema: { max_length: 60 } });
  await refused('FORBIDDEN', 'POST', '/fields/nope', { field: 'x', type: 'string' });
  await refused('FORBIDDEN', 'PATCH', '/fields/pages/nope', { meta: { note: 'x' } });
  await refused('FORBIDDEN', 'DELETE', '/fields/pages/nope');
  await refused('FORBIDDEN', 'DELETE', '/fields/system_users/email');
  await refused('FORBIDDEN', 'DELETE', '/fields/pages/%00');
  await refused('FORBIDDEN', 'DELETE', `/fields/${'x'.repeat(900)}/x`);
  const text = await cluster.fetch('/fields/pages', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: '{}',
  });
  t.equal(text.status, 415);
});

t.test('only admins change fields, existing or not', async (t) => {
  const editor = await createEditor(cluster, { app: true, reads: { pages: '*' } });
  const anonymous = (path: string, init: RequestInit) => fetch(`${cluster.url}${path}`, init);
  const answers = new Set<string>();
  for (const ask of [editor, anonymous]) {
    for (const path of ['/fields/pages', '/fields/nope']) {
      for (const [method, tail] of [
        ['POST', ''],
        ['PATCH', ''],
        ['PATCH', '/title'],
        ['DELETE', '/title'],
      ] as const) {
        const init = method === 'DELETE' ? { method } : { method, body: 'no JSON' };
        const response = await ask(path + tail, init);
        t.equal(response.status, 403, `${method} ${path}${tail}`);
        answers.add(await response.text());
      }
    }
  }
  t.equal(answers.size, 1, 'all alike');
});
