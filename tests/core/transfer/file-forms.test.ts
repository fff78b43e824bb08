// How files may be written: compression, encodings, dialects, notations of cells.

import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { LocalTime } from '#core/transfer/file/date-format.ts';
import { type Fault, type Importing, importing } from './importing.ts';

const SETUP = `
  CREATE TABLE item (id int PRIMARY KEY, name text, price numeric, made date, at timestamptz,
    opens time, flag boolean)`;

const rows = (db: Importing, columns = 'id, name') =>
  db.rows(`SELECT ${columns} FROM item ORDER BY id`);

function utf16(text: string, big: boolean): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return big ? bytes.swap16() : bytes;
}

t.test('compressed files, NDJSON and encodings', async (t) => {
  const db = await importing(SETUP);
  const csv = 'id,name\n1,é😀\n2,b\n';
  const expected = [
    { id: 1, name: 'é😀' },
    { id: 2, name: 'b' },
  ];
  const lines = '\ufeff{"id":1,"name":"é😀"}\r\n\n {"id":2,"name":"b"}';
  const cases: readonly [string, Buffer, 'csv' | 'json' | 'ndjson', object][] = [
    ['gzip', gzipSync(csv), 'csv', { gzip: true }],
    [
      'two members',
      Buffer.concat([gzipSync('id,name\n1,é😀\n'), gzipSync('2,b\n')]),
      'csv',
      { gzip: true },
    ],
    ['NDJSON', Buffer.from(lines), 'ndjson', {}],
    ['compressed NDJSON', gzipSync(lines), 'ndjson', { gzip: true }],
    ['compressed JSON', gzipSync(JSON.stringify(expected)), 'json', { gzip: true }],
    ['UTF-16 LE', utf16(csv, false), 'csv', {}],
    ['UTF-16 BE', utf16(csv, true), 'csv', {}],
    ['UTF-16 JSON', utf16(JSON.stringify(expected), true), 'json', {}],
    ['a separator line', Buffer.from('\ufeffsep=;\r\nid;name\n1;é😀\n2;b\n'), 'csv', {}],
    ['a usual separator line', Buffer.from('sep=,\nid,name\n1,é😀\n2,b\n'), 'csv', {}],
    ['UTF-16 with it', utf16('sep=\t\nid\tname\n1\té😀\n2\tb\n', false), 'csv', {}],
  ];
  for (const [what, content, format, { ...file }] of cases) {
    await db.rows('TRUNCATE item');
    const pieces = () => Readable.from(Array.from(content, (byte) => Buffer.from([byte])));
    await db.import('item', pieces, format, file);
    t.strictSame(await rows(db), expected, what);
  }
  await db.rows('TRUNCATE item');
  const latin = Buffer.from('id;name\n1;é\n2;b\n', 'latin1');
  await db.import('item', latin, 'csv', {
    parameters: { separator: ';', charset: 'windows-1252' },
  });
  t.strictSame(await rows(db), [
    { id: 1, name: 'é' },
    { id: 2, name: 'b' },
  ]);
  await db.rows('TRUNCATE item');
  await db.import('item', '\uFEFFid,name\n1,é\n', 'csv', {
    parameters: { charset: 'windows-1252' },
  });
  t.strictSame(await rows(db), [{ id: 1, name: 'é' }], 'a byte order mark overrides the option');
});

