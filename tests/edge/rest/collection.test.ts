/** The routes of collections over real sockets: what is shown to whom, and what changes them. */
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';
import { createEditor } from './fixture/editor.ts';
import { sender } from './fixture/send.ts';
import { outcome } from './fixture/sign-in.ts';

interface CollectionBody {
  readonly collection: string;
  readonly meta: Readonly<Record<string, unknown>> | null;
  readonly schema: Readonly<Record<string, unknown>> | null;
}

const cluster = await startCluster(t, { workers: 1 });
const send = sender(cluster);
await createSample(cluster.db);
await cluster.db.query(`
  CREATE VIEW published AS SELECT * FROM articles WHERE status = 'published';
  INSERT INTO system_collections (collection, note, "group") VALUES
    ('outer', 'a folder', NULL), ('inner', NULL, 'outer'), ('empty', NULL, NULL),
    ('tags', 'words', 'inner'), ('articles', NULL, 'outer')`);
const read = async <T>(path: string, init?: RequestInit) =>
  (await bodyOf<{ data: T }>(await cluster.fetch(path, init))).data;
const names = (list: readonly CollectionBody[]) => list.map(({ collection }) => collection);
await until(async () => (await cluster.fetch('/collections/empty')).ok, 'the tables are known');

t.test('shows all collections to admins', async (t) => {
  const all = await read<CollectionBody[]>('/collections?limit=1&filter[collection]=x');
  const shown = names(all);
  for (const name of ['articles', 'published', 'empty', 'system_users', 'system_fields']) {
    t.ok(shown.includes(name), `${name} is there`);
  }
  t.notOk(shown.includes('system_state'), 'what processes share is no collection');
  t.strictSame(await read('/collections/authors'), {
    collection: 'authors',
    meta: null,
    schema: { schema: 'public', name: 'authors', comment: null },
  });
  const view = { schema: 'public', name: 'published', comment: null, type: 'view' };
  t.match(await read('/collections/published'), { schema: view });
  t.match(await read('/collections/outer'), { meta: { note: 'a folder' }, schema: null });
  t.match(await read('/collections/system_users'), { meta: { system: true } });
  t.strictSame(
    names(await read('/collections', { method: 'SEARCH', body: '{"keys":["tags","articles"]}' })),
    ['tags', 'articles'],
  );
  t.strictSame(names(await read('/collections', { method: 'SEARCH', body: '{}' })), shown);
});

t.test('refuses invalid queries', async (t) => {
  const search = (body: string) =>
    outcome(cluster.fetch('/collections', { method: 'SEARCH', body }));
  t.equal(await outcome(cluster.fetch('/collections/nope')), 'FORBIDDEN');
  t.equal(await outcome(cluster.fetch('/collections/system_state')), 'FORBIDDEN');
  t.equal(await search('{"keys":["tags","nope"]}'), 'FORBIDDEN');
  t.equal(await search('{"keys":[1]}'), 'INVALID_PAYLOAD');
  t.equal(await search('{"keys":"tags"}'), 'INVALID_PAYLOAD');
  t.equal(await outcome(fetch(`${cluster.url}/collections`)), 'FORBIDDEN', 'anonymous');
});

t.test('shows other callers the parts that they may read', async (t) => {
  const blind = await createEditor(cluster, { reads: { tags: '*' } });
  t.equal(await outcome(blind('/collections')), 'FORBIDDEN');
  t.equal(await outcome(blind('/collections/tags')), 'FORBIDDEN');

  const reads = { tags: 'name', system_collections: 'collection,group' };
  const editor = await createEditor(cluster, { reads });
  const get = async <T>(path: string) => (await bodyOf<{ data: T }>(await editor(path))).data;
  t.strictSame(await get('/collections'), [
    { collection: 'inner', meta: { collection: 'inner', group: 'outer' }, schema: null },
    { collection: 'outer', meta: { collection: 'outer', group: null }, schema: null },
    {
      collection: 'system_collections',
      meta: { collection: 'system_collections', group: null, system: true },
      schema: { schema: 'public', name: 'system_collections', comment: null },
    },
    {
      collection: 'tags',
      meta: { collection: 'tags', group: 'inner' },
      schema: { schema: 'public', name: 'tags', comment: null },
    },
  ]);
  t.match(await get('/collections/outer'), { collection: 'outer' });
  const hidden = await editor('/collections/articles');
  const missing = await editor('/collections/artikels');
  t.equal(hidden.status, 403);
  t.equal(
    (await hidden.text()).replaceAll('articles', '?'),
    (await missing.text()).replaceAll('artikels', '?'),
  );
  t.equal(await outcome(editor('/collections/empty')), 'FORBIDDEN', 'a folder of nothing');

  const app = await createEditor(cluster, { app: true, reads: { tags: '*' } });
  const seen = names((await bodyOf<{ data: CollectionBody[] }>(await app('/collections'))).data);
  t.ok(seen.includes('tags') && seen.includes('system_users'));
  t.notOk(seen.includes('articles') || seen.includes('system_access'));
});

