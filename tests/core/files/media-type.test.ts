// @newest

import t from 'tap';
import { HEAD_BYTES, headed, isListed, mediaTypeOf } from '#core/files/media-type.ts';

const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1]);
const ZIP = Buffer.from([0x50, 0x4b, 3, 4, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const XML = Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>');

t.test('the content tells, and the claim what it cannot', async (t) => {
  const cases: readonly (readonly [Uint8Array | string, string, string])[] = [
    [JPEG, 'image/jpeg', 'image/jpeg'],
    [JPEG, 'text/html', 'image/jpeg'],
    [JPEG, '', 'image/jpeg'],
    [Buffer.concat([JPEG, Buffer.from('<script>')]), 'text/html', 'image/jpeg'],
    ['<script>', 'image/jpeg', 'application/octet-stream'],
    ['<script>', 'image/x-own', 'application/octet-stream'],
    ['', 'image/png', 'application/octet-stream'],
    ['', 'text/plain', 'text/plain'],
    ['{}', 'application/json', 'application/json'],
    [Buffer.from([1, 2]), 'application/json', 'application/octet-stream'],
    [Buffer.from([0xff, 0xfe, 0x41, 0]), 'text/plain', 'text/plain'],
    [Buffer.from('caf\xe9', 'latin1'), 'text/csv', 'text/csv'],
    [XML, 'image/svg+xml', 'image/svg+xml'],
    [XML, 'image/png', 'application/xml'],
    [ZIP, 'application/epub+zip', 'application/epub+zip'],
    [ZIP, 'image/png', 'application/zip'],
    ['x', 'application/x-unheard-of', 'application/x-unheard-of'],
    ['x', 'no type', 'application/octet-stream'],
    ['x', 'text/plain\r\nX: y', 'application/octet-stream'],
    ['x', '', 'application/octet-stream'],
  ];
  for (const [content, claim, type] of cases) {
    const head = typeof content === 'string' ? Buffer.from(content) : content;
    t.equal(await mediaTypeOf(head, claim), type, `${claim} of ${head.length} bytes`);
  }
});

t.test('a stream goes on as it was, once its beginning is judged', async (t) => {
  const sizes = [0, 1, HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 1, 3 * HEAD_BYTES];
  for (const size of sizes) {
    const content = Buffer.alloc(size, 'abc');
    const source = async function* () {
      for (let at = 0; at < size; at += 1_000) yield content.subarray(at, at + 1_000);
    };
    let head: Uint8Array | null = null;
    const pieces: Uint8Array[] = [];
    const judged = headed(source(), async (found) => {
      head = found;
    });
    for await (const piece of judged) pieces.push(piece);
    t.ok(Buffer.concat(pieces).equals(content), `${size}`);
    t.same(head, content.subarray(0, HEAD_BYTES));
  }
});

t.test('lists of types', async (t) => {
  t.ok(isListed('image/png', ['image/*']));
  t.ok(isListed('image/png', ['*/*']));
  t.ok(isListed('image/png', ['*']));
  t.ok(isListed('image/png', ['text/plain', 'IMAGE/PNG']));
  t.notOk(isListed('image/png', ['image/jpeg', 'text/*']));
  t.notOk(isListed('imagex/png', ['image/*']));
});
