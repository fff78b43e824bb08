import t from 'tap';
import { ServiceErrors } from '#core/base/errors/service-error.ts';
import type { ImportFormat } from '#core/jobs/message/import.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { type Importing, importing } from './importing.ts';

const NOTHING = { inserted: 0, updated: 0, unchanged: 0, duplicates: 0, skipped: 0, failed: 0 };

/** The records of a CSV file, each with its cells by the names of the header. */
function records(text: string): Record<string, string>[] {
  const all: string[][] = [[]];
  for (const [, quoted, plain = '', end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^,\n"]*))(,|\n)/g,
  )) {
    all.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '\n') all.push([]);
  }
  const [header = [], ...rows] = all.slice(0, -1);
  return rows.map((cells) => Object.fromEntries(cells.map((cell, at) => [header[at], cell])));
}

/** Imports the valid rows, and returns the result with the report. */
async function skip(
  db: Importing,
  content: string | (() => AsyncIterable<Buffer>),
  { format = 'csv', ...parameters }: ImportParameters & { format?: ImportFormat } = {},
) {
  let text = '';
  const { reasons, ...result } = await db.import('item', content, format, {
    parameters: { onError: 'skip', ...parameters },
    async report(pieces) {
      for await (const piece of pieces) text += Buffer.from(piece).toString();
    },
  });
  const report = records(text);
  return { result, report, reasons };
}

const SETUP = `
  CREATE TABLE maker (id int PRIMARY KEY);
  INSERT INTO maker VALUES (1);
  CREATE TABLE item (id int PRIMARY KEY, name varchar(5) NOT NULL, code text UNIQUE,
    price numeric(5, 2) CHECK (price > 0), made date, net inet, maker int REFERENCES maker,
    parent int REFERENCES item)`;

for (const [what, fill] of [
  ['an empty', ''],
  ['a filled', ";INSERT INTO item (id, name, code) VALUES (1, 'one', 'a'), (100, 'old', 'taken')"],
]) {
  t.test(`valid rows go into ${what} table, and all bad cells are reported`, async (t) => {
    const db = await importing(SETUP + fill);
    const lines = [
      'id,name,code,price,made,net,maker,parent',
      '1,uno,a,1,2024-01-01,10.0.0.1,1,',
      '2,toolong,,bad,2024-13-01,,,',
      '"3",two',
      '4,"a\nb",,1,,,,',
      '5,,b,1,,,,',
      '6,six,c,-1,,,7,',
      '7,seven,c,1,,nonet,,',
      '8,eight,d,1,,,,9',
      '9,nine,e,0,,,,',
      '10,ten,f,1,,,,11',
      '11,elf,g,2,,also none,1,10',
      ',,,,,,,',
    ];
    const { result, report } = await skip(db, `${lines.join('\n')}\n`);
    const filled = fill !== '';
    t.strictSame(result, {
      ...NOTHING,
      inserted: filled ? 1 : 2,
      updated: filled ? 1 : 0,
      skipped: 1,
      failed: 9,
    });
    const loaded = await db.rows('SELECT id FROM item WHERE id < 100 ORDER BY id');
    t.strictSame(loaded, [{ id: 1 }, { id: 4 }]);
    const found = report.map(({ row, field, line }) => `${row} ${field} ${line}`);
    t.strictSame(found, [
      ...['2 name 3', '2 price 3', '2 made 3', '3  4', '5 name 7'],
      ...['6 price 8', '6 maker 8', '7 net 9', '8 parent 10', '9 price 11'],
      ...['10 parent 12', '11 net 13'],
    ]);
    t.match(report[2], {
      ...{ code: 'FAILED_VALIDATION', value: '2024-13-01' },
      reason_code: 'value_date_expected',
    });
    t.match(report[3], {
      ...{ code: 'INVALID_PAYLOAD', original: '"3",two', reason: /2 cells/ },
      reason_code: 'row_cells_differ_from_header',
    });
    t.equal(report[0]?.original, lines[2]);
  });
}

