/** What every driver of the storage does, whatever is behind it. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Test } from 'tap';
import type { SizeLimit, Storage } from '#core/files/storage/storage.ts';

const MB = 1024 * 1024;
/** The smallest part that S3 takes. */
export const PART = 5 * MB;
const content = randomBytes(40 * MB);

/** Pieces that are valid until the next one is asked for, put together. */
async function copied(lent: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of lent) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

export function most(bytes: number): SizeLimit {
  return { bytes, variable: 'IMPORT_MAX_SIZE' };
}

export function pieces(bytes: Buffer, size = 64 * 1024): AsyncIterable<Uint8Array> {
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })(),
  );
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Runs the tests on an empty storage. */
export async function conform(t: Test, storage: Storage): Promise<void> {
  await t.test('it can be used, and has an identity', async (t) => {
    await storage.check();
    t.equal(await storage.identity(), await storage.identity());
    t.match(await storage.identity(), /^[\w-]{32,64}$/);
    t.strictSame(await storage.list(), []);
  });

  const sizes = [0, 1, PART - 1, PART, PART + 1, 40 * MB];
  for (const size of sizes) {
    await t.test(`a file of ${size} bytes is read as it was written`, async (t) => {
      const [id, bytes] = [randomUUID(), content.subarray(0, size)];
      const stored = await storage.write(id, pieces(bytes, 1_000_003), most(size));
      t.strictSame(stored, { bytes: size, sha256: digest(bytes) });
      t.equal(await storage.size(id), size);
      t.ok(bytes.equals(await buffer(storage.read(id))));
      const [entry, ...others] = await storage.list();
      t.equal(entry?.id, id);
      t.type(entry?.modified, Date);
      t.strictSame(others, []);
      await storage.remove(id);
      await storage.remove(id);
      t.strictSame(await storage.list(), []);
    });
  }

  await t.test('a part of a file is read', async (t) => {
    const [id, bytes] = [randomUUID(), content.subarray(0, PART + 10)];
    await storage.write(id, pieces(bytes), undefined);
    for (const [start, end] of [
      [0, 0],
      [0, 9],
      [1, PART],
      [PART - 1, PART + 1],
      [PART + 9, PART + 9],
      [PART, PART + 100],
    ] as const) {
      const part = await buffer(storage.read(id, { start, end }));
      t.ok(bytes.subarray(start, end + 1).equals(part), `${start} to ${end}`);
      const borrowed = await copied(storage.lend(id, { start, end }));
      t.ok(bytes.subarray(start, end + 1).equals(borrowed), `${start} to ${end}, lent`);
    }
    t.ok(bytes.equals(await copied(storage.lend(id))), 'all is lent');
    for await (const _ of storage.lend(id)) break;
    const early = storage.read(id);
    await once(early, 'readable');
    early.destroy();
    await storage.remove(id);
  });

  await t.test('a file in pieces, of which one is sent twice', async (t) => {
    for (const sizes of [[], [10], [PART], [3, 4, PART, 5, PART + 7, 1], [PART, PART]]) {
      const id = `${randomUUID()}.bin`;
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      let state: string | null = null;
      let offset = 0;
      for (const size of sizes) {
        const piece = { offset, content: content.subarray(offset, offset + size) };
        const wrong = { offset, content: Buffer.alloc(size + 1) };
        await storage.append(id, state, wrong);
        state = await storage.append(id, state, piece);
        offset += size;
      }
      await storage.finish(id, state, bytes);
      await storage.finish(id, state, bytes);
      t.equal(await storage.size(id), bytes);
      t.ok((await buffer(storage.read(id))).equals(content.subarray(0, bytes)), sizes.join());
      await storage.remove(id);
      const left = `${randomUUID()}.bin`;
      await storage.append(left, null, { offset: 0, content: content.subarray(0, 10) });
      await storage.remove(left);
    }
    t.strictSame(await storage.list(), []);
  });

  await t.test('a file that is not there is missing', async (t) => {
    const id = randomUUID();
    await t.rejects(storage.size(id), {
      code: 'SERVICE_UNAVAILABLE',
      details: { service: 'storage' },
    });
    await t.rejects(buffer(storage.read(id)), { code: 'ENOENT' });
    await t.rejects(copied(storage.lend(id)), { code: 'ENOENT' });
    await storage.remove(id);
  });

  await t.test('a file over its limit is refused and leaves nothing', async (t) => {
    for (const limit of [100, PART + 100]) {
      const id = randomUUID();
      const writing = storage.write(id, pieces(content.subarray(0, limit + 1)), most(limit));
      await t.rejects(writing, {
        code: 'CONTENT_TOO_LARGE',
        details: { limit, variable: 'IMPORT_MAX_SIZE' },
      });
      t.strictSame(await storage.list(), []);
    }
  });

  await t.test('a file that breaks off leaves nothing', async (t) => {
    for (const size of [10, 2 * PART + 10]) {
      async function* broken() {
        yield* pieces(content.subarray(0, size));
        throw new Error('gone');
      }
      await t.rejects(storage.write(randomUUID(), broken(), undefined), { message: 'gone' });
      t.strictSame(await storage.list(), []);
    }
  });

  await t.test('files are written and read at the same time', async (t) => {
    const files = Array.from({ length: 20 }, (_, n) => ({
      id: randomUUID(),
      bytes: content.subarray(n * 1_000, n * 1_000 + (n % 5 === 0 ? PART + n : 50_000)),
    }));
    await Promise.all(files.map(({ id, bytes }) => storage.write(id, pieces(bytes), undefined)));
    t.equal((await storage.list()).length, files.length);
    const read = files.map(async ({ id, bytes }) => bytes.equals(await buffer(storage.read(id))));
    t.ok((await Promise.all(read)).every((same) => same));
    await Promise.all(files.map(({ id }) => storage.remove(id)));
    t.strictSame(await storage.list(), []);
  });

  await t.test('a name that is no UUID is a mistake of the program', async (t) => {
    for (const name of ['../../etc/passwd', '', 'a/b', `${randomUUID()}/..`]) {
      t.throws(() => storage.read(name), { code: 'ERR_ASSERTION' });
      await t.rejects(storage.remove(name), { code: 'ERR_ASSERTION' });
      await t.rejects(storage.size(name), { code: 'ERR_ASSERTION' });
      await t.rejects(storage.write(name, pieces(content.subarray(0, 1)), undefined), {
        code: 'ERR_ASSERTION',
      });
    }
  });
}