t.test('damaged files name the row and the line', async (t) => {
  const db = await importing(SETUP);
  const parameters = { separator: ';' };
  const place = async (content: Buffer | string, format: 'csv' | 'ndjson', options = {}) => {
    const [fault] = await db.refused('item', content, format, options);
    return fault;
  };
  const bad = Buffer.concat([
    Buffer.from('id;name\n1;a\n2;é'),
    Buffer.from([0xff]),
    Buffer.from('\n'),
  ]);
  t.match(await place(bad, 'csv', { parameters }), {
    ...{ code: 'INVALID_PAYLOAD', row: 2, reason: /UTF-8/, line: 3, column: 1 },
  });
  const half = Buffer.concat([
    utf16('id,name\n1,a\n2,b', false),
    Buffer.from([0x00, 0xd8, 0x0a, 0]),
  ]);
  t.match(await place(half, 'csv'), { row: 2, reason: /not utf-16le/, line: 3, column: 4 });
  const japanese = Buffer.concat([Buffer.from('id,name\n1,a'), Buffer.from([0xff, 0x0a])]);
  const charset = { parameters: { charset: 'euc-jp' } };
  t.match(await place(japanese, 'csv', charset), { row: 1, reason: /not euc-jp/, line: 2 });
  const cut = gzipSync('id,name\n1,a\n').subarray(0, 20);
  t.match(await place(cut, 'csv', { gzip: true }), { reason: /damaged or incomplete/ });
  const faults = await db.refused('item', '{"id":1}\n{"id":}\n{"id":"x"}\n[1]\n{"id":2', 'ndjson');
  t.match(faults, [
    { row: 2, code: 'INVALID_PAYLOAD', line: 2, column: 7 },
    { row: 3, code: 'FAILED_VALIDATION', field: 'id' },
    { row: 4 },
    { row: 5, code: 'INVALID_PAYLOAD', line: 5 },
  ]);
  t.match(await place('id;nome\n1;a\n', 'csv'), {
    reason: /semicolons; use the option separator=;/,
  });
  t.match(await place('id,name\n1,a\n', 'csv', { parameters }), {
    reason: /commas; use the option separator=,/,
  });
  t.match(await place('sep=|\nid|name\n1|a\n', 'csv', { parameters }), {
    reason: /another separator/,
    line: 1,
  });
  t.match(await place('id;name\n1;a;b\n', 'csv', { parameters }), {
    row: 1,
    reason: /has 3 cells/,
    line: 2,
  });
  t.match(await place('id,name\n1,a\0b\n', 'csv'), { row: 1, field: 'name' });
  t.strictSame(await rows(db), []);
});

t.test('a file that expands too far is rejected', async (t) => {
  const db = await importing(SETUP);
  const blank = gzipSync(Buffer.alloc(20 * 1024 * 1024, '\n'));
  const content = Buffer.concat([gzipSync('id\n'), blank, gzipSync('1\n')]);
  const refusal = async (expansion: { bytes: number; ratio: number }) => {
    try {
      await db.import('item', content, 'csv', { gzip: true, expansion });
    } catch (error) {
      if (error instanceof ServiceError) return [error.code, error.details.variable];
      throw error;
    }
    return null;
  };
  t.strictSame(await refusal({ bytes: 1e9, ratio: 200 }), [
    'CONTENT_TOO_LARGE',
    'IMPORT_MAX_EXPANSION',
  ]);
  t.strictSame(await refusal({ bytes: 1e7, ratio: 2_000 }), [
    'CONTENT_TOO_LARGE',
    'IMPORT_MAX_EXPANDED_SIZE',
  ]);
  t.strictSame(await rows(db), []);
  t.equal(await refusal({ bytes: 1e9, ratio: 2_000 }), null);
  t.strictSame(await rows(db), [{ id: 1, name: null }]);
});

