// @newest

import { once } from 'node:events';
import t from 'tap';
import { firstFile } from '#edge/http/multipart.ts';
import { ClientGoneError } from '#edge/http/request.ts';
import type { Handler } from '#edge/http/response.ts';
import { until } from '#tests/harness/until.ts';
import { errorsOf, exchange, open, request, serve } from './fixture/client.ts';

/** Tells what arrived; under `/ignore` without reading the file, under `/stop` after its start. */
const receive: Handler = async (request) => {
  const { stream, fields, ...file } = await firstFile(request);
  if (request.path === '/ignore') return { status: 200, body: JSON.stringify(file) };
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
    if (request.path === '/stop') break;
  }
  const text = Buffer.concat(chunks).toString();
  const size = text.length;
  const content = size > 100 ? null : text;
  return { status: 200, body: JSON.stringify({ ...file, fields: [...fields], size, content }) };
};

function form(...parts: (readonly [string, string | File])[]): FormData {
  const data = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, value, value.name);
  }
  return data;
}

/** A body in parts as they are, cut off where the last one ends unless it is closed. */
function raw(path: string, body: string, type = 'multipart/form-data; boundary=B'): string {
  const headers = [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`];
  return request(`POST ${path}`, headers, body);
}

const OPENING = '--B\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';

t.test('the first file, with the fields before it', async (t) => {
  const { url } = await serve(t, receive);
  const file = new File(['a,b\n1,ü\n'], 'näme x.csv', { type: 'text/CSV; charset=utf-8' });
  const body = form(['one', '1'], ['two', 'ü'], ['file', file], ['late', 'x'], ['more', file]);
  const answer = await fetch(url, { method: 'POST', body });
  t.strictSame(await answer.json(), {
    fieldName: 'file',
    filename: 'näme x.csv',
    mimeType: 'text/csv',
    charset: 'utf-8',
    fields: [
      ['one', '1'],
      ['two', 'ü'],
    ],
    size: 8,
    content: 'a,b\n1,ü\n',
  });
});

t.test('a name is no path', async (t) => {
  const { port } = await serve(t, receive);
  const disposition = 'form-data; name="f"; filename="../../etc/passwd"';
  const body = `--B\r\nContent-Disposition: ${disposition}\r\n\r\nx\r\n--B--\r\n`;
  t.match(await exchange(port, raw('/', body)), /"filename":"passwd"/);
});

t.test('the character set of the file, and of nothing else', async (t) => {
  const { port } = await serve(t, receive);
  const part = (type: string, name = 'name="f"; filename="a.csv"') =>
    `--B\r\nContent-Type: text/csv${type}\r\nContent-Disposition: form-data; ${name}\r\n\r\nx\r\n`;
  const field = part('; charset=latin1', 'name="note"');
  for (const [body, charset] of [
    [part('; charset="Windows-1252"'), '"windows-1252"'],
    [field + part(''), 'null'],
    [field + part('; header=present; charset=utf-16le'), '"utf-16le"'],
    [part('') + part('; charset=latin1'), 'null'],
  ] as const) {
    const answer = await exchange(port, raw('/', `${body}--B--\r\n`));
    t.match(answer, `"charset":${charset}`, charset);
  }
});

t.test('a file of any size, whole or left unread', async (t) => {
  const { url } = await serve(t, receive);
  const size = 8_000_000;
  for (const [path, expected] of [
    ['/', size],
    ['/ignore', undefined],
    ['/stop', Number],
  ] as const) {
    const body = form(['file', new File(['x'.repeat(size)], 'x.csv')]);
    const answer = await fetch(url + path, { method: 'POST', body });
    t.equal(answer.status, 200, path);
    const received: unknown = await answer.json();
    t.match(received, expected === undefined ? { filename: 'x.csv' } : { size: expected });
  }
});

t.test('what is not multipart is UNSUPPORTED_MEDIA_TYPE', async (t) => {
  const { url } = await serve(t, receive);
  for (const type of ['application/json', 'multipart/mixed; boundary=B', 'text/csv']) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: Buffer.from('x'),
    });
    t.equal(answer.status, 415, type);
    const extensions = { mediaType: type, where: 'Content-Type', code: 'UNSUPPORTED_MEDIA_TYPE' };
    t.strictSame((await errorsOf(answer))[0]?.extensions, extensions);
  }
  t.equal((await fetch(url, { method: 'POST' })).status, 415);
});

t.test('no file, a malformed or a truncated form is INVALID_PAYLOAD', async (t) => {
  const { url, port } = await serve(t, receive);
  const answer = await fetch(url, { method: 'POST', body: form(['file', 'no file']) });
  t.equal(answer.status, 400);
  t.match((await errorsOf(answer))[0], { message: /no file/ });
  for (const [body, reason] of [
    ['', /end of form/],
    ['--B--\r\n', /no file/],
    ['nonsense', /end of form/],
    ['--B\r\nnonsense\r\n\r\nx\r\n--B--\r\n', /Malformed part header/],
    ['--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n1', /end of form/],
    [`${OPENING}x,y`, /end of form/],
    [`${OPENING}x\r\n--`, /end of form/],
    [`--B\r\nX: ${'x'.repeat(20_000)}\r\n\r\n--B--`, /Malformed part header/],
  ] as const) {
    const text = await exchange(port, raw('/', body));
    t.match(text, /^HTTP\/1.1 400 .*INVALID_PAYLOAD/s, body.slice(0, 40));
    t.match(text, reason);
  }
  const noBoundary = raw('/', `${OPENING}x\r\n--B--`, 'multipart/form-data');
  t.match(await exchange(port, noBoundary), /^HTTP\/1.1 400 .*Boundary not found/s);
});

t.test('what precedes the file is bounded', async (t) => {
  const { url } = await serve(t, receive);
  const file = new File(['x'], 'x.csv');
  const many = Array.from({ length: 65 }, (_, i) => [`f${i}`, '1'] as const);
  for (const parts of [many, [['large', 'x'.repeat(70_000)] as const]]) {
    const body = form(...parts, ['file', file]);
    const answer = await fetch(url, { method: 'POST', body });
    t.match((await errorsOf(answer))[0], { message: /before the file/ });
  }
  const after = form(['file', file], ...many, ['large', 'x'.repeat(70_000)]);
  t.equal((await fetch(url, { method: 'POST', body: after })).status, 200);
});

t.test('waiting for the file and reading it fail when the client disconnects', async (t) => {
  const failures: unknown[] = [];
  const { port } = await serve(t, async (request) => {
    try {
      const { stream } = await firstFile(request);
      for await (const _ of stream);
    } catch (error) {
      failures.push(error);
    }
    return { status: 200 };
  });
  for (const [done, start] of ['--B\r\n', `${OPENING}some`].entries()) {
    const socket = await open(port);
    const type = 'Content-Type: multipart/form-data; boundary=B';
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: 9999\r\n\r\n${start}`);
    await new Promise(setImmediate);
    socket.destroy();
    await until(() => failures.length > done);
    t.type(failures[done], ClientGoneError, start);
  }
});

