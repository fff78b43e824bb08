// @newest @quick

import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { ByteQueue } from '#edge/http/byte-queue.ts';

/** So many bytes that tell their place. */
function counted(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => i % 251);
}

t.test('returns its input, in order, in pieces of any size', async () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 30 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 70_000 }), (lengths, limit) => {
      const queue = new ByteQueue();
      const all = counted(lengths.reduce((sum, length) => sum + length, 0));
      let at = 0;
      const taken: Buffer[] = [];
      for (const [i, length] of lengths.entries()) {
        queue.append(all.subarray(at, at + length));
        at += length;
        const piece = i % 3 === 0 ? queue.take(limit) : null;
        if (piece !== null) taken.push(piece);
      }
      for (let piece = queue.take(limit); piece !== null; piece = queue.take(limit)) {
        assert(piece.length > 0 && piece.length <= limit);
        taken.push(piece);
      }
      assert.equal(queue.size, 0);
      assert(Buffer.concat(taken).equals(all));
    }),
    { numRuns: 50 },
  );
});

t.test('what was taken stays as it is when the memory is used again', async (t) => {
  const queue = new ByteQueue();
  queue.append(counted(600_000));
  t.equal(queue.size, 600_000);
  const piece = queue.take(65_536);
  queue.clear();
  t.equal(queue.size, 0);
  t.equal(queue.take(1), null);
  const other = new ByteQueue();
  for (let i = 0; i < 20; i++) other.append(new Uint8Array(524_288));
  t.ok(piece?.equals(counted(65_536)));
  other.clear();
});

t.test('what is lent stays as it is when its queue is dropped', async (t) => {
  const queue = new ByteQueue();
  queue.append(counted(600_000));
  const piece = queue.lend();
  queue.drop();
  t.equal(queue.lend(), null);
  const other = new ByteQueue();
  for (let i = 0; i < 80; i++) other.append(new Uint8Array(524_288));
  t.ok(piece?.equals(counted(524_288)));
  other.clear();
});

t.test(
  'what is lent stays as it is until it is taken back, and then its memory serves again',
  async () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 700_000 }), { maxLength: 12 });
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 4 }), (sizes, every) => {
        const queue = new ByteQueue();
        const all = counted(sizes.reduce((sum, size) => sum + size, 0));
        const read: Buffer[] = [];
        let lent: Buffer | null = null;
        // A piece is read as late as can be: when the next one is asked for.
        const next = () => {
          if (lent !== null) read.push(Buffer.from(lent));
          lent = queue.lend();
          return lent !== null;
        };
        let at = 0;
        for (const [i, size] of sizes.entries()) {
          queue.append(all.subarray(at, at + size));
          at += size;
          if (i % every === 0) next();
        }
        while (next()) {}
        assert.equal(queue.size, 0);
        assert(Buffer.concat(read).equals(all));
      }),
      { numRuns: 50 },
    );
  },
);

t.test('what is lent outlives the end of its queue', async (t) => {
  const queue = new ByteQueue();
  queue.append(counted(600_000));
  const lent = queue.lend();
  queue.clear();
  const other = new ByteQueue();
  for (let i = 0; i < 20; i++) other.append(new Uint8Array(524_288));
  t.ok(lent?.equals(counted(524_288)));
  t.equal(queue.lend(), null);
  other.clear();
});