t.test('any number of values that only PostgreSQL can check is skipped', async (t) => {
  const db = await importing(`
    CREATE DOMAIN even AS int CHECK (VALUE % 2 = 0);
    CREATE TABLE item (id int PRIMARY KEY, net inet, span int4range, bits bit(3), nets cidr[],
      even even)`);
  const good = ['10.0.0.1', '"[1,5)"', '101', '"[""10.0.0.0/8""]"', '4'];
  const bad = ['none', '"[5,1)"', '1010', '"[""no""]"', '3'];
  const lines = Array.from({ length: 25_000 }, (_, row) =>
    [row, ...good.map((cell, place) => (row % 7 === place ? bad[place] : cell))].join(','),
  );
  const { result, report } = await skip(db, `id,net,span,bits,nets,even\n${lines.join('\n')}\n`);
  const failed = lines.filter((_, row) => row % 7 < 5).length;
  t.match(result, { inserted: 25_000 - failed, failed });
  t.equal(report.length, failed);
  t.strictSame(
    report.slice(0, 5).map(({ row, field, code }) => `${row} ${field} ${code}`),
    ['1 net', '2 span', '3 bits', '4 nets', '5 even'].map((place) => `${place} FAILED_VALIDATION`),
  );
  t.match(report[0], { value: 'none', line: '2', original: lines[0], reason: /inet: "none"/ });
  const stored = await db.rows(`SELECT count(*)::int AS rows, min(net::text) AS net,
    min(span::text) AS span, min(bits::text) AS bits, min(nets::text) AS nets,
    min(even) AS even FROM item`);
  t.strictSame(stored, [
    {
      rows: 25_000 - failed,
      net: '10.0.0.1/32',
      span: '[1,5)',
      bits: '101',
      nets: '{10.0.0.0/8}',
      even: 4,
    },
  ]);
  const refused = await db.refused(
    'item',
    `id,net,span\n${['1,x,', '2,,y', '3,z,z'].join('\n')}\n`,
  );
  t.strictSame(
    refused.map(({ row, field }) => `${row} ${field}`),
    ['1 net', '2 span', '3 net', '3 span'],
    'the report of a rejected file contains all of them, too',
  );
});

t.test('rows that only the database can reject are skipped, one by one', async (t) => {
  const db = await importing(`CREATE TABLE item (id int PRIMARY KEY, n int);
    INSERT INTO item SELECT i, -i FROM generate_series(1, 100) i;
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF new.n % 97 = 0 THEN RAISE EXCEPTION 'no % please', new.n; END IF;
      IF new.n % 89 = 0 THEN RETURN NULL; END IF;
      RETURN new; END $$;
    CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON item FOR EACH ROW EXECUTE FUNCTION refuse();
    CREATE UNIQUE INDEX ON item ((n / 2)) WHERE n > 3000`);
  const ids = Array.from({ length: 3_004 }, (_, index) => index + 1);
  const { result, report } = await skip(db, `id,n\n${ids.map((id) => `${id},${id}`).join('\n')}`);
  // 3,002 and 3,003 share a half; 30 numbers are divisible by 97, 33 by 89.
  t.strictSame(result, {
    ...NOTHING,
    inserted: 2_842,
    updated: 98,
    unchanged: 1,
    skipped: 32,
    failed: 31,
  });
  t.strictSame(report.map(({ row }) => row).slice(-2), ['2910', '3003']);
  t.match(report[0], { row: '97', line: '98', original: '97,97', reason: /no 97 please/ });
  t.match(report.at(-1), { code: 'RECORD_NOT_UNIQUE', original: '3003,3003' });
});

t.test('a chain of rows that refer to each other loads, in any file order', async (t) => {
  const db = await importing(`CREATE TABLE item (id int PRIMARY KEY, n int CHECK (n <> 13),
    parent int REFERENCES item);
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF new.n = 50 THEN RAISE EXCEPTION 'no'; END IF; RETURN new; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION refuse()`);
  const rows = Array.from({ length: 60 }, (_, index) => ({
    id: index,
    n: index,
    parent: index === 59 ? null : index + 1,
  }));
  const { result, report } = await skip(db, JSON.stringify(rows), { format: 'json' });
  t.strictSame(result, { ...NOTHING, inserted: 9, failed: 51 });
  t.strictSame(report.length, 51);
  t.match(await db.rows('SELECT min(id) FROM item'), [{ min: 51 }]);
});