t.test('a slow reader holds the client back', async (t) => {
  const gate = Promise.withResolvers<void>();
  const size = 48 * 1_048_576;
  const { port } = await serve(t, async (request) => {
    const { stream } = await firstFile(request);
    let read = 0;
    for await (const chunk of stream) {
      await gate.promise;
      read += chunk.length;
    }
    return { status: 200, body: String(read) };
  });
  const closing = '\r\n--B--\r\n';
  const socket = await open(port);
  const length = OPENING.length + size + closing.length;
  const type = 'Content-Type: multipart/form-data; boundary=B';
  socket.write(request('POST /', [type, `Content-Length: ${length}`]) + OPENING);
  const piece = Buffer.alloc(1_048_576, 'x');
  let sent = 0;
  while (socket.writableLength < 8 * piece.length && sent < size) {
    socket.write(piece);
    sent += piece.length;
    await new Promise(setImmediate);
  }
  t.ok(sent < size, `held back after ${sent} bytes`);
  for (; sent < size; sent += piece.length) socket.write(piece);
  socket.write(closing);
  gate.resolve();
  let got = '';
  socket.on('data', (data: Buffer) => {
    got += data.toString();
  });
  await once(socket, 'close');
  t.match(got, new RegExp(`\r\n\r\n${size}$`));
});
