// @quick
/** What callers see of their rights, over real sockets, and how soon a change counts. */
import { createHash } from 'node:crypto';
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { startRedis } from '#tests/harness/redis.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const EDITOR = id(1);
const POLICY = id(2);
const TOKEN = 'editor-static-token';

const RIGHTS = `
  ALTER TABLE articles ADD COLUMN owner uuid;
  UPDATE articles SET owner = '${EDITOR}' WHERE id <= 2;
  CREATE TABLE hidden_page (id int PRIMARY KEY, title text);
  INSERT INTO system_collections (collection, singleton) VALUES ('pages', true), ('hidden_page', true);
  INSERT INTO system_roles (id, name) VALUES ('${id(3)}', 'Editor');
  INSERT INTO system_users (id, role, token) VALUES ('${EDITOR}', '${id(3)}',
    '${createHash('sha256').update(TOKEN).digest('hex')}');
  INSERT INTO system_policies (id, name) VALUES ('${POLICY}', 'Editing');
  INSERT INTO system_access (role, policy) VALUES ('${id(3)}', '${POLICY}');
  INSERT INTO system_permissions (policy, collection, action, permissions, presets, fields) VALUES
    ('${POLICY}', 'tags', 'read', NULL, NULL, '*'),
    ('${POLICY}', 'authors', 'read', '{"id":{"_lt":3}}', NULL, 'name'),
    ('${POLICY}', 'articles', 'create', NULL, '{"status":"draft","owner":"$CURRENT_USER"}',
      'title,status,views'),
    ('${POLICY}', 'articles', 'update', '{"owner":"$CURRENT_USER"}', NULL, 'title'),
    ('${POLICY}', 'articles', 'update', '{"id":1}', NULL, 'views'),
    ('${POLICY}', 'articles', 'delete', '{"dropped":1}', NULL, NULL),
    ('${POLICY}', 'pages', 'update', '{"title":"Home"}', '{"title":"x"}', 'title'),
    ('${POLICY}', 'nowhere', 'read', NULL, NULL, '*')`;

const NONE = { access: 'none' };

interface Answered {
  readonly data: Readonly<Record<string, unknown>>;
}

