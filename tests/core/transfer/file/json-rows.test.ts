// @newest @quick

import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { textChecker } from '#core/model/values/check-value.ts';
import { looksLikeNumber } from '#core/model/values/number.ts';
import { MisplacedValue } from '#core/transfer/file/cell-text.ts';
import { CopyText } from '#core/transfer/file/copy-text.ts';
import type { FileColumn } from '#core/transfer/file/file-column.ts';
import { FlatObject } from '#core/transfer/file/flat-object.ts';
import { IgnoredValues } from '#core/transfer/file/ignored-columns.ts';
import { jsonRows } from '#core/transfer/file/json-rows.ts';
import { UnreadableFile } from '#core/transfer/file/row-fault.ts';
import type { Row } from '#core/transfer/file/row-reader.ts';
import { looksLikeBoolean, looksLikeWhole } from '#core/transfer/file/spelling.ts';
import { columnDescriptor } from '#tests/harness/descriptor.ts';

type Type = FileColumn['field']['type'];

function column(name: string, type: Type, typeName: string): FileColumn {
  const column = columnDescriptor(name, typeName);
  const field = { name, type, column, special: [], codec: null, meta: null };
  const usual: Partial<Record<Type, FileColumn['isUsual']>> = {
    integer: looksLikeWhole,
    decimal: looksLikeNumber,
    boolean: looksLikeBoolean,
  };
  const isNumber = type === 'integer' || type === 'decimal';
  const check = isNumber ? textChecker(field) : null;
  const known = { name, cell: 0, field, check, isUsual: usual[type] ?? null };
  return {
    ...known,
    form: type === 'json' ? 'json' : 'plain',
    masked: name === 'masked',
    links: null,
    path: null,
  };
}

const columns = [
  column('text', 'text', 'text'),
  column('whole', 'integer', 'int4'),
  column('decimal', 'decimal', 'numeric'),
  column('yes', 'boolean', 'bool'),
  column('json', 'json', 'jsonb'),
  column('masked', 'string', 'text'),
];

/** All that a reader tells of the rows of a file. */
function told(format: 'json' | 'ndjson', text: string) {
  const found: unknown[] = [];
  const ignored = new IgnoredValues();
  const attempt = (read: () => unknown) => {
    try {
      return read();
    } catch (error) {
      assert.ok(error instanceof MisplacedValue, String(error));
      return error.reason.sentence;
    }
  };
  const options = {
    ...{ format, columns, parameters: {}, ignored },
    fieldNamed: (name: string) => (name.startsWith('x') ? null : name),
  };
  const written = (row: Row, place: number) => {
    const out = new CopyText();
    const has = attempt(() => row.write(place, out));
    return [has, out.take().toString()];
  };
  const reader = jsonRows(options, {
    row(row) {
      found.push(
        ...columns.map((_, place) => [
          attempt(() => row.value(place)),
          written(row, place),
          row.written(place),
          row.integer(place),
        ]),
      );
    },
    fault: ({ reason }) => found.push(reason.sentence),
    skipped: () => undefined,
    member: (name) => found.push(`no column ${name}`),
  });
  try {
    reader.push(Buffer.from(text));
    reader.end();
  } catch (error) {
    assert.ok(error instanceof UnreadableFile, String(error));
    found.push(error.fault.reason.sentence);
  }
  ignored.counts.delete('x-nested');
  return { found, ignored: [...ignored.counts] };
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('**********', '7', 'true', '\\', '\t', '"', '\u2028', '\ud800', '\u0000', ''),
);
const number = fc.oneof(
  fc.constantFrom('0', '-0', '7', '-12', '1.5', '1.50', '0.000001', '0.0000001', '-0.5', '3.0'),
  fc.integer().map(String),
  fc.integer({ min: -999_999, max: 999_999 }).map((value) => String(value / 1_000)),
);
const value = fc.oneof(
  text.map((one) => JSON.stringify(one)),
  number,
  fc.constantFrom('null', 'true', 'false', '"\\u0041"', '"\\/"'),
  // Malformed ones.
  fc.constantFrom('01', '1.', '.5', '-', '+1', 'nul', '"\\x"', '"\u0001"', '"\\u12"', 'True', ''),
);
const name = fc.constantFrom(...columns.map(({ name }) => name), 'x', 'x1', 'unknown', 'té');
const space = fc.constantFrom('', ' ', '\t', '\r');
const object = fc
  .array(fc.tuple(name, value, space), { maxLength: 7 })
  .map((members) =>
    members.map(([name, value, space]) => `${space}"${name}"${space}:${space}${value}`).join(','),
  );

/** A member that only a parser reads, and that no column takes. */
const NESTED = '"x-nested":[]';

t.test('objects are read as by a parser', async (t) => {
  let parsed = 0;
  fc.assert(
    fc.property(fc.array(object, { minLength: 1, maxLength: 3 }), (objects) => {
      const rows = objects.map((members) => `{${members}}`);
      const nested = objects.map((members) => `{${NESTED}${members && `,${members}`}}`);
      for (const one of rows) {
        const bytes = Buffer.from(one);
        if (new FlatObject().read(bytes, 0, bytes.length) < 0) parsed += 1;
        else assert.doesNotThrow(() => JSON.parse(one), `only JSON is accepted: ${one}`);
      }
      assert.deepEqual(told('ndjson', rows.join('\n')), told('ndjson', nested.join('\n')));
      assert.deepEqual(told('json', `[${rows.join()}]`), told('json', `[${nested.join()}]`));
    }),
    { numRuns: 1_000 },
  );
  t.ok(parsed > 0, 'some objects are left to the parser');
});

t.test('bytes that only look like an object are left to the parser', async (t) => {
  const flat = new FlatObject();
  const read = (text: string) => flat.read(Buffer.from(text), 0, Buffer.byteLength(text));
  t.equal(read('{"a":1}'), 7);
  t.equal(read('{ }'), 3);
  t.equal(read('{"a" : "b" , "c":null}x'), 22);
  for (const text of ['{', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '{,}', '{a:1}', '[]'])
    t.equal(read(text), -1, text);
  for (const text of [
    '{"a":{}}',
    '{"a":[]}',
    '{"a":1e5}',
    '{"\\u0061":1}',
    '{"a":1234567890123456}',
  ])
    t.equal(read(text), -1, text);
  t.equal(read(`{"${'n'.repeat(254)}":1}`), 260);
  t.equal(read(`{"${'n'.repeat(255)}":1}`), -1, 'names are remembered, so they are bounded');
  for (const text of ['{"a":00}', '{"a":-}', '{"a":1.}', '{"a":tru}', '{"a":"\n"}', '{"a":"\\q"}'])
    t.equal(read(text), -1, text);
});

t.test('a text that is not UTF-8 is rejected', async (t) => {
  const bad = Buffer.concat([Buffer.from('{"text":"'), Buffer.from([0xc3]), Buffer.from('"}')]);
  const found: string[] = [];
  const ignore = () => undefined;
  const handler = { row: () => found.push('row'), skipped: ignore, member: ignore };
  const fault = ({ reason }: { reason: { sentence: string } }) => found.push(reason.sentence);
  const options = { columns, parameters: {}, fieldNamed: (name: string) => name };
  jsonRows({ ...options, format: 'ndjson' }, { ...handler, fault }).push(
    Buffer.concat([bad, Buffer.from('\n')]),
  );
  t.match(found, [/UTF-8/]);
  const file = jsonRows({ ...options, format: 'json' }, { ...handler, fault });
  t.throws(() => file.push(Buffer.concat([Buffer.from('['), bad, Buffer.from(']')])), /UTF-8/);
});
