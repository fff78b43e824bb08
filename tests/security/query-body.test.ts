// @newest
/** Bodies of SEARCH and of writes by query are bounded by a limit of their own, and lists count. */
import t from 'tap';
import { startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const TOO_LARGE = {
  status: 413,
  code: 'CONTENT_TOO_LARGE',
  limit: 1_048_576,
  variable: 'QUERY_BODY_MAX_SIZE',
};

t.test('what one request may ask for is bounded before it is parsed', async (t) => {
  const cluster = await startCluster(t, { env: { MAX_BATCH_MUTATION: '5' } });
  await cluster.db.query(`
    CREATE TABLE things (id int PRIMARY KEY, name text);
    INSERT INTO things SELECT n, 'n' || n FROM generate_series(1, 20) n;
    CREATE TABLE ranks (id int PRIMARY KEY, pos int);
    INSERT INTO ranks SELECT n, n FROM generate_series(1, 20) n;
    INSERT INTO system_collections (collection, sort_field) VALUES ('ranks', 'pos')`);
  const ask = async (method: string, path: string, body: string | ReadableStream<Uint8Array>) => {
    const headers = { 'content-type': 'application/json' };
    const init: RequestInit = { method, body, headers, duplex: 'half' };
    const response = await cluster.fetch(path, init);
    const { status } = response;
    const text = await response.text();
    if (status < 400) return { status };
    const { extensions } = JSON.parse(text).errors[0];
    return { status, ...extensions };
  };
  await until(async () => (await cluster.fetch('/items/things')).ok, 'the table to be served');
  const long = 'x'.repeat(1_100_000);
  const filter = { name: { _neq: long } };
  const chunked = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.from(JSON.stringify({ query: { filter } })));
      controller.close();
    },
  });

  await t.test('a query must not be longer than its limit', async (t) => {
    const query = JSON.stringify({ query: { filter } });
    const cases: readonly [string, string, string | ReadableStream<Uint8Array>][] = [
      ['SEARCH', '/items/things', query],
      ['SEARCH', '/items/things', chunked],
      ['SEARCH', '/users', query],
      ['SEARCH', '/permissions', query],
      ['SEARCH', '/collections', query],
      ['DELETE', '/items/things', query],
      ['PATCH', '/items/things', JSON.stringify({ query: {}, data: { name: long } })],
      ['PATCH', '/items/things', JSON.stringify({ data: { name: long }, query: {} })],
      ['PATCH', '/items/things', `{"data":{"name":"${long}"},"\\u0071uery":{}}`],
      ['DELETE', '/users', query],
    ];
    for (const [method, path, body] of cases) {
      t.match(await ask(method, path, body), TOO_LARGE, `${method} ${path}`);
    }
    const { rows } = await cluster.db.query(
      'SELECT count(*)::int FROM things WHERE length(name) < 9',
    );
    t.strictSame(rows, [{ count: 20 }], 'nothing was written');
  });

  await t.test('other writes may be longer', async (t) => {
    const data = { name: long };
    const bodies = [[{ id: 1, ...data }], { keys: [2], data }, [{ id: 3, ...data, query: 'none' }]];
    for (const body of bodies) {
      t.match(await ask('PATCH', '/items/things', JSON.stringify(body)), { status: 200 });
    }
    t.match(await ask('POST', '/items/things', JSON.stringify({ id: 30, ...data })), {
      status: 200,
    });
  });

  await t.test('writes by query and by keys look no further than they may write', async (t) => {
    const expected = {
      ...{ status: 400, code: 'INVALID_PAYLOAD' },
      ...{ variable: 'MAX_BATCH_MUTATION', limit: 5 },
    };
    const query = { limit: -1 };
    const bodies = [{ query }, { query: { limit: 6 } }, { keys: [1, 2, 3, 4, 5, 6] }];
    for (const body of bodies) {
      t.match(await ask('DELETE', '/items/things', JSON.stringify(body)), expected);
      const change = { ...body, data: { name: 'z' } };
      t.match(await ask('PATCH', '/items/things', JSON.stringify(change)), expected);
    }
    const sort = { item: 1, to: 8 };
    t.match(await ask('POST', '/utils/sort/ranks', JSON.stringify(sort)), expected);
    const near = { item: 1, to: 5 };
    t.match(await ask('POST', '/utils/sort/ranks', JSON.stringify(near)), { status: 200 });
    const five = { query: { limit: 5 }, data: { name: 'z' } };
    t.match(await ask('PATCH', '/items/things', JSON.stringify(five)), { status: 200 });
  });

  await t.test('stored rules are counted too', async (t) => {
    const rule = { _or: Array.from({ length: 1_001 }, () => ({ id: { _eq: 1 } })) };
    for (const member of ['permissions', 'validation']) {
      const body = { collection: 'things', action: 'read', fields: ['*'], [member]: rule };
      t.match(await ask('POST', '/permissions', JSON.stringify(body)), {
        ...{ status: 400, code: 'INVALID_PAYLOAD' },
        ...{ variable: 'QUERY_MAX_CONDITIONS', limit: 1_000 },
      });
    }
    const search = { query: { filter: rule } };
    t.match(await ask('SEARCH', '/items/things', JSON.stringify(search)), {
      ...{ status: 400, code: 'INVALID_QUERY' },
      ...{ variable: 'QUERY_MAX_CONDITIONS', limit: 1_000 },
    });
    t.match(await ask('DELETE', '/items/things', JSON.stringify(search)), {
      ...{ status: 400, code: 'INVALID_QUERY', variable: 'QUERY_MAX_CONDITIONS' },
    });
  });
});
