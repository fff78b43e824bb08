// @newest
/** What refers to files: fields of users, settings and items, junctions, and relations to anything. */
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createMember, sendAs } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

t.test('relations to files', async (t) => {
  const cluster = await startCluster(t, { edges: 1, workers: 1 });
  const admin = (method: string, path: string, body?: unknown) =>
    sendAs(cluster, ADMIN_TOKEN, method, path, body);
  const store = async (name: string) => {
    const form = new FormData();
    form.append('title', name);
    form.append('file', new File([name], `${name}.txt`, { type: 'text/plain' }));
    const answer = await cluster.fetch('/files', { method: 'POST', body: form });
    const id: string = JSON.parse(await answer.text()).data.id;
    return id;
  };
  await cluster.db.query(`
    CREATE TABLE articles (id serial PRIMARY KEY, title text,
      image uuid REFERENCES system_files ON DELETE SET NULL,
      attachment uuid REFERENCES system_files ON DELETE CASCADE,
      contract uuid REFERENCES system_files);
    CREATE TABLE articles_files (id serial PRIMARY KEY,
      articles_id int REFERENCES articles ON DELETE CASCADE,
      system_files_id uuid REFERENCES system_files ON DELETE CASCADE);
    CREATE TABLE blocks (id serial PRIMARY KEY, article int REFERENCES articles ON DELETE CASCADE,
      collection text, item text);
    CREATE TABLE quotes (id serial PRIMARY KEY, words text);
    INSERT INTO system_fields (collection, field, special, interface) VALUES
      ('articles', 'image', 'file', 'file-image'), ('articles', 'files', 'files', 'files');
    INSERT INTO system_relations (many_collection, many_field, one_collection, one_field, junction_field)
      VALUES ('articles_files', 'articles_id', 'articles', 'files', 'system_files_id'),
        ('articles_files', 'system_files_id', 'system_files', NULL, 'articles_id'),
        ('blocks', 'article', 'articles', 'blocks', 'item');
    INSERT INTO system_relations (many_collection, many_field, one_collection_field,
        one_allowed_collections, junction_field)
      VALUES ('blocks', 'item', 'collection', 'system_files,quotes', 'article');
  `);
  await until(
    async () => (await admin('GET', '/items/articles?fields=files.id,blocks.item')).status === 200,
    'the tables are known',
  );

  t.test('one file, several through a junction, and anything', async (t) => {
    const [a, b, c] = [await store('a'), await store('b'), await store('c')];
    const shape = [
      ...['image.title', 'files.system_files_id.title', 'blocks.collection'],
      ...['blocks.item:system_files.title', 'blocks.item:quotes.words'],
    ].join(',');
    const made = await admin('POST', `/items/articles?fields=id,${shape}`, {
      image: a,
      files: [{ system_files_id: b }, { system_files_id: { id: c, title: 'renamed' } }],
      blocks: [
        { collection: 'system_files', item: a },
        { collection: 'quotes', item: { words: 'so be it' } },
      ],
    });
    t.match(made.body, {
      data: {
        image: { title: 'a' },
        files: [{ system_files_id: { title: 'b' } }, { system_files_id: { title: 'renamed' } }],
        blocks: [
          { collection: 'system_files', item: { title: 'a' } },
          { collection: 'quotes', item: { words: 'so be it' } },
        ],
      },
    });
    const graphql = await admin('POST', '/graphql', {
      query: `{ articles { image { title } files { system_files_id { title } }
        blocks { item { ... on system_files { title } ... on quotes { words } } } } }`,
    });
    t.match(graphql.body.data.articles, [
      {
        image: { title: 'a' },
        files: [{ system_files_id: { title: 'b' } }, { system_files_id: { title: 'renamed' } }],
        blocks: [{ item: { title: 'a' } }, { item: { words: 'so be it' } }],
      },
    ]);
    const by = `/items/articles?filter[files][system_files_id][title][_eq]=b&fields=id`;
    t.same((await admin('GET', by)).body.data, [{ id: made.body.data.id }]);
  });

  t.test('deleting what is referred to follows the field', async (t) => {
    const [image, attachment, contract] = [await store('i'), await store('t'), await store('k')];
    const one = (await admin('POST', '/items/articles', { title: 'one', image })).body.data.id;
    const two = (await admin('POST', '/items/articles', { title: 'two', attachment })).body.data.id;
    const three = (await admin('POST', '/items/articles', { title: 'three', contract })).body.data
      .id;
    t.equal((await admin('DELETE', `/files/${image}`)).status, 204);
    t.match((await admin('GET', `/items/articles/${one}`)).body.data, { image: null });
    t.equal((await admin('DELETE', `/files/${attachment}`)).status, 204);
    t.equal((await admin('GET', `/items/articles/${two}`)).status, 403, 'it went along');
    t.match(await admin('DELETE', `/files/${contract}`), {
      status: 400,
      code: 'INVALID_FOREIGN_KEY',
    });
    t.equal((await cluster.fetch(`/assets/${contract}`)).status, 200, 'nothing is lost');
    t.match((await admin('GET', `/items/articles/${three}`)).body.data, { contract });
  });

  t.test('the picture of a user, and those of the settings, which everybody sees', async (t) => {
    const [avatar, logo] = [await store('avatar'), await store('logo')];
    const anybody = (id: string) => fetch(`${cluster.url}/assets/${id}`).then((a) => a.status);
    t.match((await admin('PATCH', '/users/me', { avatar })).body.data, { avatar });
    t.match((await admin('GET', '/users/me?fields=avatar.title')).body.data, {
      avatar: { title: 'avatar' },
    });
    t.equal(await anybody(avatar), 403);
    await admin('PATCH', '/settings', { project_logo: logo });
    t.equal(await anybody(logo), 200);
    t.equal((await admin('DELETE', `/files/${avatar}`)).code, 'INVALID_FOREIGN_KEY', 'it is used');
    await admin('PATCH', '/users/me', { avatar: null });
    t.equal((await admin('DELETE', `/files/${avatar}`)).status, 204);
    await admin('PATCH', '/settings', { project_logo: null });
    t.equal(await anybody(logo), 403);
  });

  t.test('who may not read a file learns nothing of it through relations', async (t) => {
    const hidden = await store('hidden');
    const article = (await admin('POST', '/items/articles', { title: 'x', image: hidden })).body
      .data.id;
    const member = await createMember(cluster, [
      { collection: 'articles', action: 'read' },
      { collection: 'articles', action: 'update' },
      { collection: 'system_files', action: 'read', permissions: { title: { _eq: 'open' } } },
    ]);
    const read = await member.send('GET', `/items/articles/${article}?fields=image.title`);
    t.match(read.body, { data: { image: null } });
    const filter = `filter[image][title][_starts_with]=h`;
    t.match((await member.send('GET', `/items/articles?${filter}`)).body, { data: [] });
    const rename = { image: { id: hidden, title: 'open' } };
    t.equal((await member.send('PATCH', `/items/articles/${article}`, rename)).status, 403);
  });
});