t.test('cells by the options', async (t) => {
  const db = await importing(SETUP);
  const all = "id, name, price::text, made::text, at AT TIME ZONE 'UTC' AS at, opens::text";
  const parameters = {
    ...({
      separator: ';',
      decimal: ',',
      dateFormat: 'D.M.YYYY',
      timezone: 'Europe/Berlin',
    } as const),
    mapping: { Name: 'name', Note: null, 'Made on': 'made' },
  };
  const csv = 'id;Name;Note;price;Made on;at;opens\n1;a;n;1234,5;3.4.2024;1.7.2024;08:00\n';
  await db.import('item', csv, 'csv', { parameters });
  t.match(await rows(db, all), [
    { id: 1, name: 'a', price: '1234.5', made: '2024-04-03', opens: '08:00:00' },
  ]);
  const [{ at } = {}] = await db.rows("SELECT (at AT TIME ZONE 'UTC')::text AS at FROM item");
  t.equal(at, '2024-06-30 22:00:00');
  const faults = await db.refused(
    'item',
    `${csv.split('\n')[0]}\n2;b;;1.5;2024-04-03;31.2.2024;\n`,
    'csv',
    {
      parameters,
    },
  );
  t.match(faults, [
    { row: 1, field: 'price', value: '1.5', reason: /"decimal=,"/ },
    { row: 1, field: 'made', value: '2024-04-03', reason: /D\.M\.YYYY/ },
    { row: 1, field: 'at' },
  ]);
  const mixed = ['id;Name;price;Made on', '5;b;1,2,3;99.12.2020', '6;b;1,5;1.1.2020'].join('\n');
  const shown = (found: readonly Fault[]) => found.map(({ field, value }) => [field, value]);
  const mapping = { Name: 'name', 'Made on': 'made' };
  t.strictSame(
    shown(await db.refused('item', mixed, 'csv', { parameters: { ...parameters, mapping } })),
    [
      ['price', '1,2,3'],
      ['made', '99.12.2020'],
    ],
    'a report shows the cells as in the file',
  );
  await db.pool.query('ALTER TABLE app.item ADD CHECK (price < 5000)');
  const unfit = 'id;price;made\n7;6000,50;\n';
  t.strictSame(
    shown(await db.refused('item', unfit, 'csv', { parameters: { ...parameters, mapping: {} } })),
    [['price', '6000,50']],
    'also for faults that only the database detects',
  );
  const json = '[{"id":3,"Name":"c","Note":1,"Made on":"5.4.2024"}]';
  const { separator: _, decimal: __, ...forJson } = parameters;
  await db.import('item', json, 'json', { parameters: forJson });
  t.match(await rows(db, 'id, name, made::text'), [
    { id: 1 },
    { id: 3, name: 'c', made: '2024-04-05' },
  ]);
  t.match(await db.refused('item', 'id\n1\n', 'csv', { parameters: { mapping: { x: 'name' } } }), [
    { field: 'x', reason: /"mapping" names/ },
  ]);
});

t.test('the value of an empty cell', async (t) => {
  const db = await importing(SETUP);
  const after = async (empty: 'missing' | 'null' | 'text') => {
    await db.rows("TRUNCATE item; INSERT INTO item (id, name, price) VALUES (1, 'old', 5)");
    for (const parameters of [{ empty }, { empty, separator: ';' }]) {
      const csv = 'id,name,price\n1,,\n'.replaceAll(',', parameters.separator ?? ',');
      await db.import('item', csv, 'csv', { parameters });
    }
    return await rows(db, 'name, price::int');
  };
  t.strictSame(await after('missing'), [{ name: 'old', price: 5 }]);
  t.strictSame(await after('null'), [{ name: null, price: null }]);
  t.strictSame(await after('text'), [{ name: '', price: 5 }]);
});

t.test('local times have the exact offset of their zone at that time', async (t) => {
  const berlin = new LocalTime('Europe/Berlin');
  t.equal(berlin.zoned('1880-01-01T12:00:00'), '1880-01-01T12:00:00+00:53:28');
  t.equal(berlin.zoned('0050-01-01 12:00'), '0050-01-01 12:00+00:53:28');
  t.equal(berlin.zoned('2024-10-27T02:30:00'), '2024-10-27T02:30:00+02:00', 'the first of two');
  const johns = new LocalTime('America/St_Johns');
  t.equal(johns.zoned('1900-01-01'), '1900-01-01T00:00:00-03:30:52');
  t.equal(johns.zoned('2024-07-01T00:00:00.5'), '2024-07-01T00:00:00.5-02:30');
  const db = await importing(SETUP);
  await db.import('item', 'id,at\n1,1880-01-01 12:00\n', 'csv', {
    parameters: { timezone: 'Europe/Berlin' },
  });
  t.strictSame(await rows(db, "(at AT TIME ZONE 'UTC')::text AS at"), [
    { at: '1880-01-01 11:06:32' },
  ]);
});
