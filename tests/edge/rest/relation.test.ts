/** The routes of relations over real sockets: what is shown to whom, and what changes them. */
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';
import { createEditor } from './fixture/editor.ts';
import { outcome } from './fixture/sign-in.ts';

interface RelationBody {
  readonly collection: string;
  readonly field: string;
  readonly related_collection: string | null;
  readonly meta: Readonly<Record<string, unknown>> | null;
}

const cluster = await startCluster(t, { workers: 1 });
await createSample(cluster.db);
const read = async <T>(path: string) => (await bodyOf<{ data: T }>(await cluster.fetch(path))).data;
const names = (list: readonly RelationBody[]) => {
  return list.map(({ collection, field }) => `${collection}.${field}`);
};
await until(async () => (await cluster.fetch('/relations/pages_blocks')).ok, 'tables are known');

t.test('shows all relations to admins', async (t) => {
  const all = await read<RelationBody[]>('/relations');
  for (const name of ['articles.author_id', 'pages_blocks.item', 'system_users.role']) {
    t.ok(names(all).includes(name), `${name} is there`);
  }
  t.notOk(names(all).includes('authors.articles'), 'only the side that refers');
  t.strictSame(await read('/relations/articles/author_id'), {
    collection: 'articles',
    field: 'author_id',
    related_collection: 'authors',
    schema: {
      constraint_name: 'articles_author_id_fkey',
      table: 'articles',
      column: 'author_id',
      foreign_key_schema: 'public',
      foreign_key_table: 'authors',
      foreign_key_column: 'id',
      on_update: 'NO ACTION',
      on_delete: 'NO ACTION',
    },
    meta: {
      id: 1,
      many_collection: 'articles',
      many_field: 'author_id',
      one_collection: 'authors',
      one_field: 'articles',
      one_collection_field: null,
      one_allowed_collections: null,
      junction_field: null,
      sort_field: null,
      one_deselect_action: 'nullify',
    },
  });
  t.match(await read('/relations/pages_blocks/item'), {
    related_collection: null,
    schema: null,
    meta: {
      one_collection_field: 'collection',
      one_allowed_collections: ['block_hero', 'block_text'],
    },
  });
  t.strictSame(names(await read('/relations/articles_tags')), [
    'articles_tags.articles_id',
    'articles_tags.tags_id',
  ]);
  t.strictSame(await read('/relations/authors'), []);
});

t.test('refuses what does not exist', async (t) => {
  for (const path of ['/relations/nope', '/relations/articles/nope', '/relations/articles/title']) {
    t.equal(await outcome(cluster.fetch(path)), 'FORBIDDEN', path);
  }
  t.equal(await outcome(fetch(`${cluster.url}/relations`)), 'FORBIDDEN', 'a stranger');
});

t.test('shows others the relations of which they may read both sides', async (t) => {
  const blind = await createEditor(cluster, { reads: { articles: '*', authors: '*' } });
  t.equal(await outcome(blind('/relations')), 'FORBIDDEN');

  const editor = await createEditor(cluster, {
    reads: {
      articles: 'id,author_id',
      authors: 'id',
      comments: 'id',
      pages_blocks: '*',
      block_hero: '*',
      system_relations: '*',
    },
  });
  const get = async <T>(path: string) => (await bodyOf<{ data: T }>(await editor(path))).data;
  const all = await get<RelationBody[]>('/relations');
  t.strictSame(names(all), ['articles.author_id', 'pages_blocks.item']);
  const [author, block] = all;
  t.match(author?.meta, { one_collection: 'authors', one_field: null }, 'a field not to be read');
  t.strictSame(block?.meta?.one_allowed_collections, ['block_hero']);
  t.equal(await outcome(editor('/relations/comments/article_id')), 'FORBIDDEN');
  t.equal(await outcome(editor('/relations/articles_tags')), 'FORBIDDEN');
});
