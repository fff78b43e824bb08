/**
 * Fields and collections are renamed over HTTP: every process serves the new name when the request
 * is answered, and other users keep exactly the rights that they had.
 */
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createEditor } from '../edge/rest/fixture/editor.ts';
import { sender } from '../edge/rest/fixture/send.ts';
import { outcome } from '../edge/rest/fixture/sign-in.ts';

const cluster = await startCluster(t, { edges: 2, workers: 1 });
const send = sender(cluster);
await cluster.db.query(`
  CREATE TABLE authors (id serial PRIMARY KEY, name text);
  CREATE TABLE books (id serial PRIMARY KEY, name text, price numeric, author integer REFERENCES authors);
  INSERT INTO authors (name) VALUES ('Ada');
  -- Its name is reserved, so it is no collection.
  CREATE TABLE system_notes (id integer PRIMARY KEY);`);
await cluster.served('/items/books');
const reader = await createEditor(cluster, {
  reads: { books: 'id,name,author', authors: 'id,name,books' },
});
const rowsOf = async (response: Promise<Response>) =>
  (await bodyOf<{ data: unknown }>(await response)).data;

t.test('a field is renamed', async (t) => {
  const made = await send('POST', '/items/books', { name: 'Notes', price: '1.50', author: 1 });
  t.equal(made.status, 200);
  const renamed = await send('POST', '/fields/books/name/rename', { field: 'title' });
  t.match(renamed, { status: 200, body: { data: { collection: 'books', field: 'title' } } });
  t.equal(await outcome(cluster.fetch('/fields/books/name')), 'FORBIDDEN');
  for (const url of cluster.urls) {
    const answer = await fetch(`${url}/items/books?fields=title`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    t.strictSame(await answer.json(), { data: [{ title: 'Notes' }] }, url);
  }
  t.strictSame(await rowsOf(reader('/items/books')), [{ id: 1, title: 'Notes', author: 1 }]);
  t.equal(await outcome(reader('/items/books?fields=price')), 'FORBIDDEN');
  t.equal(await outcome(reader('/items/books?fields=name')), 'FORBIDDEN');
  t.strictSame(await rowsOf(reader('/items/authors?fields=books.title')), [
    { books: [{ title: 'Notes' }] },
  ]);
});

t.test('history and GraphQL follow', async (t) => {
  const revisions = await rowsOf(
    cluster.fetch('/revisions?fields=data,delta&filter[collection][_eq]=books'),
  );
  t.match(revisions, [{ data: { title: 'Notes' }, delta: { title: 'Notes' } }]);
  const answer = await send('POST', '/graphql', { query: '{ books { title author { name } } }' });
  t.strictSame(answer.body, { data: { books: [{ title: 'Notes', author: { name: 'Ada' } }] } });
});

t.test('a collection is renamed', async (t) => {
  const tag = (await send('GET', '/collections/books')).headers.get('etag') ?? '';
  const outdated = await send(
    'POST',
    '/collections/books/rename',
    { collection: 'novels' },
    {
      'if-match': '"other"',
    },
  );
  t.equal(outdated.status, 412);
  const renamed = await send(
    'POST',
    '/collections/books/rename',
    { collection: 'novels' },
    {
      'if-match': tag,
    },
  );
  t.match(renamed, {
    status: 200,
    body: { data: { collection: 'novels', schema: { name: 'novels' } } },
  });
  t.strictSame(await rowsOf(reader('/items/novels')), [{ id: 1, title: 'Notes', author: 1 }]);
  t.equal(await outcome(reader('/items/books')), 'FORBIDDEN');
  t.equal(await outcome(cluster.fetch('/items/books')), 'FORBIDDEN');
  t.strictSame(
    await rowsOf(reader('/items/authors?fields=novels.title')),
    [{ novels: [{ title: 'Notes' }] }],
    'the reverse of a foreign key is named after the collection',
  );
  const item = '/items/novels/1';
  t.equal((await send('PATCH', item, { title: 'Later notes' })).status, 200);
  const counted = '/revisions?aggregate[count]=*&filter[collection][_eq]=novels';
  t.match(await rowsOf(cluster.fetch(counted)), [{ count: 2 }], 'history from before and after');
});

t.test('GraphQL renames too', async (t) => {
  const query = `mutation {
    rename_fields_item(collection: "novels", field: "author", to: "writer") { field }
    rename_collections_item(collection: "authors", to: "writers") { collection }
  }`;
  const answer = await send('POST', '/graphql/system', { query });
  t.strictSame(answer.body, {
    data: {
      rename_fields_item: { field: 'writer' },
      rename_collections_item: { collection: 'writers' },
    },
  });
  t.strictSame(await rowsOf(reader('/items/novels?fields=writer.name')), [
    { writer: { name: 'Ada' } },
  ]);
});

t.test('requests beside renames get an answer by the old or the new name', async (t) => {
  t.equal((await send('PATCH', '/items/novels/1', { title: 'Notes' })).status, 200);
  let isOver = false;
  const seen = new Set<string>();
  const ask = async (path: string, init: RequestInit = {}) => {
    while (!isOver) {
      const answer = await cluster.fetch(path, init);
      const text = await answer.text();
      seen.add(`${init.method ?? 'GET'} ${answer.status}`);
      if (answer.status >= 500 && answer.status !== 503) t.fail(`${answer.status}: ${text}`);
    }
  };
  const readAsOther = async () => {
    while (!isOver) {
      const answer = await reader('/items/novels');
      const text = await answer.text();
      // The price is not among the fields that this user may read, whatever the others are called.
      t.notMatch(text, /price|1\.5/);
      if (answer.status >= 500 && answer.status !== 503) t.fail(`${answer.status}: ${text}`);
    }
  };
  const body = (name: string) => ({ method: 'PATCH', body: JSON.stringify({ [name]: 'Notes' }) });
  const load = Promise.all([
    ask('/items/novels?filter[title][_eq]=Notes'),
    ask('/items/novels?sort=heading'),
    ask('/items/novels/1', body('title')),
    ask('/items/novels/1', body('heading')),
    ask('/items/writers?fields=novels.*'),
    readAsOther(),
  ]);
  for (const [from, to] of [
    ['title', 'heading'],
    ['heading', 'title'],
    ['title', 'heading'],
    ['heading', 'title'],
  ]) {
    const renamed = await send('POST', `/fields/novels/${from}/rename`, { field: to });
    t.equal(renamed.status, 200, `${from} becomes ${to}`);
    const shown = await cluster.fetch(`/items/novels?fields=${to}`);
    t.strictSame(await shown.json(), { data: [{ [to ?? '']: 'Notes' }] }, 'the value is there');
  }
  isOver = true;
  await load;
  const mixed = await cluster.db.query(`SELECT data, delta FROM system_revisions
    WHERE collection = 'novels' AND (data::jsonb ? 'heading' OR delta::jsonb ? 'heading')`);
  t.strictSame(mixed.rows, [], 'history that was recorded meanwhile has the last name');
  t.comment([...seen].sort().join(', '));
  t.ok(seen.has('GET 200') && seen.has('PATCH 200'), 'requests succeeded meanwhile');
});

t.test('a repeated request gets the outcome of the first one', async (t) => {
  const once = { 'idempotency-key': 'rename-once-1' };
  const path = '/fields/novels/price/rename';
  t.equal((await send('POST', path, { field: 'cost' }, once)).status, 200);
  t.equal((await send('POST', path, { field: 'cost' }, once)).status, 200);
});

t.test('refuses names that cannot be', async (t) => {
  const field = '/fields/novels/title/rename';
  const whole = '/collections/novels/rename';
  const cases: readonly [path: string, body: unknown, status: number, code: string][] = [
    [field, { field: 'cost' }, 400, 'INVALID_PAYLOAD'],
    [field, { field: ' x' }, 400, 'INVALID_PAYLOAD'],
    [field, { field: 'x'.repeat(64) }, 400, 'INVALID_PAYLOAD'],
    [field, { field: null }, 400, 'INVALID_PAYLOAD'],
    [field, {}, 400, 'INVALID_PAYLOAD'],
    [field, ['x'], 400, 'INVALID_PAYLOAD'],
    [field, { field: 'x', collection: 'other' }, 400, 'INVALID_PAYLOAD'],
    ['/fields/novels/missing/rename', { field: 'x' }, 403, 'FORBIDDEN'],
    ['/fields/system_users/email/rename', { field: 'x' }, 403, 'FORBIDDEN'],
    [whole, { collection: 'writers' }, 400, 'INVALID_PAYLOAD'],
    [whole, { collection: 'system_x' }, 400, 'INVALID_PAYLOAD'],
    [whole, {}, 400, 'INVALID_PAYLOAD'],
    ['/collections/system_users/rename', { collection: 'x' }, 403, 'FORBIDDEN'],
    ['/collections/missing/rename', { collection: 'x' }, 403, 'FORBIDDEN'],
  ];
  for (const [path, body, status, code] of cases) {
    const answer = await send('POST', path, body);
    t.match(
      answer,
      { status, body: { errors: [{ extensions: { code } }] } },
      `${path} ${JSON.stringify(body)}`,
    );
  }
  for (const path of [field, whole]) {
    const init = { method: 'POST', body: '{"field":"x","collection":"x"}' };
    t.equal(await outcome(reader(path, init)), 'FORBIDDEN', 'only administrators rename');
  }
});
