// @newest @quick

import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { JsonScanner } from '#core/transfer/file/json-scanner.ts';
import { UnreadableFile } from '#core/transfer/file/row-fault.ts';

/** The texts of the objects of a file in the given chunks. */
function scan(...pieces: readonly Buffer[]): string[] {
  const texts: string[] = [];
  const scanner = new JsonScanner({
    element: (element) => texts.push(element.text),
    row: () => texts.length + 1,
  });
  for (const piece of pieces) scanner.push(piece);
  scanner.end();
  return texts;
}

function fault(...pieces: readonly (string | Buffer)[]) {
  try {
    scan(...pieces.map((piece) => Buffer.from(piece)));
  } catch (error) {
    if (error instanceof UnreadableFile) {
      return { ...error.fault, reason: error.fault.reason.sentence };
    }
    throw error;
  }
  throw new Error('the text is well formed');
}

t.test('objects are separated', async (t) => {
  t.strictSame(scan(Buffer.from('[]')), []);
  t.strictSame(scan(Buffer.from('\ufeff [ {"a":1} ,\n{"b":"}{\\"]"} ] \n')), [
    '{"a":1}',
    '{"b":"}{\\"]"}',
  ]);
  t.strictSame(scan(Buffer.from('[{"a":{"b":[{"c":"\\\\"}]}}]')), ['{"a":{"b":[{"c":"\\\\"}]}}']);
});

t.test('a malformed file is rejected with row and place', async (t) => {
  t.match(fault(''), { row: null, place: { line: 1, column: 1 }, reason: /too early/ });
  t.match(fault('{"a":1}'), {
    row: null,
    place: { line: 1, column: 1 },
    reason: /array of objects/,
  });
  t.match(fault('[{"a":1},\n 5]'), { row: 2, place: { line: 2, column: 2 }, reason: /object/ });
  t.match(fault('[[1]]'), { row: 1, place: { line: 1, column: 2 } });
  t.match(fault('[{"a":1},]'), { row: 2, place: { line: 1, column: 10 } });
  t.match(fault('[,{}]'), { row: 1, place: { line: 1, column: 2 } });
  t.match(fault('[{} {}]'), { row: 2, place: { line: 1, column: 5 }, reason: /comma/ });
  t.match(fault('[{}'), { place: { line: 1, column: 4 }, reason: /too early/ });
  t.match(fault('[{}] x'), { row: null, place: { line: 1, column: 6 }, reason: /follow/ });
  t.match(fault('[{}]]'), { row: null, place: { line: 1, column: 5 } });
  t.match(fault('[{"é":1}, x]'), { place: { line: 1, column: 11 } }, 'columns are characters');
  t.match(fault(Buffer.from([0xff])), { row: null, place: { line: 1, column: 1 } });
});

t.test('invalid UTF-8 is rejected', async (t) => {
  const bytes = Buffer.concat([Buffer.from('[{"a":"'), Buffer.from([0xc3]), Buffer.from('"}]')]);
  t.match(fault(bytes), { row: 1, reason: /UTF-8/ });
});

t.test('too deep nesting, and an endless object, are rejected', async (t) => {
  t.match(fault(`[{"a":${'['.repeat(2_000)}`), { row: 1, reason: /1000 deep/ });
  const piece = Buffer.alloc(1024 * 1024, 'x');
  t.match(fault('[{"a":"', ...Array(40).fill(piece)), { row: 1, reason: /16777216 bytes/ });
});

t.test('objects are the same for any chunk boundaries', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }))),
      fc.constantFrom(undefined, 1),
      (objects, indent) => {
        const bytes = Buffer.from(JSON.stringify(objects, null, indent));
        const texts = objects.map((object) => JSON.stringify(object));
        const compact = (found: readonly string[]) =>
          found.map((text) => JSON.stringify(JSON.parse(text)));
        const expected = texts.map((text) => JSON.stringify(JSON.parse(text)));
        for (let cut = 0; cut <= bytes.length; cut += 7) {
          assert.deepEqual(compact(scan(bytes.subarray(0, cut), bytes.subarray(cut))), expected);
        }
        assert.deepEqual(
          compact(scan(...Array.from(bytes, (byte) => Buffer.from([byte])))),
          expected,
        );
      },
    ),
    { numRuns: 50 },
  );
  t.pass('in every case');
});

t.test('places are the same for any chunk boundaries', async (t) => {
  const bytes = Buffer.from('\ufeff[\n {"é":\n 1},  {"a":2} ;]');
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const place = fault(bytes.subarray(0, cut), bytes.subarray(cut)).place;
    t.strictSame(place, { line: 3, column: 15 }, `cut at ${cut}`);
  }
});
