// @newest @quick

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import * as v from 'valibot';
import { applyDifferences, difference, differences } from '#core/schema/json-difference.ts';

t.test('differences have the form that clients know', async (t) => {
  t.strictSame(differences({ a: 1, b: [1, 2], c: null }, { a: 2, b: [1, 2, 3], d: { e: 1 } }), [
    { kind: 'E', path: ['a'], lhs: 1, rhs: 2 },
    { kind: 'A', path: ['b'], index: 2, item: { kind: 'N', rhs: 3 } },
    { kind: 'D', path: ['c'], lhs: null },
    { kind: 'N', path: ['d'], rhs: { e: 1 } },
  ]);
  t.strictSame(differences([1, 2, 3], [1]), [
    { kind: 'A', index: 2, item: { kind: 'D', lhs: 3 } },
    { kind: 'A', index: 1, item: { kind: 'D', lhs: 2 } },
  ]);
  t.strictSame(differences([1, { a: 1 }], [1, { a: 2 }]), [
    { kind: 'E', path: [1, 'a'], lhs: 1, rhs: 2 },
  ]);
  t.strictSame(differences({ a: null }, { a: {} }), [
    { kind: 'E', path: ['a'], lhs: null, rhs: {} },
  ]);
  t.strictSame(differences({ a: 1, b: 2 }, { b: 2, a: 1 }), [], 'order does not count');
});

t.test('whatever differs can be put in again, after a journey as JSON', async (t) => {
  const json = fc
    .jsonValue({ noUnicodeString: false, maxDepth: 4 })
    .filter((value) => !JSON.stringify(value).includes('__proto__'));
  fc.assert(
    fc.property(json, json, (before, after) => {
      // JSON knows no negative zero.
      const [from, to] = [before, after].map((value): unknown => JSON.parse(JSON.stringify(value)));
      const list = v.parse(v.array(difference), JSON.parse(JSON.stringify(differences(from, to))));
      return isDeepStrictEqual(JSON.parse(JSON.stringify(applyDifferences(from, list))), to);
    }),
    { numRuns: 300 },
  );
  t.pass();
});

t.test('what is not there is not changed', async (t) => {
  const value = { a: { b: [1] } };
  for (const path of [
    ['x', 'y'],
    ['a', 'b', 5],
    ['a', 0],
    ['a', 'b', 'c'],
    ['__proto__'],
    ['a', '__proto__', 'x'],
    ['toString', 'x'],
  ]) {
    t.throws(
      () => applyDifferences(value, [{ kind: 'E', path, rhs: 1 }]),
      { code: 'INVALID_PAYLOAD' },
      path.join('.'),
    );
  }
  t.throws(
    () =>
      applyDifferences(value, [{ kind: 'A', path: ['a'], index: 0, item: { kind: 'N', rhs: 1 } }]),
    { code: 'INVALID_PAYLOAD' },
  );
  t.strictSame(value, { a: { b: [1] } }, 'and nothing is changed in place');
});
