// @newest

import { request as send } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import t from 'tap';
import { COMPRESSED_MIN } from '#edge/http/compression.ts';
import type { Response } from '#edge/http/response.ts';
import { until } from '#tests/harness/until.ts';
import { exchange, open, request, serve } from './fixture/client.ts';

const LONG = JSON.stringify({ data: 'ä long text '.repeat(1_000) });

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Asks without decoding the answer, as fetch would. */
function ask(url: string, headers: Record<string, string>, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = send(url, { headers, method }, async (answer) => {
      const body = Buffer.concat(await answer.toArray());
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body });
    });
    asked.on('error', reject).end();
  });
}

function decoded({ headers, body }: Answer): string {
  const coding = headers['content-encoding'];
  const bytes =
    coding === 'br' ? brotliDecompressSync(body) : coding === 'gzip' ? gunzipSync(body) : body;
  return bytes.toString();
}

t.test('the coding is the one that the client likes most, and br among equals', async (t) => {
  const { url } = await serve(t, () => ({ status: 200, body: LONG }), { compresses: true });
  for (const [accepted, coding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['identity', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0, br;q=0, *;q=0', undefined],
    ['gzip;q=0.5, identity', undefined],
    ['deflate', undefined],
    ['', undefined],
    [';;,=q', undefined],
  ] as const) {
    const answer = await ask(url, { 'Accept-Encoding': accepted });
    t.equal(answer.headers['content-encoding'], coding, accepted);
    t.equal(answer.headers['content-length'], String(answer.body.length), accepted);
    t.equal(answer.headers.vary, 'Origin, Cache-Control, Accept-Encoding', accepted);
    t.equal(decoded(answer), LONG, accepted);
    t.equal(answer.body.length < LONG.length / 4, coding !== undefined, accepted);
  }
  t.equal((await ask(url, {})).headers['content-encoding'], undefined);
});

t.test('short answers, and all when it is off, stay as they are and do not vary', async (t) => {
  const short = `"${'x'.repeat(COMPRESSED_MIN - 3)}"`;
  const headers = { 'Accept-Encoding': 'gzip' };
  for (const [body, compresses] of [
    [short, true],
    [LONG, false],
  ] as const) {
    const { url } = await serve(t, () => ({ status: 200, body }), { compresses });
    const answer = await ask(url, headers);
    t.equal(answer.headers['content-encoding'], undefined);
    t.equal(answer.headers.vary, 'Origin, Cache-Control');
    t.equal(answer.body.toString(), body);
  }
  const { url } = await serve(t, () => ({ status: 200, body: `${short} ` }), { compresses: true });
  t.equal((await ask(url, headers)).headers['content-encoding'], 'gzip');
});

t.test('what must not be compressed is not', async (t) => {
  for (const own of [
    { 'Content-Type': 'text/event-stream' },
    { 'Content-Type': 'image/png' },
    { 'Cache-Control': 'private, no-store' },
    { 'Cache-Control': 'no-transform' },
    { 'Content-Encoding': 'zstd' },
    { 'Content-Range': 'bytes 0-9/10' },
    { ETag: '"strong"' },
  ]) {
    const response: Response = { status: 200, headers: { ...own }, body: LONG };
    const { url } = await serve(t, () => response, { compresses: true });
    const answer = await ask(url, { 'Accept-Encoding': 'gzip, br' });
    t.equal(answer.body.toString(), LONG, JSON.stringify(own));
  }
  const { url } = await serve(t, () => ({ status: 200, body: LONG }), { compresses: true });
  const accepts = { 'Accept-Encoding': 'gzip, br' };
  const foreign = { ...accepts, 'Sec-Fetch-Site': 'cross-site' };
  const victim = await ask(url, { ...foreign, Cookie: 'session=x' });
  t.equal(victim.headers['content-encoding'], undefined, 'another site cannot measure it');
  t.equal((await ask(url, foreign)).headers['content-encoding'], 'br');
  t.equal((await ask(url, { ...accepts, Cookie: 'a=b' })).headers['content-encoding'], 'br');
});

t.test('tags, conditions, HEAD and errors go with it', async (t) => {
  const { url } = await serve(
    t,
    ({ path }) => ({ status: path === '/error' ? 400 : 200, body: LONG }),
    { compresses: true },
  );
  const plain = await ask(url, {});
  const { etag = '' } = plain.headers;
  const zipped = await ask(url, { 'Accept-Encoding': 'gzip' });
  t.match(etag, /^W\//);
  t.equal(zipped.headers.etag, etag, 'weak tags name the content in any coding');
  const same = await ask(url, { 'Accept-Encoding': 'gzip', 'If-None-Match': String(etag) });
  t.equal(same.status, 304);
  t.equal(same.headers['content-encoding'], undefined);
  t.equal(same.headers.vary, zipped.headers.vary);
  const head = await ask(url, { 'Accept-Encoding': 'gzip' }, 'HEAD');
  for (const name of ['content-encoding', 'content-length', 'etag', 'vary', 'content-type']) {
    t.equal(head.headers[name], zipped.headers[name], name);
  }
  t.equal(head.body.length, 0);
  const error = await ask(`${url}/error`, { 'Accept-Encoding': 'br' });
  t.equal(error.status, 400);
  t.equal(decoded(error), LONG);
});

t.test('clients that go while their answer is compressed leave nothing behind', async (t) => {
  const body = 'abcdefgh'.repeat(500_000);
  let asked = 0;
  const { port, lines } = await serve(
    t,
    () => {
      asked++;
      return { status: 200, body };
    },
    { compresses: true },
  );
  for (let i = 0; i < 10; i++) {
    const socket = await open(port);
    socket.write(request('GET /', ['Accept-Encoding: gzip']));
    await until(() => asked === i + 1);
    socket.destroy();
  }
  await until(() => lines.length === 10);
  t.ok(lines.every(({ msg, level }) => msg === 'request' && level === 20));
  t.match(await exchange(port, request('HEAD /')), /^HTTP\/1.1 200/);
});

t.test('when much waits for being compressed, answers are sent as they are', async (t) => {
  const body = 'abcdefgh'.repeat(600_000);
  const { url } = await serve(t, () => ({ status: 200, body }), { compresses: true });
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => ask(url, { 'Accept-Encoding': 'br' })),
  );
  t.ok(answers.every((answer) => decoded(answer) === body));
  const plain = answers.filter(({ headers }) => headers['content-encoding'] === undefined);
  t.ok(plain.length > 0 && plain.length < answers.length);
});
