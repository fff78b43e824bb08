// @newest @quick

import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import {
  JsonNumber,
  JsonSyntaxError,
  parseExactJson,
  parseExactly,
  writeExactJson,
} from '#core/base/json/exact-json.ts';

function faultAt(text: string): number | null {
  try {
    parseExactJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.position;
    throw error;
  }
  return null;
}

t.test('numbers keep their digits', async (t) => {
  const text = '{"a":12345678901234567890,"b":[0.1234567890123456789,1e400,-0],"c":"1e5"}';
  t.equal(writeExactJson(parseExactJson(text)), text);
  t.strictSame(parseExactJson('{"a":1.5}'), { a: 1.5 }, 'short ones are parsed as usual');
});

t.test('members named like parts of a prototype are members', async (t) => {
  const parsed = parseExactly('{"__proto__":{"x":1},"constructor":2}');
  t.equal(writeExactJson(parsed), '{"__proto__":{"x":1},"constructor":2}');
  t.equal(Object.hasOwn(Object.prototype, 'x'), false);
});

t.test('a fault has its exact place', async (t) => {
  t.equal(faultAt('{"a":}'), 5);
  t.equal(faultAt('{"a":1,}'), 7);
  t.equal(faultAt('{a:1}'), 1);
  t.equal(faultAt('{"a" 1}'), 5);
  t.equal(faultAt('[1 2]'), 3);
  t.equal(faultAt('{"a":01}'), 6);
  t.equal(faultAt('"a\nb"'), 2);
  t.equal(faultAt('"a\\x"'), 2);
  t.equal(faultAt('"abc'), 4);
  t.equal(faultAt('{"a":tru}'), 5);
  t.equal(faultAt(''), 0);
  t.equal(faultAt('1 1'), 2);
  t.type(faultAt('['.repeat(100_000)), 'number', 'at any depth');
});

t.test('the result is the same as that of JSON.parse', async (t) => {
  const plain = (value: unknown): unknown => {
    if (value instanceof JsonNumber) return Number(value.source);
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
  };
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 2, '\t'), (json, indent) => {
      const text = JSON.stringify(JSON.parse(json), null, indent);
      assert.deepEqual(plain(parseExactly(text)), JSON.parse(text));
      assert.deepEqual(JSON.parse(writeExactJson(parseExactly(text))), JSON.parse(text));
    }),
    { numRuns: 300 },
  );
  fc.assert(
    fc.property(fc.stringMatching(/^[[\]{}",:0-9a-e\\ .tru-]{0,12}$/), (text) => {
      let parses = true;
      try {
        JSON.parse(text);
      } catch {
        parses = false;
      }
      assert.equal(faultAt(text) === null, parses, text);
    }),
    { numRuns: 1_000 },
  );
  t.pass('in every case');
});
