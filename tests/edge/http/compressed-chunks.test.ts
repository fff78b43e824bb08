// @newest

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from 'node:zlib';
import t from 'tap';
import { compressedPieces } from '#edge/http/compressed-chunks.ts';
import { until } from '#tests/harness/until.ts';
import { errorsOf, exchange, open, request, serve } from './fixture/client.ts';
import { startServer } from './fixture/process.ts';

const MEGABYTE = 1_048_576;

/** Text that hardly becomes shorter, so that the encoder's output exceeds what it buffers. */
function noise(length: number): string {
  let seed = 1;
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return String.fromCharCode(32 + (seed % 5_000));
  };
  return Array.from({ length }, next).join('');
}

t.test('every kind of piece comes out as it went in', async (t) => {
  const pieces = ['{"data":[', '', 'ä'.repeat(3), noise(300_000), Buffer.from('1'), ']}'];
  const text = pieces.map(String).join('');
  for (const coding of ['br', 'gzip'] as const) {
    const out = await Readable.from(compressedPieces(Readable.from(pieces), coding)).toArray();
    const bytes = Buffer.concat(out);
    t.equal((coding === 'br' ? brotliDecompressSync : gunzipSync)(bytes).toString(), text);
    t.equal(out.length, 6, 'one for each that is not empty, and the end');
  }
  const empty = await Readable.from(compressedPieces(Readable.from([]), 'gzip')).toArray();
  t.equal(gunzipSync(Buffer.concat(empty)).toString(), '');
});

t.test('each piece can be read before the next one is made', async (t) => {
  for (const coding of ['br', 'gzip'] as const) {
    let release = () => {};
    async function* steps() {
      for (let i = 0; i < 5; i++) {
        yield `step ${i};`;
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
    }
    const { url } = await serve(
      t,
      () => ({ status: 200, headers: { 'Content-Type': 'text/plain' }, body: steps() }),
      { compresses: true },
    );
    const asked = get(url, { headers: { 'Accept-Encoding': coding } });
    const [answer]: IncomingMessage[] = await once(asked, 'response');
    t.equal(answer?.headers['content-encoding'], coding);
    t.match(answer?.headers.vary, /Accept-Encoding/);
    const decoder = coding === 'br' ? createBrotliDecompress() : createGunzip();
    let text = '';
    decoder.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    answer?.pipe(decoder);
    for (let i = 0; i < 5; i++) {
      await until(() => text.endsWith(`step ${i};`));
      release();
    }
    await once(decoder, 'end');
  }
});

t.test('a failure before the first piece is reported, a later one breaks the answer', async (t) => {
  let left = 0;
  async function* failing(after: number) {
    try {
      for (let i = 0; i < after; i++) yield `${i}`;
      throw new Error('no more');
    } finally {
      left++;
    }
  }
  const { url, port } = await serve(
    t,
    ({ path }) => ({ status: 200, body: failing(Number(path.slice(1))) }),
    { compresses: true },
  );
  const [error] = await errorsOf(await fetch(`${url}/0`));
  t.equal(error?.extensions.code, 'INTERNAL_SERVER_ERROR');
  const broken = await exchange(port, request('GET /3', ['Accept-Encoding: gzip']));
  t.match(broken, /^HTTP\/1.1 200 .*Content-Encoding: gzip/s);
  t.notOk(broken.endsWith('0\r\n\r\n'), 'it is not closed as if it were whole');
  t.equal(left, 2);
});

t.test('giving up reaches a source that is being waited for', async (t) => {
  let left = false;
  const source = {
    next: () => new Promise<IteratorResult<string>>(() => undefined),
    return: async () => {
      left = true;
      return { done: true, value: undefined } as const;
    },
  };
  const pieces = compressedPieces({ [Symbol.asyncIterator]: () => source }, 'br');
  const iterator = pieces[Symbol.asyncIterator]();
  void iterator.next();
  await iterator.return?.();
  t.ok(left);
  t.strictSame(await iterator.next(), { done: true, value: undefined });
});

t.test('slow, fast and vanishing readers of compressed streams leave no memory', async (t) => {
  const server = await startServer(t);
  const accepts = ['Accept-Encoding: br'];
  await exchange(server.port, request('GET /stream/10', accepts));
  const before = server.memory();
  const descriptors = server.descriptors();
  for (let i = 0; i < 30; i++) {
    const socket = await open(server.port);
    socket.write(request('GET /stream/1000', accepts));
    await once(socket, 'data');
    socket.destroy();
  }
  await until(() => server.descriptors() <= descriptors);
  t.ok(server.memory() - before < 48 * MEGABYTE);
  t.match(await exchange(server.port, request('GET /hello')), /"hello"/);
});
