// @newest @quick

import assert from 'node:assert/strict';
import { finished } from 'node:stream';
import busboy from 'busboy';
import fc from 'fast-check';
import t from 'tap';
import { delimiterOf, MultipartFeed } from '#edge/http/multipart-feed.ts';

/** Pieces that are overwritten when the next one is asked for, as those of a request are. */
async function* lent(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array, void> {
  const memory = Buffer.alloc(Math.max(...sizes));
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    const length = bytes.copy(memory, 0, at, at + size);
    at += length;
    yield memory.subarray(0, length);
    memory.fill('!');
  }
}

/** What a body has: its files and fields, or why it cannot be read, and how much went past the parser. */
async function read(type: string, body: AsyncGenerator<Uint8Array, void>) {
  const parser = busboy({ headers: { 'content-type': type } });
  const files: Buffer[][] = [];
  const fields: string[] = [];
  const end = Promise.withResolvers<string>();
  let last: Buffer | null = null;
  let passed = 0;
  parser.on('file', (_, stream) => {
    const pieces: Buffer[] = [];
    files.push(pieces);
    stream.on('data', (piece: Buffer) => {
      last = piece;
      pieces.push(piece);
    });
    stream.on('end', () => {
      last = null;
    });
    stream.on('error', () => undefined);
  });
  parser.on('field', (name, value) => fields.push(`${name}=${value}`));
  let isOver = false;
  finished(parser, (error) => {
    isOver = true;
    end.resolve(error?.message ?? 'read');
  });
  const lastOfFile = () => last;
  const delimiter = delimiterOf(type);
  const feed = new MultipartFeed({ parser, body, delimiter, onParse: () => undefined, lastOfFile });
  while (!isOver) {
    const piece = await feed.step();
    if (piece === null) continue;
    passed += piece.length;
    files.at(-1)?.push(Buffer.from(piece));
  }
  const contents = files.map((pieces) => Buffer.concat(pieces).toString('latin1'));
  return { read: { contents, fields, end: await end.promise }, passed };
}

const TYPE = 'multipart/form-data; boundary=Bound';
/** Much of it looks like a delimiter. */
const text = fc
  .array(
    fc.constantFrom('\r', '\n', '\r\n', '\r\n--', '\r\n--Boun', '--Bound', 'x', 'y'.repeat(40)),
    {
      maxLength: 60,
    },
  )
  .map((parts) => parts.join(''))
  // That would be a delimiter, and not within the file.
  .filter((content) => !content.startsWith('--Bound'));
const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 });

t.test('reads the same as the parser alone, in any pieces', async () => {
  const part = (name: string, content: string) =>
    `--Bound\r\nContent-Disposition: form-data; name="${name}"${name === 'f' ? '; filename="f"' : ''}\r\n\r\n${content}\r\n`;
  const bodies = fc.record({
    parts: fc.array(fc.tuple(fc.constantFrom('f', 'g'), text), { maxLength: 4 }),
    cut: fc.integer({ min: 0, max: 30 }),
    sizes,
  });
  await fc.assert(
    fc.asyncProperty(bodies, async ({ parts, cut, sizes }) => {
      const whole = `${parts.map(([name, content]) => part(name, content)).join('')}--Bound--\r\n`;
      const body = Buffer.from(whole.slice(0, whole.length - Math.max(0, cut - 20)));
      const own = await read(TYPE, lent(body, sizes));
      // Without a delimiter that is known, the parser gets everything.
      const plain = await read(`${TYPE}; charset=utf-8`, lent(body, sizes));
      assert.equal(plain.passed, 0);
      assert.equal(own.read.end, plain.read.end);
      if (own.read.end === 'read') assert.deepEqual(own.read, plain.read);
    }),
    { numRuns: 600, seed: 1 },
  );
});

t.test('comes to an end where the parser alone waits for ever', async (t) => {
  const body = Buffer.from(
    '--Bound\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n--Bound\r\n--Boun\n--Bound--',
  );
  for (let size = 1; size < body.length; size += 1) {
    const { end } = (await read(TYPE, lent(body, [size]))).read;
    t.type(end, 'string', `in pieces of ${size}`);
  }
});

t.test('the content of a file goes past the parser', async (t) => {
  const content = 'a line\r\n'.repeat(200_000);
  const body = Buffer.from(
    `--Bound\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n${content}\r\n--Bound--\r\n`,
  );
  const own = await read(TYPE, lent(body, [500_000, 70_000]));
  t.equal(own.read.contents[0], content);
  t.ok(own.passed > content.length / 2, `${own.passed} of ${content.length}`);
});

t.test('boundaries as clients write them, and no others', async (t) => {
  for (const [type, boundary] of [
    ['multipart/form-data; boundary=----WebKitFormBoundaryx', '----WebKitFormBoundaryx'],
    ['Multipart/Form-Data;boundary="a b"', 'a b'],
    ['multipart/form-data; boundary="a\\b"', null],
    ['multipart/form-data; boundary=a; boundary=b', null],
    ['multipart/form-data; charset=utf-8; boundary=a', null],
    ['multipart/form-data; boundary=', null],
    [`multipart/form-data; boundary=${'a'.repeat(71)}`, null],
  ] as const) {
    t.equal(
      delimiterOf(type)?.toString() ?? null,
      boundary === null ? null : `\r\n--${boundary}`,
      type,
    );
  }
});
