// @newest @quick

import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { JSON_MAX_DEPTH } from '#core/base/json/json-bounds.ts';
import { parseStrictJson } from '#core/base/json/strict-json.ts';

function reasonOf(text: string | Uint8Array): unknown {
  try {
    parseStrictJson(typeof text === 'string' ? Buffer.from(text) : text);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_PAYLOAD') {
      return error.details.reason?.sentence;
    }
    throw error;
  }
  return null;
}

t.test('reads the output of JSON.stringify', async () => {
  fc.assert(
    fc.property(
      fc.json().filter((text) => !text.includes('__proto__')),
      (text) => {
        assert.deepEqual(parseStrictJson(Buffer.from(text)), JSON.parse(text));
      },
    ),
    { numRuns: 200 },
  );
});

t.test('a syntax error names its place', async (t) => {
  t.match(reasonOf('{"a":1,}'), /position 7 \(line 1 column 8\)\.$/);
  t.match(reasonOf('{"a": }'), /position 6 \(line 1 column 7\)\.$/);
  t.match(reasonOf('{"a": x}'), /position 6 \(line 1 column 7\)\.$/);
  t.match(reasonOf('[1,\n2,\n oops]'), /position 8 \(line 3 column 2\)\.$/);
  t.match(reasonOf('x'), /position 0 \(line 1 column 1\)\.$/);
  t.match(reasonOf('{"a":1} x'), /position 8 \(line 1 column 9\)\.$/);
  t.match(reasonOf('{"a":tru3}'), /position 8 \(line 1 column 9\)\.$/);
  t.match(reasonOf('{"a":1'), /position 6|end of JSON input/);
  t.match(reasonOf('"\n"'), /position 1/);
});

t.test('every cut-off or changed text is either read or refused, never worse', async () => {
  const text = '{"a":[1,-2.5e3,true,null,"x\\u00e9\\n"],"b":{"c":{}}}';
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.string({ maxLength: 3 }), (at, extra) => {
      const broken = text.slice(0, at) + extra + text.slice(at + 1);
      const reason = reasonOf(broken);
      return reason === null || typeof reason === 'string';
    }),
    { numRuns: 500 },
  );
});

t.test('only UTF-8', async (t) => {
  t.match(reasonOf(Uint8Array.of(0x22, 0xff, 0x22)), /UTF-8/);
  t.equal(parseStrictJson(Buffer.from('\ufeff"x"')), 'x', 'a byte order mark is ignored');
});

t.test('nesting has a bound, brackets in strings do not count', async (t) => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  t.equal(reasonOf(nested(JSON_MAX_DEPTH)), null);
  t.match(reasonOf(nested(JSON_MAX_DEPTH + 1)), /256 levels/);
  t.match(reasonOf('{"a":'.repeat(100_000)), /256 levels/);
  t.equal(reasonOf(JSON.stringify([`"${'['.repeat(1_000)}\\`])), null);
  t.equal(reasonOf(`[${'[],'.repeat(1_000)}1]`), null);
  const string = fc.string({ unit: fc.constantFrom('"', '\\', '[', '}', 'x'), maxLength: 300 });
  fc.assert(
    fc.property(fc.array(string, { maxLength: 3 }), (strings) => {
      const inner = JSON.stringify(strings);
      const within = (depth: number) => reasonOf('['.repeat(depth) + inner + ']'.repeat(depth));
      assert.equal(within(JSON_MAX_DEPTH - 1), null);
      assert.match(String(within(JSON_MAX_DEPTH)), /256 levels/);
    }),
    { numRuns: 300 },
  );
});

t.test('no member is named __proto__', async (t) => {
  for (const text of [
    '{"__proto__":{"admin":true}}',
    '[{"a":{"__proto__" : 1}}]',
    '{"\\u005f_proto__":1}',
    '{"__\\u0070\\u0072\\u006f\\u0074\\u006F__":1}',
  ]) {
    t.match(reasonOf(text), /__proto__/, text);
  }
  t.strictSame(parseStrictJson(Buffer.from('{"a":"__proto__"}')), { a: '__proto__' });
  t.strictSame(parseStrictJson(Buffer.from('{"a":"\\"__proto__\\":"}')), { a: '"__proto__":' });
  t.equal(reasonOf('{"constructor":1,"proto":2}'), null);
});

t.test('numbers that would become others are refused, with their place', async (t) => {
  const lost = [
    ...['1e400', '-1e400', '1E+400', '1e99999', `1${'0'.repeat(140_000)}`, `${'9'.repeat(310)}.5`],
    ...['9007199254740993', '-9007199254740993', '12345678901234567890', `1${'0'.repeat(25)}1`],
    ...['1e-400', '0.1e-999', `0.${'0'.repeat(400)}1`],
  ];
  for (const number of lost) {
    for (const [before, after] of [
      ['', ''],
      ['{"doc":{"a":', '}}'],
      ['[{"t":"\\"1","n":[ ', '\n]}]'],
      ['{"a":1,"b":-2.5e3,"c":"', '"}'],
    ] as const) {
      const text = `${before}${number}${after}`;
      const isText = after === '"}';
      const shown = number.length > 40 ? number.slice(0, 40) : number;
      const reason = reasonOf(text);
      if (isText) t.equal(reason, null, 'in a text it is none');
      else t.match(reason, `The number ${shown}`, text.slice(0, 60));
      if (!isText) t.match(reason, ` at position ${before.length} is beyond the exact range`);
    }
  }
  const kept = [
    ...['0', '-0', '0.0', '0e5', '0.000e-999', '1e308', '6.02214076e23', '1e-300', '5e-324'],
    ...['9007199254740991', '9007199254740992', '-9007199254740992', '123456789012345680000'],
    ...[`1${'0'.repeat(25)}`, '0.1234567890123456789', '3.141592653589793238', '12345678901234.5'],
  ];
  for (const number of kept) t.equal(reasonOf(`{"a":[${number}]}`), null, number);
});
