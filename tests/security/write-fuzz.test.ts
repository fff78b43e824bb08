/** Bodies of writes that nobody should send: coded refusals, nothing written, the edge alive. */
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t);
await createSample(cluster.db);
await until(
  async () => (await cluster.fetch('/items/articles?limit=1')).status === 200,
  'the tables are known',
);

/** Sends a body as it is, which need not be JSON that a library would write. */
async function send(method: string, path: string, body: string) {
  const response = await fetch(cluster.url + path, {
    method,
    body,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  const text = await response.text();
  const parsed = text === '' ? null : JSON.parse(text);
  return { status: response.status, code: parsed?.errors?.[0]?.extensions?.code ?? null };
}

async function everything(): Promise<string> {
  const { rows } = await cluster.db.query(
    `SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) AS sum FROM (
       SELECT a::text AS t FROM articles a UNION ALL SELECT c::text FROM comments c
       UNION ALL SELECT u::text FROM authors u UNION ALL
       SELECT r.id::text FROM system_revisions r UNION ALL
       SELECT a.id::text FROM system_activity a) AS t`,
  );
  return rows[0]?.sum;
}

const nest = (levels: number, open: string, close: string, inside: string) =>
  open.repeat(levels) + inside + close.repeat(levels);

/** Values that fit no column of these. */
const VALUES = [
  ['"\\u0000"', 'title'],
  ['"a\\u0000b"', 'title'],
  ['"\\ud800"', 'title'],
  ['"\\udc00\\ud800"', 'title'],
  ['{"a":1}', 'title'],
  ['[1]', 'title'],
  ['1e400', 'views'],
  ['99999999999999999999', 'views'],
  ['-2147483649', 'views'],
  ['1.5', 'views'],
  ['"1;DROP TABLE articles"', 'views'],
  ['true', 'views'],
  ['{"$ne":1}', 'views'],
  ['"\\u0000"', 'author_id'],
  ['1e30', 'author_id'],
  ['{"id":"x"}', 'author_id'],
  ['{"id":{"id":1}}', 'author_id'],
  ['{"id":[1,2]}', 'author_id'],
  ['[1]', 'author_id'],
  ['5', 'comments'],
  ['"x"', 'comments'],
  ['[null]', 'comments'],
  ['[true]', 'comments'],
  ['[[1,2]]', 'comments'],
  ['[{"id":"x"}]', 'comments'],
  ['{"create":{}}', 'comments'],
  ['{"create":[5]}', 'comments'],
  ['{"update":[{}]}', 'comments'],
  ['{"delete":[{}]}', 'comments'],
  ['{"constructor":[]}', 'comments'],
  ['{"length":5}', 'comments'],
] as const;

/** Whole bodies. */
const BODIES = [
  '',
  '{',
  'null',
  '5',
  '"x"',
  '[null]',
  '[[]]',
  '[[[]]]',
  '{"__proto__":{"title":"x"}}',
  '{"title":"x","\\u005f_proto__":{"polluted":true}}',
  '{"title":"x","author_id":{"name":"y","__proto__":{"polluted":true}}}',
  '{"title":"x","comments":[{"body":"y","__proto__":null}]}',
  nest(10_000, '[', ']', ''),
  nest(10_000, '{"author_id":', '}', '1'),
  nest(250, '{"comments":[', ']}', '99999'),
  nest(120, '{"author_id":{"articles":[', ']}}', '{"views":"x"}'),
  `{"title":"x","views":${'9'.repeat(100_000)}}`,
  `{"title":"x","${'k'.repeat(100_000)}":{},"views":"x"}`,
];

t.test('refused, and nothing is written', async (t) => {
  const before = await everything();
  for (const [value, field] of VALUES) {
    const inner = `{"title":"fuzz","${field}":${value}}`;
    const nested = `{"title":"x","author_id":{"name":"n","articles":[${inner}]}}`;
    // Who an item in a list belongs to is not read from the item.
    const bodies = [
      inner,
      `[{"title":"fine"},${inner}]`,
      ...(field === 'author_id' ? [] : [nested]),
    ];
    for (const body of bodies) {
      const { status, code } = await send('POST', '/items/articles', body);
      t.ok(status >= 400 && status < 500 && code, `POST ${status} ${code} ${body.slice(0, 90)}`);
    }
    const one = await send('PATCH', '/items/articles/1', `{"${field}":${value}}`);
    t.ok(
      one.status >= 400 && one.status < 500 && one.code,
      `PATCH ${one.status} ${field} ${value}`,
    );
  }
  for (const body of BODIES) {
    for (const [method, path] of [
      ['POST', '/items/articles'],
      ['PATCH', '/items/articles'],
      ['DELETE', '/items/articles'],
    ] as const) {
      const { status, code } = await send(method, path, body);
      t.ok(
        status >= 400 && status < 500 && code,
        `${method} ${status} ${code} ${body.slice(0, 60)}`,
      );
    }
  }
  t.equal(await everything(), before, 'nothing was written');
  t.equal(cluster.edges[0]?.process.exitCode, null, 'the edge is alive');
});

t.test('members named like those of every object are names like others', async (t) => {
  const odd =
    '{"title":"odd","constructor":{"prototype":{"polluted":1}},"toString":"x","valueOf":1}';
  t.equal((await send('POST', '/items/articles', odd)).status, 200);
  const { status } = await send('PATCH', '/items/articles/1', '{"hasOwnProperty":1,"views":5}');
  t.equal(status, 200);
  t.equal((await cluster.fetch('/items/articles/1')).status, 200);
});
