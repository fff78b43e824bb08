/** The routes of relations over real sockets: what is shown to whom, and what changes them. */
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';
import { createEditor } from './fixture/editor.ts';
import { sender } from './fixture/send.ts';
import { outcome } from './fixture/sign-in.ts';

interface RelationBody {
  readonly collection: string;
  readonly field: string;
  readonly related_collection: string | null;
  readonly meta: Readonly<Record<string, unknown>> | null;
}

const cluster = await startCluster(t, { workers: 1 });
const send = sender(cluster);
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

t.test('refuses nonexistent parts', async (t) => {
  for (const path of ['/relations/nope', '/relations/articles/nope', '/relations/articles/title']) {
    t.equal(await outcome(cluster.fetch(path)), 'FORBIDDEN', path);
  }
  t.equal(await outcome(fetch(`${cluster.url}/relations`)), 'FORBIDDEN', 'anonymous');
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

t.test('tells the lists on the other side when it is asked', async (t) => {
  await cluster.db.query(`
    CREATE TABLE shelves (id serial PRIMARY KEY);
    CREATE TABLE volumes (id serial PRIMARY KEY, shelf integer REFERENCES shelves);
    CREATE TABLE genres (id serial PRIMARY KEY);
    CREATE TABLE volume_genres (id serial PRIMARY KEY, made timestamptz DEFAULT now(),
      volume integer REFERENCES volumes, genre integer REFERENCES genres, UNIQUE (volume, genre));
    CREATE TABLE loans (volume integer REFERENCES volumes, shelf integer REFERENCES shelves,
      days integer DEFAULT 7, PRIMARY KEY (volume, shelf))`);
  await cluster.served('/items/loans');
  const reverses = async (path: string, get = read) => {
    const all = await get<(RelationBody & { reverse: unknown })[]>(path);
    return Object.fromEntries(all.map(({ field, reverse }) => [field, reverse]));
  };
  const plain = { junction_field: null, deselect_action: 'nullify' };
  t.strictSame(await reverses('/relations/volumes?reverse'), {
    shelf: { ...plain, field: 'volumes' },
  });
  t.strictSame(await reverses('/relations/volume_genres?reverse'), {
    volume: { ...plain, field: 'volume_genres', junction_field: 'genre' },
    genre: { ...plain, field: 'volume_genres', junction_field: 'volume' },
  });
  t.strictSame(
    await reverses('/relations/loans?reverse'),
    {
      volume: { field: 'loans', junction_field: null, deselect_action: 'delete' },
      shelf: { field: 'loans', junction_field: null, deselect_action: 'delete' },
    },
    'days are data of its own',
  );
  t.match(await reverses('/relations/articles?reverse=true'), { author_id: { field: 'articles' } });
  t.strictSame(await reverses('/relations/pages_blocks?reverse'), {
    pages_id: { field: 'blocks', junction_field: 'item', deselect_action: 'nullify' },
    item: null,
  });
  for (const path of ['/relations/volumes', '/relations/volumes?reverse=false']) {
    t.strictSame(await reverses(path), { shelf: undefined }, path);
  }
  const editor = await createEditor(cluster, {
    reads: { volumes: '*', shelves: 'id', system_relations: '*' },
  });
  const get = async <T>(path: string) => (await bodyOf<{ data: T }>(await editor(path))).data;
  t.strictSame(
    await reverses('/relations/volumes?reverse', get),
    { shelf: null },
    'not to callers that may not read the list',
  );
});

t.test('makes, changes and deletes relations', async (t) => {
  await send('POST', '/fields/tags', { field: 'author', type: 'integer' });
  await send('POST', '/fields/authors', {
    field: 'tags',
    type: 'alias',
    meta: { special: ['o2m'] },
  });
  const made = await send('POST', '/relations', {
    collection: 'tags',
    field: 'author',
    related_collection: 'authors',
    schema: { on_delete: 'SET NULL' },
    meta: { one_field: 'tags' },
  });
  t.match(made, {
    status: 200,
    body: {
      data: {
        related_collection: 'authors',
        schema: { constraint_name: 'tags_author_foreign', on_delete: 'SET NULL' },
        meta: { one_field: 'tags', one_deselect_action: 'nullify', junction_field: null },
      },
    },
  });
  t.match(await read('/fields/tags/author'), { schema: { foreign_key_table: 'authors' } });
  const nested = await send('PATCH', '/items/authors/1', { tags: [1, 2] });
  t.equal(nested.status, 200, 'it can be used at once');
  const changed = await send('PATCH', '/relations/tags/author', {
    ...{ collection: 'tags', field: 'author', related_collection: 'authors' },
    schema: { on_delete: 'CASCADE' },
    meta: { one_deselect_action: 'delete' },
  });
  t.match(changed, {
    status: 200,
    body: {
      data: {
        schema: { on_delete: 'CASCADE' },
        meta: { one_field: 'tags', one_deselect_action: 'delete' },
      },
    },
  });
  t.equal((await send('DELETE', '/relations/tags/author')).status, 204);
  t.equal(await outcome(cluster.fetch('/relations/tags/author')), 'FORBIDDEN');
  t.match(await read('/fields/tags/author'), { schema: { foreign_key_table: null } });
});

t.test('makes relations to any of several collections', async (t) => {
  await send('POST', '/fields/tags', { field: 'target', type: 'string' });
  await send('POST', '/fields/tags', { field: 'kind', type: 'string' });
  const made = await send('POST', '/relations', {
    collection: 'tags',
    field: 'target',
    related_collection: null,
    meta: { one_collection_field: 'kind', one_allowed_collections: ['authors', 'articles'] },
  });
  t.match(made, {
    status: 200,
    body: {
      data: {
        related_collection: null,
        schema: null,
        meta: {
          one_collection_field: 'kind',
          one_allowed_collections: ['authors', 'articles'],
        },
      },
    },
  });
});

t.test('refuses changes that cannot be made', async (t) => {
  const refused = async (code: string, method: string, path: string, body?: unknown) => {
    const answer = await send(method, path, body);
    const [error] = answer.body?.errors ?? [];
    t.equal(error?.extensions.code, code, `${method} ${path} ${JSON.stringify(body)}`);
  };
  const relation = { collection: 'tags', field: 'name', related_collection: 'authors' };
  const bad = (body: unknown) => refused('INVALID_PAYLOAD', 'POST', '/relations', body);
  await bad({ ...relation, collection: 'nope' });
  await bad({ ...relation, field: 'nope' });
  await bad({ ...relation, field: 'id' });
  await bad({ ...relation, related_collection: 'nope' });
  await bad({ collection: 'articles', field: 'author_id', related_collection: 'authors' });
  await bad({ ...relation, schema: { on_delete: 'DROP TABLE' } });
  await bad({ collection: 'tags' });
  const patch = (path: string, body: unknown, code = 'INVALID_PAYLOAD') =>
    refused(code, 'PATCH', path, body);
  await patch('/relations/articles/author_id', { related_collection: 'tags' });
  const editor = await createEditor(cluster, { app: true, reads: { articles: '*' } });
  for (const path of ['/relations/articles/author_id', '/relations/nope/nope']) {
    t.equal(await outcome(editor(path, { method: 'DELETE' })), 'FORBIDDEN');
    t.equal(await outcome(editor(path, { method: 'PATCH', body: 'no JSON' })), 'FORBIDDEN');
  }
  t.equal(await outcome(editor('/relations', { method: 'POST', body: '[' })), 'FORBIDDEN');
});
