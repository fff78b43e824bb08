// @newest
/** What users typed cannot break out of a header, nor can any part of a request. */
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { serverOptionsOf } from '#edge/http/answer-options.ts';
import { exchange, request, serve } from '#tests/edge/http/fixture/client.ts';

const BREAKS = ['\r\n', '\n', '\r', '\u2028', '\0', '\u010a\u010d', '\v\f', '\x7f'];

t.test('neither a route’s headers nor added ones can hold a line break', async (t) => {
  const { port } = await serve(t, (request) => {
    const value = decodeURIComponent(request.query);
    request.addHeader('X-Added', value);
    return { status: 200, headers: { 'Content-Disposition': value }, body: '1' };
  });
  for (const separator of BREAKS) {
    const value = encodeURIComponent(`a${separator}Set-Cookie: x=1${separator}${separator}<html>`);
    const answer = await exchange(port, request(`GET /?${value}`));
    t.match(answer, /^HTTP\/1.1 200 OK\r\n/);
    t.notMatch(answer, /[\r\n]Set-Cookie/, encodeURIComponent(separator));
    t.ok(answer.endsWith('\r\n\r\n1'));
    t.equal(answer.split('\r\n').filter((line) => !/^[\w-]+: [^\r\n]*$/.test(line)).length, 3);
  }
});

t.test('a name that is no name of a header is a fault of ours, and tells nothing', async (t) => {
  for (const name of ['X-A\r\nSet-Cookie', 'X A', '', 'X:', 'Content-Length', 'Connection']) {
    const { port } = await serve(t, (request) => {
      request.addHeader(name, '1');
      return { status: 200 };
    });
    const answer = await exchange(port, request('GET /'));
    t.match(answer, /^HTTP\/1.1 500 .*"INTERNAL_SERVER_ERROR"/s, JSON.stringify(name));
    t.notMatch(answer, /Set-Cookie/);
  }
});

t.test('the reflected origin is the browser’s, or nothing', async (t) => {
  const config = loadConfig({ CORS_ENABLED: 'true', CORS_ORIGIN: 'true' });
  const { port } = await serve(t, () => ({ status: 200, body: '1' }), serverOptionsOf(config));
  const answer = await exchange(port, request('GET /', ['Origin: https://a.example\tX: 1']));
  t.match(answer, /\r\nAccess-Control-Allow-Origin: https:\/\/a\.example\tX: 1\r\n/);
});