t.test('faults of modes and match keys are skipped, too', async (t) => {
  const db = await importing(`CREATE TABLE item (id serial PRIMARY KEY, code text UNIQUE, n int);
    INSERT INTO item (code, n) VALUES ('a', 1), ('b', 2)`);
  const csv = 'code,n\na,5\n,6\nc,7\nc,8\nb,2\n';
  const rowsOf = ({ report }: Awaited<ReturnType<typeof skip>>) =>
    report.map(({ row, code }) => `${row} ${code}`);
  const matched = await skip(db, csv, { match: ['code'], dryRun: true });
  const upserted = { ...NOTHING, inserted: 1, updated: 1, unchanged: 1, duplicates: 1, failed: 1 };
  t.strictSame(matched.result, { ...upserted, dry_run: true });
  t.strictSame(rowsOf(matched), ['2 NOT_NULL_VIOLATION']);
  const updating = await skip(db, csv, { match: ['code'], mode: 'update', dryRun: true });
  t.match(updating.result, { updated: 1, unchanged: 1, duplicates: 1, failed: 2 });
  t.strictSame(rowsOf(updating), ['2 NOT_NULL_VIOLATION', '4 FAILED_VALIDATION']);
  const inserting = await skip(db, csv, { mode: 'insert', dryRun: true });
  t.match(inserting.result, { inserted: 2, failed: 3, duplicates: 0 });
  t.strictSame(
    rowsOf(inserting),
    ['1', '4', '5'].map((row) => `${row} RECORD_NOT_UNIQUE`),
  );
  t.strictSame(await db.rows('SELECT code, n FROM item ORDER BY code'), [
    { code: 'a', n: 1 },
    { code: 'b', n: 2 },
  ]);
  t.strictSame((await skip(db, csv, { match: ['code'] })).result, upserted);
});

t.test('a dry run stores nothing, and reports the same', async (t) => {
  const db = await importing(SETUP);
  const dry = { parameters: { dryRun: true } };
  const result = await db.import('item', 'id,name\n1,one\n2,two\n', 'csv', dry);
  t.strictSame(result, { ...NOTHING, inserted: 2, dry_run: true });
  t.match(await db.refused('item', 'id,name\n1,one\n2,toolong\n', 'csv', dry), [{ row: 2 }]);
  t.strictSame(await db.rows('SELECT * FROM item'), []);
});

t.test('more faulty rows than allowed reject the file', async (t) => {
  const db = await importing(SETUP);
  const csv = 'id,name,price\n1,one,1\n2,toolong,2\n3,three,x\n4,four,-1\n';
  for (const maxErrors of [0, 1, 2]) {
    const failure = await skip(db, csv, { maxErrors }).catch((error: unknown) => error);
    if (!(failure instanceof ServiceErrors)) throw failure;
    const reason = {
      ...{ code: 'too_many_faulty_rows', parameters: { limit: maxErrors } },
      sentence: `More than ${maxErrors} rows are faulty, so nothing is imported.`,
    };
    t.match(failure.errors[0]?.details, { row: null, reason });
    t.match(failure.errors[1]?.details, { row: 2, field: 'name' });
    t.strictSame(await db.rows('SELECT * FROM item'), []);
  }
  t.match((await skip(db, csv, { maxErrors: 3 })).result, { inserted: 1, failed: 3 });
  t.match(
    await db.refused('item', '[{"id":1},{"id":', 'json', { parameters: { onError: 'skip' } }),
    [{ code: 'INVALID_PAYLOAD' }],
  );
});

t.test('lines without an object, and unstorable texts, are skipped', async (t) => {
  const db = await importing('CREATE TABLE item (id serial PRIMARY KEY, name text)');
  const lines = ['5', 'null', '"x"', '[]', '[1]', '1e5', '{"name":"a\\u0000"}', '{"name":"b"}'];
  const { result, report } = await skip(db, lines.join('\n'), { format: 'ndjson' });
  t.strictSame(result, { ...NOTHING, inserted: 1, failed: 7 });
  t.match(
    report.map(({ row, reason }) => [row, reason]),
    [
      ...['1', '2', '3', '4', '5', '6'].map((row) => [row, 'Every row must be an object.']),
      ['7', /NUL character/],
    ],
  );
  for (const line of lines.slice(0, 6)) {
    const faults = await db.refused('item', `${line}\n`, 'ndjson');
    t.match(faults, [{ code: 'INVALID_PAYLOAD', row: 1, line: 1 }], line);
  }
});

