/** The fields of a new collection follow from the whole file, in every format. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import type { ImportFormat } from '#core/jobs/message/import.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { openFile } from '#core/transfer/file/import-file.ts';
import { UnreadableFile } from '#core/transfer/file/row-fault.ts';
import { inferFields } from '#core/transfer/infer/infer-fields.ts';

interface Given {
  readonly format?: ImportFormat;
  readonly gzip?: boolean;
  readonly parameters?: ImportParameters;
}

async function infer(
  content: string | Buffer,
  { format = 'csv', gzip = false, parameters = {} }: Given = {},
) {
  const bytes = gzip ? gzipSync(content) : Buffer.from(content);
  const open = async function* () {
    // Small pieces, so that values are cut.
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  };
  const stored = { format, gzip, bytes: bytes.length, open };
  const file = await openFile(stored, parameters, { bytes: 1e9, ratio: 1e9 });
  return inferFields(file, { signal: new AbortController().signal, faultsMax: 3 });
}

/** The type of a column `v` with these cells. */
async function typeOf(cells: readonly string[], parameters: ImportParameters = {}) {
  const quoted = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`);
  const { fields } = await infer(`v,n\n${quoted.map((cell) => `${cell},x\n`).join('')}`, {
    parameters,
  });
  return fields.find(({ field }) => field === 'v')?.type;
}

t.test('cells determine the type of their column', async (t) => {
  const types: readonly [string, readonly string[], ImportParameters?][] = [
    ['integer', ['1', '', '-2147483647', 'null', '0']],
    ['bigInteger', ['1', '2147483648']],
    ['bigInteger', ['999999999999999']],
    ['string', ['9223372036854775807']],
    ['string', ['9223372036854775808', '1']],
    ['decimal', ['1', '2.50', '-0.1']],
    ['decimal', ['1e5', '2.5E-7']],
    ['decimal', ['.097', '-.5', '2']],
    ['decimal', [',097', '-,5e2'], { decimal: ',' }],
    ['string', ['0x10']],
    ['string', ['1_000']],
    ['string', ['1', '2.']],
    ['string', ['1', '007']],
    ['string', ['00.5']],
    ['string', ['+4930123456']],
    ['string', ['1', 'x']],
    ['decimal', ['1,5']],
    ['decimal', ['1.234,5', '2', '1.000']],
    ['decimal', ['1,234.5', '12,345,678']],
    ['integer', ['1.234.567', '5']],
    ['decimal', ['1 234,5', '2']],
    ['string', ['555 123 456']],
    ['string', ['1,234', '5,678']],
    ['decimal', ['1,5', '2'], { decimal: ',' }],
    ['string', ['1.5'], { decimal: ',' }],
    ['boolean', ['true', 'False', '']],
    ['boolean', ['ja', 'Nein', '']],
    ['boolean', ['yes', 'no']],
    ['string', ['no', 'no']],
    ['string', ['true', '1']],
    ['string', ['t', 'f']],
    ['date', ['2024-02-29', '0001-01-01']],
    ['string', ['2023-02-29']],
    ['string', ['2024-13-01']],
    ['dateTime', ['2024-01-01T10:00:00', '2024-01-01 10:00']],
    ['timestamp', ['2024-01-01T10:00:00Z', '2024-01-01 10:00:00.5+01:00']],
    ['timestamp', ['2024-01-01T10:00:00Z', '2024-01-01T10:00:00']],
    ['timestamp', ['2024-01-01T10:00:00'], { timezone: 'Europe/Berlin' }],
    ['string', ['2024-01-01', '2024-01-01T10:00:00']],
    ['date', ['01.02.2024']],
    ['date', ['31/12/2024', '1/2/2024']],
    ['dateTime', ['01/14/2020 7:06 AM', '1/2/2020 12:00 pm']],
    ['date', ['Nov 3, 2023', 'Dezember 12, 2023']],
    ['date', ['3. Mai 2023', '12. Oct 2023']],
    ['string', ['01/02/2024', '03/04/2024']],
    ['string', ['99.99.2024', '31.12.2024']],
    ['date', ['01.02.2024', '31.12.1999'], { dateFormat: 'DD.MM.YYYY' }],
    ['string', ['2024-02-01'], { dateFormat: 'DD.MM.YYYY' }],
    ['dateTime', ['01.02.2024 10:30'], { dateFormat: 'DD.MM.YYYY HH:mm' }],
    ['string', ['31.02.2024'], { dateFormat: 'DD.MM.YYYY' }],
    ['uuid', ['3f2504e0-4f89-41d3-9a0c-0305e82c3301', '3F2504E0-4F89-41D3-9A0C-0305E82C3302']],
    ['string', ['3f2504e0-4f89-41d3-9a0c-0305e82c33']],
    ['json', ['{"a":1}', '[1, 2]', '']],
    ['json', ['{"a":1}', '"text"', '5', '"5"', 'true']],
    ['string', ['"text"', '"5"', '5']],
    ['string', ['{"a":1}', 'x']],
    ['string', ['{"a":1}', '.5']],
    ['string', ['{"a":1}', '{no']],
    ['string', ['[in brackets]']],
    ['text', ['', '']],
  ];
  for (const [type, cells, parameters] of types) {
    t.equal(await typeOf(cells, parameters), type, `${cells.join(' ')} is ${type}`);
  }
});

t.test('members determine it too, and preserve their JSON type', async (t) => {
  const rows = [
    { i: 1, b: 2147483648, d: 1.5, s: '1', t: true, o: { a: 1 }, m: 1, w: '2024-01-01', n: null },
    { i: null, d: 2, s: '007', t: false, o: [1], m: 'one', w: '2024-02-01', late: '2' },
  ];
  const expected = [
    { field: 'id', type: 'integer', primary_key: true },
    { field: 'i', type: 'integer' },
    { field: 'b', type: 'bigInteger' },
    { field: 'd', type: 'decimal' },
    { field: 's', type: 'string' },
    { field: 't', type: 'boolean' },
    { field: 'o', type: 'json' },
    { field: 'm', type: 'json' },
    { field: 'w', type: 'date' },
    { field: 'n', type: 'text' },
    { field: 'late', type: 'string' },
  ];
  const lines = rows.map((row) => JSON.stringify(row)).join('\n');
  const json = await infer(JSON.stringify(rows), { format: 'json' });
  t.strictSame(json.fields, expected);
  const ndjson = await infer(lines, { format: 'ndjson', gzip: true });
  t.strictSame(ndjson.fields, expected);
  const big = await infer('[{"v":123456789012345678901234567890},{"v":1.10}]', { format: 'json' });
  t.equal(big.fields[1]?.type, 'decimal');
});

t.test('an id that identifies rows becomes the key', async (t) => {
  const uuid = '3f2504e0-4f89-41d3-9a0c-0305e82c330';
  const keys: readonly [string, string[]][] = [
    ['integer', ['1', '2', '3']],
    ['integer', ['3', '1', '2']],
    ['bigInteger', ['3000000000', '1']],
    ['uuid', [`${uuid}1`, `${uuid}2`]],
    ['string', ['a', 'b', 'A']],
  ];
  for (const [type, ids] of keys) {
    const { fields } = await infer(`name,id\n${ids.map((id) => `x,${id}\n`).join('')}`);
    const [name, id] = fields;
    t.match(name, { field: 'name', type: 'string' });
    t.strictSame(id, { field: 'id', type, primary_key: true });
  }
  const members = await infer('[{"id":"b"},{"id":"a"}]', { format: 'json' });
  t.strictSame(members.fields, [{ field: 'id', type: 'string', primary_key: true }]);
  const own = await infer('ID,Id\n1,1\n1,1\n');
  t.strictSame(own.fields[0], { field: 'id', type: 'integer', primary_key: true });

  const refused: readonly [string[], RegExp, number | null][] = [
    [['1', '', '3'], /"id" cannot be the key: a row has no value.*mapping/, 2],
    [['2', '1', '2'], /two rows have the same value/, null],
    [['a', 'b', 'a'], /two rows have the same value/, null],
    [[`${uuid}a`, `${uuid}A`], /two rows have the same value/, null],
    [['true', 'false'], /its values are boolean/, null],
  ];
  for (const [ids, sentence, row] of refused) {
    const file = `id,x\n${ids.map((id) => `${id},1\n`).join('')}`;
    const error = await infer(file).catch((error: unknown) => error);
    t.ok(error instanceof UnreadableFile);
    if (error instanceof UnreadableFile) {
      t.match(error.fault, { field: 'id', reason: { sentence }, row });
    }
    const mapped = await infer(file, { parameters: { mapping: { id: 'number' } } });
    t.match(mapped.fields, [{ field: 'id', primary_key: true }, { field: 'number' }]);
  }
});

t.test('all invalid field names are rejected', async (t) => {
  const header = ['ok', '', ' b', 'a/b', 'ok', 'x'.repeat(64), 'books.title'];
  const error = await infer(`${header.join(',')}\n1,2,3,4,5,6,7\n`).catch(
    (error: unknown) => error,
  );
  t.ok(error instanceof UnreadableFile);
  if (!(error instanceof UnreadableFile)) return;
  const places = error.faults.map(({ place }) => place?.column);
  t.strictSame(places, [4, 5, 8, 12, 15, 80]);
  t.match(error.faults[1]?.reason.sentence, /no space around it.*"mapping"/);
  t.match(error.faults[3]?.reason.sentence, /names "ok" twice/);
  t.match(
    error.faults[5]?.reason.sentence,
    /must not contain a dot.*"mapping" to give "books.title"/,
  );
  const mapped = await infer('ok, b,a/b\n1,2,3\n', {
    parameters: { mapping: { ' b': 'b', 'a/b': null } },
  });
  t.strictSame(
    mapped.fields.map(({ field }) => field),
    ['id', 'ok', 'b'],
  );
  const member = await infer('[{"a":1},{"b/c":1}]', { format: 'json' }).catch((e: unknown) => e);
  t.match(member, { fault: { row: 2, field: 'b/c' } });
  await t.rejects(infer(''), UnreadableFile);
});

t.test('unreadable rows are counted, and do not affect the types', async (t) => {
  const inference = await infer('a,b\n1,2\n3\n,\n4,5,6\nx,7\n');
  t.match(inference, { rows: 2, skipped: 1, failed: 2 });
  t.strictSame(
    inference.faults.map(({ row }) => row),
    [2, 4],
  );
  t.match(inference.fields, [{}, { type: 'string' }, { type: 'integer' }]);
  await t.rejects(infer('a\n1\n"open'), UnreadableFile);
});

t.test('the smallest numbers of PostgreSQL are accepted', async (t) => {
  t.equal(await typeOf(['-2147483648', '2147483647']), 'integer');
  t.equal(await typeOf(['-2147483649']), 'bigInteger');
  t.equal(await typeOf(['-9223372036854775809']), 'string');
});

t.test('random columns get the narrowest type for all their values', async (t) => {
  const whole = fc.integer().map(String);
  const big = fc.bigInt({ min: 2n ** 31n, max: 10n ** 15n - 1n }).map(String);
  const digits = fc.tuple(fc.integer(), fc.nat()).map(([a, b]) => `${a === 0 ? 1 : a}.${b}`);
  const day = fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString());
  const word = fc.constantFrom('abc', 'a b', '0123', '1-2', 'N/A', '12:30', '{');
  const kinds = { whole, big, digits, day, word } as const;
  const isOnly = (used: readonly string[], ...all: readonly string[]) =>
    used.every((kind) => all.includes(kind));
  const expected = (used: readonly string[]) => {
    if (used.length === 0) return 'text';
    if (isOnly(used, 'whole')) return 'integer';
    if (isOnly(used, 'whole', 'big')) return 'bigInteger';
    if (isOnly(used, 'whole', 'big', 'digits')) return 'decimal';
    return isOnly(used, 'day') ? 'timestamp' : 'string';
  };
  const values = Object.entries(kinds).map(([kind, texts]) =>
    texts.map((text) => ({ kind, text })),
  );
  const cell = fc.oneof(...values, fc.constant({ kind: '', text: '' }));
  // Columns with few kinds of values, so that all types occur.
  const column = fc.subarray(['', 'whole', 'big', 'digits', 'day', 'word'], {
    minLength: 1,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(column, fc.array(cell, { maxLength: 30 }), async (allowed, cells) => {
      const kept = cells.filter(({ kind }) => allowed.includes(kind));
      const used = [...new Set(kept.map(({ kind }) => kind))].filter((kind) => kind !== '');
      const type = await typeOf(kept.map(({ text }) => text));
      return type === expected(used);
    }),
    { numRuns: 300 },
  );
  t.pass();
});

t.test('nearly all values determine the type, and the others speak against it', async (t) => {
  const rows = Array.from({ length: 100 }, (_, index) => {
    const day = String((index % 28) + 1).padStart(2, '0');
    return [
      index + 1,
      `${day}.02.2024`,
      `${index}.5`,
      index % 2 === 0 ? 'ja' : 'nein',
      `t${index}`,
    ];
  });
  rows[49] = [50, 'unknown', 'n/a', '?', 7];
  const content = `quantity,made,price,active,title\n${rows.map((row) => row.join(',')).join('\n')}\n`;
  const { fields, misfits } = await infer(content);
  t.match(fields.slice(1), [
    { field: 'quantity', type: 'integer' },
    {
      ...{ field: 'made', type: 'date', format: { dateFormat: 'D.M.YYYY' }, misfits: 1 },
      examples: [{ row: 50, value: 'unknown' }],
    },
    { field: 'price', type: 'decimal', misfits: 1, examples: [{ row: 50, value: 'n/a' }] },
    { field: 'active', type: 'boolean', misfits: 1 },
    { field: 'title', type: 'string' },
  ]);
  t.match(misfits, { rows: 1, faults: [{ row: 50, field: 'made', value: 'unknown' }, {}, {}] });
  const strict = await infer(content, { parameters: { typesTolerance: 0 } });
  t.match(strict.fields.slice(2), [{ type: 'string' }, { type: 'string' }, { type: 'string' }, {}]);
  t.equal(strict.misfits.rows, 0);
  const titles = Array.from({ length: 100 }, (_, index) => ({ title: index === 3 ? 1984 : 'a' }));
  const json = await infer(JSON.stringify(titles), { format: 'json' });
  t.match(json.fields[1], { type: 'string', misfits: 1, examples: [{ row: 4, value: '1984' }] });
});

t.test('ambiguous notations are told, unless another column proves them', async (t) => {
  const { fields } = await infer('a,n\n01/02/2024,"1,234"\n');
  t.match(fields.slice(1), [
    { type: 'string', ambiguous: ['D/M/YYYY', 'M/D/YYYY'] },
    { type: 'string', ambiguous: ['1,234.5', '1.234,5'] },
  ]);
  const proven = await infer('a,b\n01/02/2024,12/31/2024\n');
  t.match(proven.fields[1], { type: 'date', format: { dateFormat: 'M/D/YYYY' } });
  const chosen = await infer('a,n\n01/02/2024,"1,234"\n', {
    parameters: { formats: { a: { dateFormat: 'D/M/YYYY' }, n: { thousands: ',' } } },
  });
  t.match(chosen.fields.slice(1), [{ type: 'date' }, { type: 'integer' }]);
});

t.test('options set types and the key', async (t) => {
  const content = 'code,zip,phone,size\na,12345,15551234567,1\nb,23456,15551234568,2\n';
  const { fields } = await infer(content, {
    parameters: { key: 'code', types: { size: 'text' } },
  });
  t.match(fields, [
    { field: 'code', type: 'string', primary_key: true },
    { field: 'zip', type: 'string' },
    { field: 'phone', type: 'string' },
    { field: 'size', type: 'text' },
  ]);
  await t.rejects(infer(content, { parameters: { key: 'none' } }), UnreadableFile);
  await t.rejects(infer('code\na\na\n', { parameters: { key: 'code' } }), UnreadableFile);
});
