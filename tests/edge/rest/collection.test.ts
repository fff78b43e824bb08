/** The routes of collections over real sockets: what is shown to whom, and what changes them. */
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';
import { createEditor } from './fixture/editor.ts';
import { outcome } from './fixture/sign-in.ts';

interface CollectionBody {
  readonly collection: string;
  readonly meta: Readonly<Record<string, unknown>> | null;
  readonly schema: Readonly<Record<string, unknown>> | null;
}

const cluster = await startCluster(t, { workers: 1 });
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
  t.match(await read('/collections/outer'), { meta: { note: 'a folder' }, schema: null });
  t.match(await read('/collections/system_users'), { meta: { system: true } });
  t.strictSame(
    names(await read('/collections', { method: 'SEARCH', body: '{"keys":["tags","articles"]}' })),
    ['tags', 'articles'],
  );
  t.strictSame(names(await read('/collections', { method: 'SEARCH', body: '{}' })), shown);
});

t.test('refuses what cannot be asked', async (t) => {
  const search = (body: string) =>
    outcome(cluster.fetch('/collections', { method: 'SEARCH', body }));
  t.equal(await outcome(cluster.fetch('/collections/nope')), 'FORBIDDEN');
  t.equal(await outcome(cluster.fetch('/collections/system_state')), 'FORBIDDEN');
  t.equal(await search('{"keys":["tags","nope"]}'), 'FORBIDDEN');
  t.equal(await search('{"keys":[1]}'), 'INVALID_PAYLOAD');
  t.equal(await search('{"keys":"tags"}'), 'INVALID_PAYLOAD');
  t.equal(await outcome(fetch(`${cluster.url}/collections`)), 'FORBIDDEN', 'a stranger');
});

t.test('shows others what they may read', async (t) => {
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
