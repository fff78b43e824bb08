// @newest @quick

import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { reason } from '#core/base/errors/reason.ts';
import { dialectOf } from '#core/transfer/file/csv-dialect.ts';
import { type CsvHandler, CsvScanner } from '#core/transfer/file/csv-scanner.ts';
import { UnreadableFile } from '#core/transfer/file/row-fault.ts';

const BOUND = { cells: 500, reason: reason('row_has_too_many_cells', { columnsMax: 500 }) };

/** The rows of a file in the given chunks. */
function scan(...pieces: readonly Buffer[]): string[][] {
  const rows: string[][] = [];
  const handler: CsvHandler = {
    record: (record) => {
      rows.push(Array.from({ length: record.count }, (_, cell) => record.text(cell)));
    },
    badEncoding: () => rows.push(['not UTF-8']),
  };
  const scanner = new CsvScanner(handler, BOUND);
  for (const piece of pieces) scanner.push(piece);
  scanner.end();
  return rows;
}

function rows(text: string): string[][] {
  return scan(Buffer.from(text));
}

function fault(text: string) {
  try {
    rows(text);
  } catch (error) {
    if (error instanceof UnreadableFile) return error.fault;
    throw error;
  }
  throw new Error('the text is well formed');
}

t.test('cells are separated', async (t) => {
  t.strictSame(rows('a,b\n1,2\n'), [
    ['a', 'b'],
    ['1', '2'],
  ]);
  t.strictSame(rows('a,b\r\n1,2'), rows('a,b\n1,2\n'), 'line ends of every kind');
  t.strictSame(rows('a,b\r1,2\r'), rows('a,b\n1,2\n'));
  t.strictSame(rows('\ufeffa\nx'), [['a'], ['x']], 'a byte order mark is not part of the text');
  t.strictSame(rows('"a ""b""","c\r\nd",\n'), [['a "b"', 'c\r\nd', '']]);
  t.strictSame(rows('""\n""""\n'), [[''], ['"']]);
  t.strictSame(rows(',\n'), [['', '']]);
  t.strictSame(rows(''), []);
  t.strictSame(rows('a\n\n\r\nb\n\n'), [['a'], ['b']], 'blank lines are skipped');
  t.strictSame(rows('"a"'), [['a']], 'a quote may end the file');
  t.strictSame(rows(Array(500).fill('x').join(',')), [Array(500).fill('x')]);
});

t.test('a malformed file is rejected with the place', async (t) => {
  t.match(fault('a,b\n1,2"3\n'), { code: 'INVALID_PAYLOAD', place: { line: 2, column: 4 } });
  t.match(fault('a\n"x"y\n'), { place: { line: 2, column: 4 } });
  t.match(fault('a\nb\n "x"\n'), { place: { line: 3, column: 2 } });
  t.match(fault('a\n"x\ny'), { place: { line: 2, column: 1 } });
  t.match(fault('é,é"\n'), { place: { line: 1, column: 4 } }, 'columns are characters');
  t.match(fault('"1\n2\n3",x\n"4"5\n'), { place: { line: 4, column: 4 } });
  t.match(fault('a\n"1\n2",3"\n'), { place: { line: 2, column: 1 } }, 'where the row begins');
});

t.test('invalid UTF-8 affects only its row', async (t) => {
  const bytes = Buffer.concat([Buffer.from('a\n'), Buffer.from([0xff]), Buffer.from('\nb\n')]);
  t.strictSame(scan(bytes), [['a'], ['not UTF-8'], ['b']]);
});

t.test('an endless row is rejected before it fills the memory', async (t) => {
  const handler = { record: () => undefined, badEncoding: () => undefined };
  const scanner = new CsvScanner(handler, BOUND);
  const piece = Buffer.alloc(1024 * 1024, 'x');
  scanner.push(Buffer.from('"'));
  t.throws(
    () => {
      for (let n = 0; n < 40; n += 1) scanner.push(piece);
    },
    { message: /16777216 bytes/ },
  );
});

t.test('a row of too many cells is rejected as early as possible', async (t) => {
  const handler = { record: () => undefined, badEncoding: () => undefined };
  const wide = Buffer.from(`a\n${'x,'.repeat(499)}`);
  for (const rest of [',', 'x,', '"x",']) {
    const scanner = new CsvScanner(handler, BOUND);
    scanner.push(wide);
    t.throws(() => scanner.push(Buffer.from(rest.repeat(2_000))), {
      message: /more than 500 cells/,
    });
  }
});

const cell = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom('', '"', ',', '\n', '\r\n', 'é😀'),
);

/** Writes rows according to RFC 4180. */
function write(table: readonly string[][], end: string): string {
  const quoted = (text: string) =>
    /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  return table.map((row) => row.map(quoted).join(',') + end).join('');
}

t.test('written cells are parsed again, for any chunk boundaries', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      (table, end) => {
        const bytes = Buffer.from(write(table, end));
        const whole = scan(bytes);
        assert.deepEqual(whole, table);
        for (let cut = 0; cut <= bytes.length; cut += 1) {
          assert.deepEqual(scan(bytes.subarray(0, cut), bytes.subarray(cut)), table);
        }
        assert.deepEqual(scan(...Array.from(bytes, (byte) => Buffer.from([byte]))), table);
      },
    ),
    { numRuns: 60 },
  );
  t.pass('in every case');
});

t.test('places are the same for any chunk boundaries', async (t) => {
  const bytes = Buffer.from('\ufeffa,é\r\n"x\n""y",1\r\n\r\nb,"2"3\n');
  const placeOf = (...pieces: readonly Buffer[]) => {
    try {
      scan(...pieces);
    } catch (error) {
      if (error instanceof UnreadableFile) return error.fault.place;
    }
    return null;
  };
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const place = placeOf(bytes.subarray(0, cut), bytes.subarray(cut));
    t.strictSame(place, { line: 5, column: 6 }, `cut at ${cut}`);
  }
});

t.test('long lines of stray quotes and of blank lines do not take quadratic time', async (t) => {
  const read = (text: string, isLenient: boolean) => {
    let records = 0;
    const texts: string[] = [];
    const handler: CsvHandler = {
      record: () => {
        records += 1;
      },
      badEncoding: () => undefined,
      malformed: (_, source) => texts.push(source),
    };
    const dialect = dialectOf({});
    const scanner = new CsvScanner(handler, { ...BOUND, cells: 1_600 }, { dialect, isLenient });
    scanner.push(Buffer.from(text));
    scanner.end();
    return { records, texts };
  };
  const stray = `${'"a,'.repeat(1_500)}${'x'.repeat(4_000_000)}`;
  t.equal(read(`a,b\n${stray}\n`, true).records, 2);
  const blank = `"x"y,1${'\n'.repeat(400_000)}z`;
  t.strictSame(read(`a,b\n${blank}\n\nq,w\n`, false), { records: 2, texts: [blank] });
});
