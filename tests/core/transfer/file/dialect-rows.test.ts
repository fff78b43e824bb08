// @newest @quick

import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { dialectOf } from '#core/transfer/file/csv-dialect.ts';
import { csvHeader, csvRows } from '#core/transfer/file/csv-rows.ts';
import { dialectHeader, dialectRows } from '#core/transfer/file/dialect-rows.ts';
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
const bySscanner: Read = (columns, handler) => csvRows(columns, {}, handler);
const byLibrary: Read = (columns, handler) => dialectRows(rfc4180, columns, {}, handler);

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

t.test('both parsers return the same for random files of RFC 4180', async (t) => {
  fc.assert(
    fc.property(file, fc.integer({ min: 1, max: 64 }), (text, size) => {
      const bytes = Buffer.from(text);
      const expected = events(bySscanner, bytes, bytes.length, 3);
      assert.deepEqual(events(bySscanner, bytes, size, 3), expected);
      assert.deepEqual(events(byLibrary, bytes, size, 3), expected);
    }),
    { numRuns: 2_000 },
  );
  t.pass('in every case');
});

async function* pieces(text: string) {
  yield Buffer.from(text);
}

t.test('both parsers find the same names', async (t) => {
  const text = '\n\ufeffa,é😀,d\n1,2,3\n'.slice(1);
  t.strictSame(
    await dialectHeader(rfc4180, pieces(text)),
    await csvHeader(pieces(text)),
    'with their places',
  );
});

t.test('other dialects', async (t) => {
  const cells = (text: string, options: Parameters<typeof dialectOf>[0]) =>
    events(
      (columns, handler) => dialectRows(dialectOf(options), columns, {}, handler),
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
    const reader = dialectRows(dialectOf(options), columnsOf(2), {}, handler);
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
    place: { line: 4, column: 1 },
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
