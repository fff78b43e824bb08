// What people have: files of other separators, notations and headers, and malformed rows.
import t from 'tap';
import { type Fault, type Importing, importing } from './importing.ts';

const SETUP = `
  CREATE TABLE item (id int PRIMARY KEY, first_name text, price numeric, whole bigint, made date,
    at timestamp, flag boolean, note json)`;

const rows = (db: Importing, columns = 'id, first_name') =>
  db.rows(`SELECT ${columns} FROM item ORDER BY id`);
const shown = (found: readonly Fault[]) =>
  found.map(({ row, field, value }) => [row, field, value]);

t.test('the separator is found when the header does not fit with commas', async (t) => {
  const db = await importing(SETUP);
  for (const [sign, content] of [
    [';', 'id;first_name\n1;a,b\n'],
    ['\t', 'id\tfirst_name\n1\ta,b\n'],
    ['|', 'id|first_name\n1|a,b\n'],
  ] as const) {
    await db.rows('TRUNCATE item');
    t.match(await db.import('item', content), { inserted: 1, separator: sign });
    t.strictSame(await rows(db), [{ id: 1, first_name: 'a,b' }]);
  }
  const plain = await db.import('item', 'id,first_name\n1,a;b\n');
  t.notOk('separator' in plain);
  t.match(
    await db.refused('item', 'id;first_name\n1;a\n', 'csv', { parameters: { separator: ',' } }),
    [{ reason: /no field/ }],
  );
});

t.test('cells of other notations', async (t) => {
  const db = await importing(SETUP);
  const parameters = {
    ...({ thousands: '.', decimal: ',', nullValues: ['NULL', '\\N'] } as const),
    dateFormat: 'MM/DD/YYYY h:mm A',
  };
  const file = [
    'id;first_name;price;whole;at;flag;note',
    '1;NULL;"1.234.567,89";3,0;01/14/2020 7:06 AM;ja;\\N',
    '2;"NULL";-12,5;1.000;1/2/2021 12:30 pm;Nein;"""NULL"""',
  ].join('\n');
  await db.import('item', file.replace('1/2/2021', '01/02/2021'), 'csv', { parameters });
  t.match(await rows(db, 'first_name, price::text, whole::text, at::text, flag, note'), [
    {
      ...{ first_name: null, price: '1234567.89', whole: '3', at: '2020-01-14 07:06:00' },
      ...{ flag: true, note: null },
    },
    {
      ...{ first_name: null, price: '-12.5', whole: '1000', at: '2021-01-02 12:30:00' },
      ...{ flag: false, note: 'NULL' },
    },
  ]);
  const faults = await db.refused('item', 'id;price\n3;1.5\n4;12.3.567\n', 'csv', { parameters });
  t.strictSame(shown(faults), [
    [1, 'price', '1.5'],
    [2, 'price', '12.3.567'],
  ]);
  await db.import('item', 'id,price\n5.0,"12,34,567.5"\n', 'csv', {
    parameters: { thousands: ',' },
  });
  t.match(await db.rows('SELECT price::text FROM item WHERE id = 5'), [{ price: '1234567.5' }]);
  t.match(await db.refused('item', 'id\n5.5\n'), [{ row: 1, field: 'id', value: '5.5' }]);
});

t.test('dates with names of months, and years of two digits', async (t) => {
  const db = await importing(SETUP);
  const cases: readonly [string, string, string][] = [
    ['MMM D, YYYY', 'Nov 3, 2023', '2023-11-03'],
    ['D. MMMM YYYY', '3. März 2023', '2023-03-03'],
    ['DD-MMM-YY', '03-DEC-69', '2069-12-03'],
    ['D.M.YY', '3.1.70', '1970-01-03'],
  ];
  for (const [dateFormat, text, date] of cases) {
    await db.import('item', `id,made\n1,"${text}"\n`, 'csv', { parameters: { dateFormat } });
    t.match(await rows(db, 'made::text'), [{ made: date }], text);
  }
  const parameters = { dateFormat: 'MM/DD/YYYY h:mm A' };
  t.strictSame(
    shown(await db.refused('item', 'id,at\n1,01/01/2020 13:00 PM\n', 'csv', { parameters })),
    [[1, 'at', '01/01/2020 13:00 PM']],
  );
});

t.test('headers may name fields loosely', async (t) => {
  const db = await importing(SETUP);
  const parameters = { header: 'loose' } as const;
  await db.import('item', 'ID,First Name\n1,a\n', 'csv', { parameters });
  await db.import('item', '[{"Id":2,"first-name":"b"},{"ID":3,"FirstName":"c"}]', 'json', {
    parameters,
  });
  t.strictSame(await rows(db), [
    { id: 1, first_name: 'a' },
    { id: 2, first_name: 'b' },
    { id: 3, first_name: 'c' },
  ]);
  t.match(await db.refused('item', 'ID\n1\n'), [{ field: 'ID' }]);
});

t.test('a JSON file may be the answer of a list', async (t) => {
  const db = await importing(SETUP);
  const list = '[{"id":1,"first_name":"a"},\n{"id":2}]';
  for (const text of [
    `{"data":${list}}`,
    ` {\n "meta": {"total": 2, "x": ["}", "]"]}, "n": 1, "data" :\n ${list}, "more": [1]}\n`,
  ]) {
    await db.rows('TRUNCATE item');
    const content = Buffer.from(text);
    const pieces = async function* () {
      for (const byte of content) yield Buffer.from([byte]);
    };
    await db.import('item', pieces, 'json');
    t.strictSame(await rows(db), [
      { id: 1, first_name: 'a' },
      { id: 2, first_name: null },
    ]);
  }
  t.match(await db.refused('item', `{"data":${list}`, 'json'), [{ reason: /end/ }]);
  t.match(await db.refused('item', '{"id":1}', 'json'), [{ reason: /array/ }]);
});

t.test('malformed rows are skipped like other faulty rows', async (t) => {
  const db = await importing(SETUP);
  const lines = Array.from({ length: 1_000 }, (_, index) => `${index + 1},"name"`);
  lines[499] = '500,"name"x';
  lines[699] = '700,"one\ntwo"x';
  const reported: Buffer[] = [];
  const result = await db.import('item', `id,first_name\n${lines.join('\n')}\n`, 'csv', {
    parameters: { onError: 'skip' },
    report: async (content) => {
      for await (const piece of content) reported.push(Buffer.from(piece));
    },
  });
  t.match(result, { inserted: 998, failed: 2 });
  const report = Buffer.concat(reported).toString();
  t.match(report, /\n500,.*,501,"500,""name""x"/);
  t.match(report, /\n700,.*,701,"700,""one\ntwo""x"/);
  const [first] = await db.refused('item', `id,first_name\n${lines.join('\n')}\n`);
  t.match(first, { code: 'INVALID_PAYLOAD', line: 501 });
});
