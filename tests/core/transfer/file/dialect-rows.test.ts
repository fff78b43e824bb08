// @newest @quick

import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { dialectOf } from '#core/transfer/file/csv-dialect.ts';
import { csvRows } from '#core/transfer/file/csv-rows.ts';
import type { FileColumn } from '#core/transfer/file/file-column.ts';
import { UnreadableFile } from '#core/transfer/file/row-fault.ts';
import type { RowHandler, RowReader } from '#core/transfer/file/row-reader.ts';
import { columnDescriptor } from '#tests/harness/descriptor.ts';

function columnsOf(count: number): FileColumn[] {
  return Array.from({ length: count }, (_, cell) => {
    const name = `c${cell}`;
    const column = columnDescriptor(name, 'text');
    const field = { name, type: 'text', column, special: [], codec: null, meta: null } as const;
    return {
      ...{ name, field, cell, form: 'plain', masked: false, check: null, isUsual: null },
      ...{ links: null, path: null },
    };
  });
}

type Read = (columns: readonly FileColumn[], handler: RowHandler) => RowReader;

/** The output of a reader for a file, chunk by chunk. */
function events(read: Read, bytes: Buffer, size: number, columns: number): unknown[] {
  const found: unknown[] = [];
  const known = columnsOf(columns);
  const reader = read(known, {
    row: (row) => found.push([row.number, ...known.map((_, place) => row.value(place))]),
    fault: ({ row, reason, place }) => found.push([row, reason, place?.line]),
    skipped: (row) => found.push([row]),
    member: () => undefined,
  });
  try {
    for (let from = 0; from < bytes.length; from += size) {
      reader.push(bytes.subarray(from, from + size));
    }
    reader.end();
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    found.push('unreadable');
  }
  return found;
}

const rfc4180 = dialectOf({});
const plainly: Read = (columns, handler) => csvRows(rfc4180, columns, {}, handler);
const leniently: Read = (columns, handler) =>
  csvRows(rfc4180, columns, { quotes: 'lenient' }, handler);
/** A separator of two bytes, which needs the slower comparison. */
const widely: Read = (columns, handler) =>
  csvRows(dialectOf({ separator: '§' }), columns, {}, handler);

const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 3 }),
  fc.constantFrom('"', ',', '\n', '\r\n', 'é', '😀', ' ', '\t', 'null'),
);
const cell = fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(''));

