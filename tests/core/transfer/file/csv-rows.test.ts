// @newest @quick

import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { CopyText } from '#core/transfer/file/copy-text.ts';
import { dialectOf } from '#core/transfer/file/csv-dialect.ts';
import { csvHeader, csvRows } from '#core/transfer/file/csv-rows.ts';
import type { FileColumn, ValueForm } from '#core/transfer/file/file-column.ts';
import type { RowHandler } from '#core/transfer/file/row-reader.ts';
import { columnDescriptor } from '#tests/harness/descriptor.ts';

const FORMS: readonly ValueForm[] = ['plain', 'json', 'array', 'list'];

function column(form: ValueForm, cell: number): FileColumn {
  const column = columnDescriptor(form, 'text');
  const masked = false;
  return {
    name: form,
    form,
    cell,
    masked,
    check: null,
    isUsual: null,
    links: null,
    path: null,
    field: { name: form, type: 'text', column, special: [], codec: null, meta: null },
  };
}

const columns = FORMS.map(column);

function read(text: string, handler: Partial<RowHandler>): void {
  const ignore = () => undefined;
  const all = { row: ignore, fault: ignore, skipped: ignore, member: ignore, ...handler };
  const reader = csvRows(dialectOf({}), columns, {}, all);
  reader.push(Buffer.from(text));
  reader.end();
}

const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 4 }),
  fc.constantFrom('null', 'true', ' ', '"', '[1,"a"]', '{"a":1}', '\\', '\t', '\n', '\r', ',', '7'),
);
const cell = fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(''));

t.test('the written bytes match the value', async (t) => {
  fc.assert(
    fc.property(fc.array(cell, { minLength: 4, maxLength: 4 }), fc.boolean(), (cells, bare) => {
      const plain = bare && cells.every((text) => !/[",\r\n]/.test(text));
      const line = cells
        .map((text) => (plain ? text : `"${text.replaceAll('"', '""')}"`))
        .join(',');
      read(`a,b,c,d\n${line}\n`, {
        row(row) {
          for (const [place, text] of cells.entries()) {
            const [fast, slow] = [new CopyText(), new CopyText()];
            const value = row.value(place);
            assert.equal(row.write(place, fast), value !== undefined);
            assert.equal(value === undefined, text === '');
            if (value === null) slow.null();
            else if (value !== undefined) slow.text(value);
            assert.equal(fast.take().toString(), slow.take().toString());
          }
        },
      });
    }),
    { numRuns: 2_000 },
  );
  t.pass('in every case');
});

t.test('integers are parsed directly', async (t) => {
  const found: number[] = [];
  const line = '12,"345",-1,1234567890123456';
  read(`a,b,c,d\n${line}\n`, {
    row: (row) => found.push(...columns.map((_, place) => row.integer(place))),
  });
  t.strictSame(found, [12, 345, Number.NaN, Number.NaN]);
});

t.test('rows are numbered in any case', async (t) => {
  const events: string[] = [];
  read('a,b,c,d\n1,2,3,4\n\n,,,\n1,2\n5,6,7,8\n', {
    row: (row) => events.push(`row ${row.number}`),
    skipped: (row) => events.push(`skipped ${row}`),
    fault: ({ row, place }) => events.push(`fault ${row} on line ${place?.line}`),
  });
  t.strictSame(events, ['row 1', 'skipped 2', 'fault 3 on line 5', 'row 4']);
});

async function* file(text: string) {
  yield Buffer.from(text);
}

t.test('each name of the header has its place', async (t) => {
  t.strictSame(await csvHeader(dialectOf({}), {}, file('\ufeffa,"b\nc",é😀,d,"e"\n1')), [
    { name: 'a', line: 1, column: 1 },
    { name: 'b\nc', line: 1, column: 4 },
    { name: 'é😀', line: 2, column: 4 },
    { name: 'd', line: 2, column: 7 },
    { name: 'e', line: 2, column: 10 },
  ]);
  t.equal(await csvHeader(dialectOf({}), {}, file('')), null);
});

t.test('a row of more cells than a table has columns is rejected before its end', async (t) => {
  t.throws(() => read(`a,b\n1,2\n${','.repeat(1_600)}`, {}), {
    name: 'UnreadableFile',
    message: /^A row has more than 1600 cells/,
  });
});

t.test('a header of more names than a table has columns is rejected as such', async (t) => {
  const names = Array.from({ length: 1_600 }, (_, index) => `c${index}`).join(',');
  t.equal((await csvHeader(dialectOf({}), {}, file(names)))?.length, 1_600);
  for (const text of [`${names},x\n1`, ','.repeat(1_000_000), `${'x,'.repeat(1_000_000)}x\n`]) {
    await t.rejects(csvHeader(dialectOf({}), {}, file(text)), {
      name: 'UnreadableFile',
      fault: {
        ...{ code: 'INVALID_PAYLOAD', place: { line: 1 } },
        reason: { code: 'header_has_too_many_columns', parameters: { columnsMax: 1_600 } },
      },
    });
  }
});
