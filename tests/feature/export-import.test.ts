/** A list that is downloaded and imported again is equal: values of all types, nulls, relations. */
import fc from 'fast-check';
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';

const ROWS = 300;
const seed = Number(process.env.SEED ?? 1);

const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 5 }),
  fc.constantFrom(
    'null',
    'true',
    '\\N',
    'NULL',
    "it's",
    '"',
    '""',
    ',',
    '\n',
    '\r\n',
    ' ',
    '\t',
    '[1]',
    '{"a":1}',
  ),
  fc.constantFrom("'", '=1+1', ';', '5', '3.0', '\\', 'ja', '2024-01-01'),
);
const text = fc
  .array(piece, { maxLength: 3 })
  .map((pieces) => pieces.join('').replaceAll('\0', ''));
const moment = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const json = fc
  .oneof(
    text,
    fc.integer(),
    fc.boolean(),
    fc.array(text, { maxLength: 2 }),
    fc.dictionary(text, text),
  )
  .map((value) => JSON.stringify(value));

/** Values of each type as PostgreSQL reads them. */
const TYPES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  text,
  'varchar(90)': text,
  int4: fc.integer(),
  int8: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  numeric: fc.tuple(fc.bigInt(), fc.nat()).map(([whole, part]) => `${whole}.${part}`),
  float8: fc.double({ noNaN: true, noDefaultInfinity: true }),
  boolean: fc.boolean(),
  date: moment.map((one) => one.slice(0, 10)),
  // Reads show times without a zone in whole seconds.
  timestamp: moment.map((one) => one.slice(0, 19)),
  'timestamptz(3)': moment,
  time: moment.map((one) => one.slice(11, 19)),
  uuid: fc.uuid(),
  json,
  jsonb: json,
  'text[]': fc.array(text, { maxLength: 3 }),
  'int REFERENCES author': fc.integer({ min: 1, max: 3 }),
};
const names = Object.keys(TYPES).map((_, index) => `c${index}`);
const columns = Object.keys(TYPES).map((type, index) => `c${index} ${type}`);

t.test('what a list exports, an import reads back equal', async (t) => {
  const cluster = await startCluster(t, { workers: 1 });
  const { db } = cluster;
  await db.query(`CREATE TABLE author (id int PRIMARY KEY);
    INSERT INTO author VALUES (1), (2), (3);
    CREATE TABLE source (id int PRIMARY KEY, ${columns.join(', ')});
    CREATE TABLE target (id int PRIMARY KEY, ${columns.join(', ')});
    ALTER TABLE target ALTER c0 SET DEFAULT 'default', ALTER c2 SET DEFAULT 7`);
  const row = fc.tuple(...Object.values(TYPES).map((values) => fc.option(values, { freq: 4 })));
  const marks = names.map((_, index) => `$${index + 2}`).join(', ');
  for (const [index, values] of fc.sample(row, { numRuns: ROWS, seed }).entries()) {
    await db.query(`INSERT INTO source VALUES ($1, ${marks})`, [index, ...values]);
  }
  await until(async () => (await cluster.fetch('/items/target')).ok, 'the tables are served');
  const fields = ['id', ...names].join(',');
  const isTaken = async () => (await cluster.fetch(`/items/source?limit=1&fields=${fields}`)).ok;
  await until(isTaken, 'the source is served');
  const isRestored = async (content: string, name: string, query: string, what: string) => {
    await db.query('TRUNCATE target');
    const sent = await upload(cluster, 'target', content, { name, type: '', query: `?${query}` });
    if (sent.status !== 200)
      t.fail(JSON.stringify((await bodyOf<{ errors: unknown }>(sent)).errors).slice(0, 800));
    const all = ['id', ...names].map((one) => `${one}::text`).join(', ');
    const { rows } = await db.query(
      `(SELECT ${all} FROM source EXCEPT SELECT ${all} FROM target)
       UNION ALL (SELECT ${all} FROM target EXCEPT SELECT ${all} FROM source) LIMIT 4`,
    );
    t.strictSame(rows, [], `${what}, seed ${seed}`);
  };
  const nulls = 'null_values=%5CN';
  for (const [format, name, query] of [
    ['json', 'a.json', ''],
    ['ndjson', 'a.ndjson', ''],
    ['csv', 'a.csv', nulls],
    ['csv_utf8', 'a.csv', `${nulls}&export_sep`],
  ] as const) {
    const answer = await cluster.fetch(
      `/items/source?limit=-1&fields=${fields}&export=${format}&${query}`,
    );
    const content = Buffer.from(await answer.arrayBuffer()).toString();
    const isMarked = content.startsWith('\uFEFFsep=,\n');
    t.equal(isMarked, format === 'csv_utf8');
    await isRestored(content, name, query.replace('&export_sep', ''), `list as ${format}`);
  }
  for (const [format, more, query] of [
    ['csv', {}, ''],
    ['csv', { null_values: '\\N' }, nulls],
    ['csv', { null_values: "it's" }, "null_values=it's"],
    ['csv_utf8', { null_values: 'NULL', export_sep: true }, 'null_values=NULL'],
    ['ndjson', {}, ''],
  ] as const) {
    const submitted = await cluster.fetch('/utils/export/source', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ format, query: { fields }, ...more }),
    });
    t.equal(submitted.status, 204, await submitted.text());
    const file = `${submitted.headers.get('location')}/file`;
    await until(async () => (await cluster.fetch(file)).ok, 'the file is written');
    const content = Buffer.from(await (await cluster.fetch(file)).arrayBuffer()).toString();
    t.equal(content.startsWith('\uFEFFsep=,\n'), 'export_sep' in more);
    const name = format === 'ndjson' ? 'a.ndjson' : 'a.csv';
    await isRestored(content, name, query, `${format} of a job with ${JSON.stringify(more)}`);
  }
  for (const text of ['', 'a,b', '"', 'a\nb', 'x'.repeat(65)]) {
    const refused = await cluster.fetch('/utils/export/source', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ format: 'csv', null_values: text }),
    });
    t.equal(refused.status, 400, text.slice(0, 5));
  }
});
