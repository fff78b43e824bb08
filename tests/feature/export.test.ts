// @quick
/** Lists as files, in every format. */
import t from 'tap';
import { parse } from 'yaml';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';

let cluster: Cluster;
const QUERY = '/items/articles?limit=2&fields=id,title,author_id.name,comments.id';

async function download(path: string) {
  const response = await cluster.fetch(path);
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    file: response.headers.get('content-disposition'),
    text: Buffer.from(await response.arrayBuffer()).toString('utf8'),
  };
}

t.before(async () => {
  cluster = await startCluster(t);
  await createSample(cluster.db);
  await cluster.db.query(
    `INSERT INTO tags (id, name) VALUES (9000, '=1+1'), (9001, 'a"b, c' || chr(10))`,
  );
  await cluster.db.query(`CREATE TABLE documents (id int PRIMARY KEY, body json, same jsonb);
    INSERT INTO documents SELECT 1, d, d::jsonb
      FROM (SELECT '{"n": 12345678901234567890.5,\n "list": [1e400, {}]}'::json) AS t (d)`);
  await until(async () => (await cluster.fetch('/items/articles?fields=comments')).ok, 'relations');
  await until(async () => (await cluster.fetch('/items/documents')).ok, 'documents');
});

t.test('csv flattens many-to-ones and keeps lists as JSON', async (t) => {
  const { type, file, text } = await download(`${QUERY}&export=csv`);
  t.equal(type, 'text/csv; charset=utf-8');
  t.match(file, /^attachment; filename="articles \d{8}-\d{6}\.csv"$/);
  t.equal(
    text,
    '"id","title","author_id.name","comments"\n' +
      '1,"Article 1","Author 2","[{""id"":30},{""id"":60}]"\n' +
      '2,"Article 2","Author 3","[{""id"":1},{""id"":31}]"',
  );
  t.equal((await download('/items/tags?filter[id][_lt]=0&export=csv')).text, '');
});

t.test('a document that is a text differs from what the text says', async (t) => {
  await cluster.db.query(`INSERT INTO documents SELECT 10 + row_number() OVER (), d::json, d::jsonb
    FROM unnest(ARRAY['"5"', '5', '"null"', '"[1]"', '[1]', '"true"', 'true']) d`);
  const { text } = await download('/items/documents?filter[id][_gt]=10&sort=id&export=csv');
  const cells = ['"""5"""', '5', '"""null"""', '"""[1]"""', '"[1]"', '"""true"""', 'true'];
  t.strictSame(
    text.split('\n').slice(1),
    cells.map((cell, row) => `${11 + row},${cell},${cell}`),
  );
  await cluster.db.query('DELETE FROM documents WHERE id > 10');
});

t.test('csv_utf8 has a byte order mark, export_safe disarms formulas', async (t) => {
  const path = '/items/tags?filter[id][_gt]=8000&fields=name&export=csv';
  t.equal((await download(`${path}_utf8`)).text, '\uFEFF"name"\n"=1+1"\n"a""b, c\n"');
  t.equal((await download(`${path}&export_safe`)).text, '"name"\n"\'=1+1"\n"a""b, c\n"');
});

t.test('json, ndjson and yaml hold the same items', async (t) => {
  const items = [
    {
      id: 1,
      title: 'Article 1',
      author_id: { name: 'Author 2' },
      comments: [{ id: 30 }, { id: 60 }],
    },
    {
      id: 2,
      title: 'Article 2',
      author_id: { name: 'Author 3' },
      comments: [{ id: 1 }, { id: 31 }],
    },
  ];
  const json = await download(`${QUERY}&export=json`);
  t.match(json.text, /^\[\n\t\{\n\t\t"id": 1,/);
  t.strictSame(JSON.parse(json.text), items);
  const lines = await download(`${QUERY}&export=ndjson`);
  t.equal(lines.type, 'application/x-ndjson; charset=utf-8');
  t.strictSame(
    lines.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    items,
  );
  t.strictSame(parse((await download(`${QUERY}&export=yaml`)).text), items);
  for (const format of ['json', 'yaml']) {
    const { text } = await download(`/items/tags?limit=0&export=${format}`);
    t.strictSame(parse(text), [], `an empty list in ${format}`);
  }
});

t.test('numbers in documents keep their digits', async (t) => {
  const million = `1${'0'.repeat(400)}`;
  const path = '/items/documents?fields=body,same&export=';
  const { text } = await download(`${path}json`);
  t.equal(
    text.replaceAll('\t', '  '),
    `[
  {
    "body": {
      "n": 12345678901234567890.5,
      "list": [
        1e400,
        {}
      ]
    },
    "same": {
      "n": 12345678901234567890.5,
      "list": [
        ${million},
        {}
      ]
    }
  }
]`,
  );
  const lines = (await download(`${path}ndjson`)).text;
  t.match(lines, /"body":\{"n": 12345678901234567890\.5, +"list": \[1e400, \{\}\]\}/);
  t.equal(lines.split('\n').length, 2, 'a line break in a document ends no line');
  const { text: csv } = await download(`${path}csv`);
  t.match(csv, '""n"":12345678901234567890.5,""list"":[1e400,{}]');
  t.match(csv, `""list"":[${million},{}]`);
});

t.test('xml escapes what it must', async (t) => {
  const { text, type } = await download('/items/tags?filter[id][_gt]=8000&export=xml');
  t.equal(type, 'text/xml; charset=utf-8');
  t.match(text, /^<\?xml version="1.0" encoding="UTF-8"\?>\n<data>\n\s*<item>/);
  t.match(text, '<name>=1+1</name>');
  t.match(text, 'a&quot;b, c');
});

t.test('many items are exported in batches without a seam', async (t) => {
  await cluster.db.query(`INSERT INTO tags (name) SELECT 'bulk' FROM generate_series(1, 3000)`);
  const path = '/items/tags?filter[name][_eq]=bulk&fields=id&limit=-1&export=';
  t.equal(JSON.parse((await download(`${path}json`)).text).length, 3000);
  t.equal((await download(`${path}csv`)).text.split('\n').length, 3001);
  t.equal(parse((await download(`${path}yaml`)).text).length, 3000);
});

t.test('an unknown format is refused', async (t) => {
  const { status, text } = await download('/items/tags?export=pdf');
  t.equal(status, 400);
  t.match(text, 'INVALID_QUERY');
});