t.test('makes tables with their fields', async (t) => {
  const events = await send('POST', '/collections', {
    collection: 'events',
    meta: { note: 'made by api' },
    schema: { comment: 'what happens' },
    fields: [
      { field: 'id', type: 'uuid', schema: { is_primary_key: true }, meta: { special: ['uuid'] } },
      { field: 'name', type: 'string', schema: { is_nullable: false }, meta: {} },
      { field: 'notice', type: 'alias', meta: { special: ['alias', 'no-data'] } },
    ],
  });
  t.equal(events.status, 200);
  t.strictSame(events.body, {
    data: {
      collection: 'events',
      meta: {
        ...{ collection: 'events', icon: null, note: 'made by api', display_template: null },
        ...{ hidden: false, singleton: false, translations: null, archive_field: null },
        ...{ archive_app_filter: true, archive_value: null, unarchive_value: null },
        ...{ sort_field: null, accountability: 'all', color: null, sort: null, group: null },
        ...{ item_duplication_fields: null, collapse: 'open', preview_url: null },
        ...{ versioning: false, status: 'active', autosave_revision_interval: null },
      },
      schema: { schema: 'public', name: 'events', comment: 'what happens' },
    },
  });
  t.match(await read('/fields/events'), [
    { field: 'id', type: 'uuid', meta: { special: 'uuid', sort: 1 } },
    { field: 'name', schema: { is_nullable: false }, meta: { sort: 2 } },
    { field: 'notice', type: 'alias', schema: null },
  ]);
  const item = await send('POST', '/items/events', { name: 'first' });
  t.match(item, { status: 200, body: { data: { name: 'first' } } }, 'it can be used at once');
});

t.test('gives a table a key, and a folder none', async (t) => {
  const both = await send('POST', '/collections', [
    { collection: 'plain', schema: {}, meta: {} },
    { collection: 'folder', schema: null, meta: {} },
    { collection: 'bare', schema: {} },
  ]);
  t.match(both, {
    status: 200,
    body: {
      data: [
        { collection: 'plain', schema: { name: 'plain' }, meta: { accountability: 'all' } },
        { collection: 'folder', schema: null, meta: { collection: 'folder' } },
        { collection: 'bare', schema: { name: 'bare' }, meta: null },
      ],
    },
  });
  const [key] = await read<Record<string, unknown>[]>('/fields/plain');
  t.match(key, {
    field: 'id',
    type: 'integer',
    schema: { is_primary_key: true, has_auto_increment: true },
    meta: { hidden: true, readonly: true },
  });
});

t.test('changes the metadata of collections', async (t) => {
  const one = await send('PATCH', '/collections/plain', { meta: { note: 'n', group: 'folder' } });
  t.match(one, { status: 200, body: { data: { meta: { note: 'n', group: 'folder' } } } });
  t.match(await send('PATCH', '/collections/plain', {}), {
    status: 200,
    body: { data: { meta: { note: 'n', group: 'folder' } } },
  });
  const many = await send('PATCH', '/collections', [
    { collection: 'plain', meta: { sort: 2 } },
    { collection: 'bare', meta: { sort: 1 } },
  ]);
  t.match(many.body.data, [
    { collection: 'plain', meta: { sort: 2, note: 'n' } },
    { collection: 'bare', meta: { sort: 1, note: null } },
  ]);
});

t.test('deletes collections', async (t) => {
  t.equal((await send('DELETE', '/collections/events')).status, 204);
  t.match(await send('DELETE', '/collections/events'), {
    status: 403,
    body: { errors: [{ extensions: { code: 'FORBIDDEN' } }] },
  });
  t.equal(await outcome(cluster.fetch('/items/events')), 'FORBIDDEN');
  t.equal((await send('DELETE', '/collections/folder')).status, 204);
  t.match(await read('/collections/plain'), { meta: { group: null } });
});

t.test('refuses changes that cannot be made', async (t) => {
  const refused = async (code: string, method: string, path: string, body?: unknown) => {
    const answer = await send(method, path, body);
    const [error] = answer.body?.errors ?? [];
    t.equal(error?.extensions.code, code, `${method} ${path} ${JSON.stringify(body)}`);
  };
  for (const collection of [
    '',
    ' ',
    ' a',
    'a/b',
    'system_x',
    'directus_x',
    'tags',
    'x'.repeat(64),
  ]) {
    await refused('INVALID_PAYLOAD', 'POST', '/collections', { collection, schema: {}, meta: {} });
  }
  await refused('INVALID_PAYLOAD', 'POST', '/collections', { schema: {} });
  await refused('INVALID_PAYLOAD', 'POST', '/collections', { collection: 'x', fields: {} });
  await refused('INVALID_PAYLOAD', 'POST', '/collections', [
    { collection: 'half', schema: {}, meta: {} },
    { collection: 'tags', schema: {}, meta: {} },
  ]);
  t.equal(await outcome(cluster.fetch('/collections/half')), 'FORBIDDEN', 'all or none');
  await refused('INVALID_PAYLOAD', 'PATCH', '/collections', { collection: 'tags', meta: {} });
  await refused('INVALID_PAYLOAD', 'PATCH', '/collections/tags', { collection: 'words' });
  await refused('FORBIDDEN', 'PATCH', '/collections/nope', { meta: { note: 'x' } });
  await refused('FORBIDDEN', 'DELETE', '/collections/system_users');
  const editor = await createEditor(cluster, { app: true, reads: { tags: '*' } });
  for (const path of ['/collections/tags', '/collections/nope']) {
    t.equal(await outcome(editor(path, { method: 'DELETE' })), 'FORBIDDEN');
    t.equal(await outcome(editor(path, { method: 'PATCH', body: 'no JSON' })), 'FORBIDDEN');
  }
  t.equal(await outcome(editor('/collections', { method: 'POST', body: '[' })), 'FORBIDDEN');
});