function written(text: string, quoted: boolean): string {
  return quoted || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const file = fc
  .record({
    rows: fc.array(fc.array(fc.tuple(cell, fc.boolean()), { minLength: 1, maxLength: 4 }), {
      maxLength: 6,
    }),
    lineBreak: fc.constantFrom('\n', '\r\n'),
    last: fc.boolean(),
    mark: fc.boolean(),
  })
  .map(({ rows, lineBreak, last, mark }) => {
    const lines = rows.map((cells) => cells.map(([text, own]) => written(text, own)).join(','));
    const text = ['c0,c1,c2', ...lines].join(lineBreak);
    return `${mark ? '\ufeff' : ''}${text}${last ? lineBreak : ''}`;
  });

t.test('all notations return the same for random files of RFC 4180', async (t) => {
  fc.assert(
    fc.property(file, fc.integer({ min: 1, max: 64 }), (text, size) => {
      const bytes = Buffer.from(text);
      const expected = events(plainly, bytes, bytes.length, 3);
      assert.deepEqual(events(plainly, bytes, size, 3), expected);
      assert.deepEqual(events(leniently, bytes, size, 3), expected);
    }),
    { numRuns: 2_000 },
  );
  t.pass('in every case');
});

t.test('a separator of several bytes', async (t) => {
  const text = 'c0§c1§c2\n1§"a§b"§£2\n"x""y"§§\n';
  const expected = [
    [1, '1', 'a§b', '£2'],
    [2, 'x"y', undefined, undefined],
  ];
  for (const size of [1, 2, 3, 100]) {
    t.strictSame(events(widely, Buffer.from(text), size, 3), expected);
  }
});

t.test('other dialects', async (t) => {
  const cells = (text: string, options: Parameters<typeof dialectOf>[0]) =>
    events(
      (columns, handler) => csvRows(dialectOf(options), columns, {}, handler),
      Buffer.from(text),
      5,
      2,
    );
  const expected = [
    [1, 'a;b', "it's"],
    [2, 'x', '1,5'],
  ];
  t.strictSame(cells("p;q\n'a;b';'it''s'\nx;1,5\n", { separator: ';', quote: "'" }), expected);
  t.strictSame(cells('p;q\r"a;b";it\'s\rx;1,5', { separator: ';' }), expected, 'lone CR');
  const escaped = cells('p\tq\n"say \\"hi\\"\tyou"\t2\n', { separator: '\t', escape: '\\' });
  t.strictSame(escaped, [[1, 'say "hi"\tyou', '2']]);
  t.strictSame(cells('# none\np;q\n#no;\n1;#2\n', { separator: ';', comment: '#' }), [
    [1, '1', '#2'],
  ]);
  t.strictSame(cells('p;q\n"a;b"\n', { separator: ';', quote: '' }), [[1, '"a', 'b"']]);
});

t.test('unreadable rows are limited and have a place', async (t) => {
  const options = { separator: ';' };
  const fault = (text: string | (() => Iterable<string>)) => {
    const handler = { row() {}, fault() {}, skipped() {}, member() {} };
    const reader = csvRows(dialectOf(options), columnsOf(2), {}, handler);
    try {
      for (const part of typeof text === 'string' ? [text] : text()) reader.push(Buffer.from(part));
      reader.end();
    } catch (error) {
      if (error instanceof UnreadableFile) {
        return { ...error.fault, reason: error.fault.reason.sentence };
      }
      throw error;
    }
    return null;
  };
  const code = 'INVALID_PAYLOAD';
  t.match(fault('p;q\n1;2\n3;a"b\n'), {
    code,
    reason: /A cell contains a quote/,
    place: { line: 3, column: 4 },
  });
  t.match(fault('p;q\n\n1;"2\n\n3;"4"\n'), {
    code,
    reason: /row begins on this line/,
    place: { line: 3, column: 1 },
  });
  t.match(fault('p;q\n1;2\n\n3;"4\n5;6\n'), {
    reason: /not closed/,
    place: { line: 4, column: 3 },
  });
  t.match(fault('p;q\n1;"2"x\n'), {
    code,
    reason: /After the closing/,
    place: { line: 2, column: 6 },
  });
  t.match(fault('p;q\n1;2\n1;"open\n\n'), { code, reason: /not closed/, place: { line: 3 } });
  const endless = (text: string) =>
    function* () {
      yield 'p;q\n1;"';
      for (let count = 0; count < 1_000; count += 1) yield text.repeat(65_536 / text.length);
      throw new Error('it is never refused');
    };
  t.match(fault(endless('x')), { code, reason: /more than 16777216 bytes/, place: { line: 2 } });
  const wide = function* () {
    yield 'p;q\n1;2\n';
    for (let count = 0; count < 100; count += 1) yield ';'.repeat(65_536);
    throw new Error('it is never refused');
  };
  t.match(fault(wide), { code, reason: /more than 1600 cells/, place: { line: 3 } });
  t.match(fault(endless('\n')), { code, reason: /more than 16777216 bytes/, place: { line: 2 } });
});

t.test('quotes that break RFC 4180 may be text', async (t) => {
  const text = [
    'c0,c1',
    '5" pipe,a"b',
    '"say "hi" now",x',
    '"a" b,y',
    '"said "hi"",z',
    '"a ""b""","c\nd"',
    '"open,w',
    '',
  ].join('\n');
  const expected = [
    [1, '5" pipe', 'a"b'],
    [2, 'say "hi" now', 'x'],
    [3, '"a" b', 'y'],
    [4, 'said "hi"', 'z'],
    [5, 'a "b"', 'c\nd'],
    [6, '"open', 'w'],
  ];
  for (const size of [1, 5, 1_000]) {
    t.strictSame(events(leniently, Buffer.from(text), size, 2), expected, `pieces of ${size}`);
  }
});

t.test('short rows may be filled with empty cells', async (t) => {
  const read: Read = (columns, handler) => csvRows(rfc4180, columns, { ragged: 'pad' }, handler);
  const found = events(read, Buffer.from('a,b,c\n1\n1,2,3,,\n1,2,3,4\n\n,\n'), 4, 3);
  t.match(found, [
    [1, '1', undefined, undefined],
    [2, '1', '2', '3'],
    [3, { code: 'row_cells_differ_from_header' }, 4],
    [4],
  ]);
});

t.test('reading goes on after malformed rows, and reports their text', async (t) => {
  const skipping: Read = (columns, handler) =>
    csvRows(rfc4180, columns, { onError: 'skip' }, handler);
  const cases: readonly [string, string, unknown[]][] = [
    ['stray text after a quote', '1,"b"x\n2,b\n', ['1,"b"x', [2, '2', 'b']]],
    ['two of them', '1,"b"x\n"2"y,b\n3,c\n', ['1,"b"x', '"2"y,b', [3, '3', 'c']]],
    ['an unclosed quote', '1,"b\n2,c\n3,"d"\n', ['1,"b', [2, '2', 'c'], [3, '3', 'd']]],
    ['an unclosed quote up to the end', '1,"b\n2,c\n', ['1,"b', [2, '2', 'c']]],
    ['line breaks in quotes', '1,"b\n\nc"x\n2,d\n', ['1,"b\n\nc"x', [2, '2', 'd']]],
    ['the last row', '1,b\n2,c"', [[1, '1', 'b'], '2,c"']],
    ['other line ends', '1,b"\r\n2,c\r\n', ['1,b"', [2, '2', 'c']]],
  ];
  for (const [what, rows, expected] of cases) {
    for (const size of [1, 7, 1_000]) {
      const found: unknown[] = [];
      const known = columnsOf(2);
      const reader = skipping(known, {
        row: (row) => found.push([row.number, ...known.map((_, place) => row.value(place))]),
        fault: (_, source) => found.push(source),
        skipped: () => undefined,
        member: () => undefined,
      });
      const bytes = Buffer.from(`a,b\n${rows}`);
      for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
      reader.end();
      t.strictSame(found, expected, `${what}, pieces of ${size}`);
    }
  }
});

t.test('a file that is malformed everywhere is read to its end', async (t) => {
  let faults = 0;
  const handler = { row() {}, skipped() {}, member() {}, fault: () => (faults += 1) };
  const reader = csvRows(rfc4180, columnsOf(2), { onError: 'skip' }, handler);
  reader.push(Buffer.from(`a,b\n${'1,2,"3"x,"\n'.repeat(20_000)}`));
  reader.end();
  t.ok(faults > 0);
});
