import { createHash } from 'node:crypto';
import t from 'tap';
import { DamagedFile, verifyContent, verifySize } from '#core/files/storage/verify-content.ts';

const content = Buffer.from('name\na\nb\n');
const sha256 = createHash('sha256').update(content).digest('hex');

async function* inChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 4) yield bytes.subarray(at, at + 4);
}

async function read(bytes: Buffer, known: { bytes: number; sha256?: string }): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of verifyContent(inChunks(bytes), known)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

t.test('a file that is as it was stored', async (t) => {
  t.equal(await read(content, { bytes: content.length, sha256 }), content.toString());
  t.equal(await read(content, { bytes: content.length }), content.toString());
});

/** The failure of a read. */
async function failure(bytes: Buffer): Promise<unknown> {
  return await read(bytes, { bytes: content.length, sha256 }).catch((error: unknown) => error);
}

t.test('a part of a file has no end', async (t) => {
  const short = {
    details: {
      reason: { sentence: /does not return the stored file: it has 7 bytes instead of 9/ },
    },
  };
  t.match(await failure(content.subarray(0, 7)), short);
  t.throws(() => verifySize(7, { bytes: content.length }));
  t.type(await failure(Buffer.concat([content, content])), DamagedFile);
});

t.test('changed bytes', async (t) => {
  const changed = { code: 'SERVICE_UNAVAILABLE', details: { reason: { sentence: /SHA-256/ } } };
  t.match(await failure(Buffer.from('name\na\nc\n')), changed);
});
