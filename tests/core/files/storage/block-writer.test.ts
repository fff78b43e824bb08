// @newest @quick

import { createHash, randomBytes } from 'node:crypto';
import t from 'tap';
import { BlockWriter } from '#core/files/storage/block-writer.ts';

const KIB = 1024;
/** What is hashed by the process itself. */
const FEW = (16 + 4 * 512) * KIB;

/** Takes content in pieces whose memory is overwritten as soon as they were taken. */
async function takeAll(writer: BlockWriter, content: Buffer, size: number): Promise<void> {
  const memory = Buffer.alloc(size);
  for (let at = 0; at < content.length; at += size) {
    const length = content.copy(memory, 0, at);
    await writer.take(memory.subarray(0, length));
    memory.fill(0);
  }
}

t.test('writes and hashes what it takes, in order', async (t) => {
  const sizes = [0, 1, 16 * KIB - 1, 16 * KIB, 16 * KIB + 1, 528 * KIB];
  for (const bytes of [...sizes, FEW - 1, FEW, FEW + 1, FEW + 512 * KIB, 9_000_001]) {
    for (const size of [65_536, 700_001]) {
      const content = randomBytes(bytes);
      const written: Buffer[] = [];
      let isWriting = false;
      const writer = new BlockWriter(async (block) => {
        if (isWriting) t.fail('two writes at a time');
        isWriting = true;
        // Its memory must stay as it is until the write has ended.
        await new Promise(setImmediate);
        written.push(Buffer.from(block));
        isWriting = false;
      });
      await takeAll(writer, content, size);
      const sha256 = createHash('sha256').update(content).digest('hex');
      t.strictSame(await writer.finish(), { bytes, sha256 }, `${bytes} bytes`);
      await writer.end();
      t.ok(Buffer.concat(written).equals(content));
    }
  }
});

t.test('many at the same time', async (t) => {
  const one = async (n: number) => {
    const content = Buffer.alloc(5_000_000 + n, n);
    const writer = new BlockWriter(async () => undefined);
    await takeAll(writer, content, 100_000);
    const { sha256 } = await writer.finish();
    return sha256 === createHash('sha256').update(content).digest('hex');
  };
  const all = await Promise.all(Array.from({ length: 8 }, (_, n) => one(n)));
  t.ok(all.every(Boolean));
});

t.test('a failed write ends it', async (t) => {
  for (const bytes of [10, 9_000_000]) {
    let writes = 0;
    const writer = new BlockWriter(async () => {
      writes += 1;
      if (writes === 3 || bytes === 10) throw new Error('no room');
    });
    const all = async () => {
      await takeAll(writer, Buffer.alloc(bytes), 65_536);
      await writer.finish();
    };
    await t.rejects(all(), /no room/);
    await writer.end();
    t.ok(writes <= 3, 'nothing is written behind it');
  }
});

t.test(
  'many files that stop half way share the memory of the process, and arrive whole',
  async (t) => {
    let bytes = 0;
    const made = SharedArrayBuffer;
    const counting: ProxyHandler<SharedArrayBufferConstructor> = {
      construct(target, [size = 0]: number[]) {
        bytes += size;
        return new target(size);
      },
    };
    globalThis.SharedArrayBuffer = new Proxy(made, counting);
    t.teardown(() => {
      globalThis.SharedArrayBuffer = made;
    });
    const piece = randomBytes(3_000_000);
    const files = Array.from({ length: 100 }, () => {
      const written = createHash('sha256');
      return { written, writer: new BlockWriter(async (part) => void written.update(part)) };
    });
    for (const { writer } of files) await writer.take(piece.subarray(0, 2_200_000));
    t.ok(bytes < 40_000_000, `${bytes} bytes for those that have not ended`);
    const wanted = createHash('sha256').update(piece).digest('hex');
    const isWhole = await Promise.all(
      files.map(async ({ writer, written }) => {
        await writer.take(piece.subarray(2_200_000));
        const stored = await writer.finish();
        await writer.end();
        const digest = written.digest('hex');
        return stored.sha256 === wanted && digest === wanted && stored.bytes === piece.length;
      }),
    );
    t.strictSame([...new Set(isWhole)], [true]);
    const before = bytes;
    const next = new BlockWriter(async () => undefined);
    await next.take(piece);
    await next.end();
    t.ok(bytes - before < 20_000, 'its large blocks are used again');
  },
);