t.test('a row in which two members name one field is a fault', async (t) => {
  const db = await importing('CREATE TABLE item (id int PRIMARY KEY, name text)');
  const lines = ['{"id":1,"name":"a","x":"b"}', '{"id":2,"x":"c"}', '{"id":3,"name":"d"}'];
  const mapping = { x: 'name' };
  const { result, report } = await skip(db, lines.join('\n'), { format: 'ndjson', mapping });
  t.strictSame(result, { ...NOTHING, inserted: 2, failed: 1 });
  t.match(report, [{ row: '1', reason: 'Two members name the field "name".' }]);
  const json = `[${lines.join(',')}]`;
  t.match(await db.refused('item', json, 'json', { parameters: { mapping } }), [{ row: 1 }]);
});

t.test('a report contains no secrets', async (t) => {
  const db =
    await importing(`CREATE TABLE item (id int PRIMARY KEY, name varchar(5), password text);
    DELETE FROM system_fields WHERE collection = 'item';
    INSERT INTO system_fields (collection, field, special) VALUES ('item', 'password', 'hash')`);
  const rows = [
    { id: 1, name: 'too long', password: 'CANARY' },
    { id: 2, name: 'too long' },
    { id: 3, name: 'c', password: ['CANARY'] },
  ];
  const csv = 'id,name,password\n1,too long,CANARY\n2,too long,\n3,CANARY\n';
  for (const [text, format] of [
    [csv, 'csv'],
    [csv.replaceAll(',', ';'), 'csv'],
    [JSON.stringify(rows), 'json'],
    [`${rows.map((row) => JSON.stringify(row)).join('\n')}\n{"id":4,"password":"CANARY"`, 'ndjson'],
  ] as const) {
    const options = text.includes(';') ? { separator: ';' } : {};
    const { result, report } = await skip(db, text, { format, ...options });
    t.equal(result.failed, format === 'ndjson' ? 4 : 3, text);
    t.notMatch(JSON.stringify(report), /CANARY/, text);
    t.match(report[1]?.original, /too long/, 'a row without a secret is repeated');
  }
  const mapping = { password: null };
  const { report } = await skip(db, csv, { format: 'csv', mapping });
  t.strictSame([report[0]?.row, report[0]?.original], ['1', ''], 'nor if they are omitted');
  const other = csv.replace('password', 'note');
  const shown = await skip(db, other, { format: 'csv', mapping: { note: null } });
  t.equal(shown.report[0]?.original, '1,too long,CANARY', 'other columns are a part of the row');
});

t.test('no fault repeats a long value or name as a whole', async (t) => {
  const db = await importing('CREATE TABLE item (id int PRIMARY KEY, net inet, name text)');
  const long = 'x'.repeat(100_000);
  const lines = [`{"id":1,"net":"${long}"}`, `{"id":2,"${long}":1}`, '{"id":3,"name":"a"}'];
  const { result, report } = await skip(db, lines.join('\n'), { format: 'ndjson' });
  t.strictSame(result, { ...NOTHING, inserted: 1, failed: 2 });
  t.strictSame(new Set(report.map(({ row }) => row)), new Set(['1', '2']));
  for (const [format, content] of [
    ['ndjson', lines.join('\n')],
    ['csv', `id,net\n1,${long}\n`],
    ['csv', `id,${long}\n1,2\n`],
    ['csv', `${long},${long}\n1,2\n`],
  ] as const) {
    const faults = await db.refused('item', content, format);
    for (const fault of [...faults, ...report.map(({ original: _, ...cells }) => cells)]) {
      t.ok(JSON.stringify(fault).length < 2_000, JSON.stringify(fault).slice(0, 300));
    }
  }
});