t.test('rights', async (t) => {
  const redis = await startRedis();
  t.teardown(() => redis?.stop());
  const env: Record<string, string> = redis === null ? {} : { REDIS_URL: redis.url };
  const cluster = await startCluster(t, { env });
  await createSample(cluster.db);
  await cluster.db.query(RIGHTS);
  const second = await cluster.addEdge(env);
  await cluster.served('/items/tags');
  const urls = [cluster.url, second.url];
  const headers = { authorization: `Bearer ${TOKEN}` };
  const get = (path: string, url = urls[1]) => fetch(`${url}${path}`, { headers });
  const rightsAt = async (path: string) => (await bodyOf<Answered>(await get(path))).data;

  await t.test('in all collections', async (t) => {
    t.strictSame(await rightsAt('/permissions/me'), {
      articles: {
        create: {
          access: 'full',
          fields: ['title', 'status', 'views'],
          presets: { status: 'draft', owner: EDITOR },
        },
        read: NONE,
        update: { access: 'partial', fields: ['title', 'views'] },
        delete: { access: 'partial' },
        share: NONE,
      },
      authors: {
        create: NONE,
        read: { access: 'partial', fields: ['name'] },
        update: NONE,
        delete: NONE,
        share: NONE,
      },
      pages: {
        create: NONE,
        read: NONE,
        update: { access: 'partial', fields: ['title'], presets: { title: 'x' } },
        delete: NONE,
        share: NONE,
      },
      tags: {
        create: NONE,
        read: { access: 'full', fields: ['*'] },
        update: NONE,
        delete: NONE,
        share: NONE,
      },
    });
  });

  await t.test('with one item, as its rules decide', async (t) => {
    const no = { access: false };
    const denied = { update: no, delete: no, share: no };
    const updatable = { ...denied, update: { access: true } };
    t.strictSame(await rightsAt('/permissions/me/articles/2'), updatable);
    t.strictSame(await rightsAt('/permissions/me/articles/3'), denied);
    t.strictSame(await rightsAt('/permissions/me/articles/99999'), denied);
    t.strictSame(await rightsAt('/permissions/me/tags/1'), denied);
    t.strictSame(await rightsAt('/permissions/me/no_such_table/1'), denied);
    t.strictSame(await rightsAt('/permissions/me/articles'), {
      update: { access: 'partial' },
      delete: { access: 'partial' },
      share: NONE,
    });
    t.strictSame(await rightsAt('/permissions/me/pages'), {
      ...denied,
      update: { access: true, fields: ['title'], presets: { title: 'x' } },
    });
    t.strictSame(
      await rightsAt('/permissions/me/hidden_page'),
      await rightsAt('/permissions/me/no_such_table'),
      'a hidden singleton is like what does not exist',
    );
    t.equal((await get('/permissions/me/articles/x')).status, 403);
    const rules = `INSERT INTO system_permissions (policy, collection, action, permissions, fields)
      SELECT '${POLICY}', 'comments', 'update', json_build_object('id', n), '*'
      FROM generate_series(1, 120) AS n`;
    await cluster.db.query(rules);
    const knows = async () => 'comments' in (await rightsAt('/permissions/me'));
    await until(knows, 'the rules are known');
    // More than a function of PostgreSQL takes arguments.
    t.strictSame(await rightsAt('/permissions/me/comments/3'), updatable);
    await cluster.db.query(`DELETE FROM system_permissions WHERE collection = 'comments'`);
    await until(async () => !(await knows()), 'the rules are gone');
  });

  await t.test('are all for administrators, and forbidden to anonymous callers', async (t) => {
    const { data } = await bodyOf<Answered>(await cluster.fetch('/permissions/me'));
    const full = { access: 'full', fields: ['*'] };
    t.strictSame(data.tags, { create: full, read: full, update: full, delete: full, share: full });
    const item = await bodyOf<Answered>(await cluster.fetch('/permissions/me/tags/1'));
    t.match(item.data, { update: { access: true }, delete: { access: true } });
    t.equal((await cluster.fetch('/permissions/me/no_such_table/1')).status, 403);
    for (const path of ['/permissions/me', '/permissions/me/tags', '/permissions/me/tags/1']) {
      t.equal((await fetch(cluster.url + path)).status, 403, path);
    }
  });

  await t.test('to read an item do not tell its key where that is hidden', async (t) => {
    await cluster.db.query(`
      CREATE TABLE codes (a text, b int, v text, public boolean, PRIMARY KEY (a, b));
      INSERT INTO codes VALUES ('x', 1, 'one', true), ('x', 2, 'two', false);
      INSERT INTO system_permissions (policy, collection, action, permissions, fields) VALUES
        ('${POLICY}', 'codes', 'read', NULL, 'v,a'),
        ('${POLICY}', 'codes', 'read', '{"public":true}', 'b'),
        ('${POLICY}', 'codes', 'update', NULL, 'v')`);
    for (const edge of urls) {
      await until(async () => (await get('/items/codes', edge)).ok, 'the table is known');
    }
    const search = (collection: string, keys: unknown[]) =>
      fetch(`${cluster.url}/items/${collection}`, {
        method: 'SEARCH',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ keys, query: { fields: ['*'] } }),
      });
    const text = async (answer: Promise<Response>) => {
      const { status } = await answer;
      return `${status} ${await (await answer).text()}`;
    };
    const missing = await text(get('/items/authors/999'));
    t.match(missing, /^403/);
    for (const url of urls) {
      t.equal(await text(get('/items/authors/1', url)), missing, 'hidden from all');
      t.equal(await text(get('/items/codes/x,2', url)), missing, 'hidden on this row');
      t.equal(await text(get('/items/codes/x,9', url)), missing);
      const seen = await text(get('/items/codes/x,1?fields=v,b', url));
      t.equal(seen, '200 {"data":{"v":"one","b":1}}');
    }
    t.equal(await text(search('authors', [1, 2, 999])), '200 {"data":[]}');
    const some = await text(
      search('codes', [
        ['x', 1],
        ['x', 2],
        ['x', 3],
      ]),
    );
    t.equal(some, '200 {"data":[{"a":"x","b":1,"v":"one"}]}');
    const written = await fetch(`${cluster.url}/items/codes/x,2?fields=v`, {
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"v":"2"}',
    });
    t.strictSame(await written.json(), { data: { v: '2' } }, 'who may write it knows it is there');
    await cluster.db.query("DELETE FROM system_permissions WHERE collection = 'codes'");
  });

  await t.test('that are changed by SQL change in every process, messages or not', async (t) => {
    const path = '/items/authors?fields=name&limit=-1';
    const counts = () =>
      Promise.all(
        urls.map(async (url) => {
          // A list that is being sent when its reader loses the right to it is cut.
          const list = async () => {
            const answer = await get(path, url);
            return answer.ok ? (await bodyOf<{ data: unknown[] }>(answer)).data.length : 0;
          };
          return await list().catch(() => null);
        }),
      );
    const become = async (wanted: number, what: string) => {
      await until(async () => (await counts()).every((count) => count === wanted), what);
      t.pass(what);
    };
    await become(2, 'the first rule');
    await redis?.stop();
    await cluster.db.query(
      `UPDATE system_permissions SET permissions = '{"id":5}' WHERE collection = 'authors'`,
    );
    await become(1, 'another rule');
    await cluster.db.query('DELETE FROM system_access WHERE role IS NOT NULL');
    await become(0, 'a policy taken away');
    await cluster.db.query(
      `INSERT INTO system_access ("user", policy) VALUES ('${EDITOR}', '${POLICY}')`,
    );
    await become(1, 'and given again');
    await cluster.db.query(
      `UPDATE system_policies SET ip_access = '10.0.0.0/8' WHERE id = '${POLICY}'`,
    );
    await until(async () => {
      const answers = [get(path), get(path, urls[0])];
      const seen = await Promise.all(answers).catch(() => []);
      return seen.length === 2 && seen.every(({ status }) => status === 401);
    }, 'a policy barred by address');
  });
});
