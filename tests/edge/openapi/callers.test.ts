// @newest
/** The description differs by caller, follows the schema and rights, and is sent once. */
import { request } from 'node:http';
import { brotliDecompressSync } from 'node:zlib';
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';
import { type Document, documentOf } from './fixture/document.ts';
import { createLibrary } from './fixture/library.ts';

const PATH = '/server/specs/oas';

let cluster: Cluster;

t.before(async () => {
  cluster = await startCluster(t, { workers: 1 });
  await createLibrary(cluster);
});

/** What the document says of items, and of a collection's fields as they are read. */
function toldOf({ paths, components }: Document) {
  const methods = Object.entries(paths)
    .filter(([path]) => path.startsWith('/items/'))
    .map(([path, own]) => `${path}: ${Object.keys(own).join(' ')}`);
  const fields = (name: string) => Object.keys(components.schemas[name]?.properties ?? {});
  return { methods, fields };
}

t.test('a member sees the operations that the policies grant', async (t) => {
  const member = await createMember(cluster, [
    { collection: 'book', action: 'read', fields: ['id', 'title'] },
    { collection: 'genre', action: 'create', fields: ['code'] },
  ]);
  const { methods, fields } = toldOf(await documentOf(cluster, member.token));
  t.strictSame(methods, [
    '/items/book: get x-additional-operations',
    '/items/book/{key}: get',
    '/items/genre: post',
  ]);
  t.strictSame(fields('ItemsBook'), ['id', 'title']);
  t.strictSame(fields('ItemsGenreCreate'), ['code']);
  t.strictSame(fields('ItemsGenre'), [], 'what is only created is not read');
  const text = JSON.stringify(await documentOf(cluster, member.token));
  for (const hidden of ['author', 'followers', 'stock', 'printed']) {
    t.notMatch(text, new RegExp(`"${hidden}"|/items/${hidden}`), `nothing tells of ${hidden}`);
  }
});

t.test('the password that confirms a change is a member of the own user alone', async (t) => {
  const { paths } = await documentOf(cluster, ADMIN_TOKEN);
  const places = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => JSON.stringify(operation).includes('current_password'))
      .map(([method]) => `${method} ${path}`),
  );
  t.strictSame(places, ['patch /users/me']);
});

t.test('without a token it has the public part, and a wrong one is refused', async (t) => {
  t.strictSame(toldOf(await documentOf(cluster, null)).methods, []);
  const { rows } = await cluster.db.query(
    `INSERT INTO system_policies (id, name) VALUES (gen_random_uuid(), 'open') RETURNING id`,
  );
  await cluster.db.query('INSERT INTO system_access (policy) VALUES ($1)', [rows[0].id]);
  await cluster.db.query(
    `INSERT INTO system_permissions (policy, collection, action, fields)
     VALUES ($1, 'genre', 'read', 'label')`,
    [rows[0].id],
  );
  const open = await until(async () => {
    const told = toldOf(await documentOf(cluster, null));
    return told.methods.length > 0 && told;
  }, 'the right is known');
  t.strictSame(open.fields('ItemsGenre'), ['label']);
  const refused = await fetch(cluster.url + PATH, { headers: { authorization: 'Bearer wrong' } });
  t.equal(refused.status, 401);
  await refused.arrayBuffer();
});

t.test('it is sent again only when it has changed', async (t) => {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const first = await fetch(cluster.url + PATH, { headers });
  await first.arrayBuffer();
  const tag = first.headers.get('etag') ?? '';
  t.match(tag, /^W\/"/);
  const again = await fetch(cluster.url + PATH, { headers: { ...headers, 'if-none-match': tag } });
  t.strictSame([again.status, await again.text()], [304, '']);

  const made = await cluster.fetch('/fields/genre', {
    method: 'POST',
    body: JSON.stringify({ field: 'shelf', type: 'integer' }),
  });
  t.equal(made.status, 200);
  const changed = await fetch(cluster.url + PATH, {
    headers: { ...headers, 'if-none-match': tag },
  });
  t.equal(changed.status, 200, 'the schema has changed');
  const document: Document = JSON.parse(await changed.text());
  t.ok(toldOf(document).fields('ItemsGenre').includes('shelf'));
});

t.test('it is compressed for clients that accept it', async (t) => {
  const answer = await cluster.fetch(PATH, { headers: { 'accept-encoding': 'identity' } });
  const plain = Buffer.from(await answer.arrayBuffer());
  t.equal(answer.headers.get('content-encoding'), null);
  t.match(answer.headers.get('vary'), /accept-encoding/i);
  const { status, bytes, coding } = await raw('br');
  t.strictSame([status, coding], [200, 'br']);
  t.ok(bytes.length < plain.length / 5, `${bytes.length} of ${plain.length} bytes`);
  t.ok(brotliDecompressSync(bytes).equals(plain));
});

/** The bytes as they travel. */
async function raw(accepted: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number | undefined;
    coding: string | undefined;
    bytes: Buffer;
  }>();
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'accept-encoding': accepted };
  const sent = request(cluster.url + PATH, { headers }, async (answer) => {
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part);
    const coding = answer.headers['content-encoding'];
    resolve({ status: answer.statusCode, coding, bytes: Buffer.concat(parts) });
  });
  sent.on('error', reject);
  sent.end();
  return await promise;
}

t.test('GraphQL returns the same', async (t) => {
  const answer = await cluster.fetch('/graphql/system', {
    method: 'POST',
    body: JSON.stringify({ query: '{ server_specs_oas }' }),
  });
  const { data } = await bodyOf<{ data: { server_specs_oas: Document } }>(answer);
  t.strictSame(data.server_specs_oas, await documentOf(cluster));
});

t.test('it can be turned off, and its page with it', async (t) => {
  const { url } = await cluster.addEdge({ OPENAPI_ENABLED: 'off' });
  for (const path of [PATH, '/docs/api']) {
    const answer = await fetch(`${url}${path}`);
    t.equal(answer.status, 404, path);
    await answer.arrayBuffer();
  }
});
