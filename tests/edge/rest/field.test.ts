/** The routes of fields over real sockets: what is shown to whom, and what changes them. */
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';
import { createEditor } from './fixture/editor.ts';
import { outcome } from './fixture/sign-in.ts';

interface FieldBody {
  readonly collection: string;
  readonly field: string;
  readonly type: string;
  readonly meta: Readonly<Record<string, unknown>> | null;
  readonly schema: Readonly<Record<string, unknown>> | null;
}

const cluster = await startCluster(t, { workers: 1 });
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

t.test('tells of indexes that are being built', async (t) => {
  await cluster.db.query(`INSERT INTO system_jobs (kind, queue, message, message_version)
    VALUES ('index', 'nowhere', '{"collection":"articles","field":"title"}', 1)`);
  t.match(await read('/fields/articles/title'), { schema: { index_state: 'building' } });
  t.notMatch(await read('/fields/articles/body'), { schema: { index_state: String } });
  await cluster.db.query("DELETE FROM system_jobs WHERE queue = 'nowhere'");
  t.notMatch(await read('/fields/articles/title'), { schema: { index_state: String } });
});

t.test('refuses what does not exist', async (t) => {
  for (const path of ['/fields/nope', '/fields/articles/nope', '/fields/nope/id']) {
    t.equal(await outcome(cluster.fetch(path)), 'FORBIDDEN', path);
  }
  t.equal(await outcome(fetch(`${cluster.url}/fields`)), 'FORBIDDEN', 'a stranger');
  t.equal(await outcome(cluster.fetch('/fields', { method: 'POST' })), 'ROUTE_NOT_FOUND');
});

t.test('shows others what they may read', async (t) => {
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

  const app = await createEditor(cluster, { app: true, reads: {} });
  t.equal(await outcome(app('/fields/system_users/email')), 200);
  t.equal(await outcome(app('/fields/system_users/external_identifier')), 'FORBIDDEN');
});
