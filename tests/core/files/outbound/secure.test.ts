// @newest
/**
 * What is fetched by https: the certificate is that of the name which was asked for, although the request
 * goes to an address; authorities of one's own; redirects between http and https.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { type FetchOptions, fetchOutside } from '#core/files/outbound/fetch-outside.ts';
import { type Certificate, createAuthority } from '#tests/harness/certificates.ts';
import type { Teardown } from '#tests/harness/database.ts';
import { processEnvironment } from '#tests/harness/process.ts';

const authority = createAuthority(t);
const usual = getCACertificates('default');
const trust = () => setDefaultCACertificates([...usual, readFileSync(authority.file, 'utf8')]);
t.beforeEach(trust);

/** All names are this host. */
function options(own: Partial<FetchOptions> = {}): FetchOptions {
  return {
    ...{ denied: ['0.0.0.0'], allowed: ['127.0.0.1'], maxBytes: 1_000, timeout: 10_000 },
    signal: new AbortController().signal,
    resolve: async () => ['127.0.0.1'],
    ...own,
  };
}

interface Served {
  readonly port: number;
  /** For each connection the name by which the client asked for a certificate. */
  readonly names: (string | false | null)[];
}

async function serve(
  t: Teardown,
  certificate: Certificate | null,
  listener: RequestListener = (_, response) => response.end('content'),
): Promise<Served> {
  const names: Served['names'] = [];
  const server =
    certificate === null
      ? createPlainServer(listener)
      : createServer({ ...certificate }, listener).on('secureConnection', (socket) => {
          if (socket instanceof TLSSocket) names.push(socket.servername);
        });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('there is no address');
  return { port: address.port, names };
}

async function textOf(url: string, own: Partial<FetchOptions> = {}): Promise<string> {
  const { content } = await fetchOutside(url, options(own));
  let text = '';
  for await (const piece of content) text += Buffer.from(piece).toString();
  return text;
}

async function fault(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => null,
    (error: unknown) =>
      error instanceof ServiceError ? [error.code, String(error.details.reason?.sentence)] : error,
  );
}

t.test('the certificate is that of the name, not of the address', async (t) => {
  const { port, names } = await serve(t, authority.issue('DNS:named.test'));
  t.equal(await textOf(`https://named.test:${port}/`), 'content');
  t.strictSame(names, ['named.test']);
  const own = await serve(t, authority.issue('IP:127.0.0.1'));
  t.equal(await textOf(`https://127.0.0.1:${own.port}/`), 'content');
  t.strictSame(own.names, [false], 'an address is no name');
  t.match(await fault(textOf(`https://named.test:${own.port}/`)), [
    'SERVICE_UNAVAILABLE',
    /certificate.*ALTNAME/,
  ]);
});

t.test('certificates that prove nothing', async (t) => {
  const kinds: readonly (readonly [string, Certificate, RegExp])[] = [
    ['another name', authority.issue('DNS:other.test'), /ERR_TLS_CERT_ALTNAME_INVALID/],
    ['a name below', authority.issue('DNS:*.named.test'), /ERR_TLS_CERT_ALTNAME_INVALID/],
    ['no longer valid', authority.issue('DNS:named.test', -1), /CERT_HAS_EXPIRED/],
    ['signed by itself', authority.selfSigned('DNS:named.test'), /DEPTH_ZERO_SELF_SIGNED_CERT/],
  ];
  for (const [name, certificate, code] of kinds) {
    const { port, names } = await serve(t, certificate, () => t.fail('nothing is asked'));
    const found = await fault(textOf(`https://named.test:${port}/secret`));
    t.match(found, ['SERVICE_UNAVAILABLE', code], name);
    t.ok(names.length <= 1, 'it is not tried again');
  }
  const { port } = await serve(t, authority.issue('DNS:named.test'));
  setDefaultCACertificates(usual);
  t.match(await fault(textOf(`https://named.test:${port}/`)), [
    'SERVICE_UNAVAILABLE',
    /certificate .(?:SELF_SIGNED|UNABLE)/,
  ]);
});

t.test('what speaks no TLS', async (t) => {
  const { port } = await serve(t, null);
  t.match(await fault(textOf(`https://named.test:${port}/`)), [
    'SERVICE_UNAVAILABLE',
    /did not respond/,
  ]);
  const secure = await serve(t, authority.issue('DNS:named.test'));
  t.match(await fault(textOf(`http://named.test:${secure.port}/`)), ['SERVICE_UNAVAILABLE']);
});

t.test('redirects go from http to https, and not back', async (t) => {
  const to: { next: string } = { next: '' };
  const send: RequestListener = (request, response) => {
    if (request.url === '/end') response.end('end');
    else response.writeHead(302, { Location: to.next }).end();
  };
  const plain = await serve(t, null, send);
  const secure = await serve(t, authority.issue('DNS:named.test'), send);
  const wrong = await serve(t, authority.issue('DNS:other.test'), send);
  const begin = `http://named.test:${plain.port}/`;
  to.next = `https://named.test:${secure.port}/end`;
  t.equal(await textOf(begin), 'end');
  to.next = `http://named.test:${plain.port}/end`;
  t.match(await fault(textOf(`https://named.test:${secure.port}/`)), [
    'INVALID_PAYLOAD',
    /from https to http/,
  ]);
  const through: RequestListener = (_, response) =>
    response.writeHead(307, { Location: `http://named.test:${plain.port}/end` }).end();
  const middle = await serve(t, authority.issue('DNS:named.test'), through);
  to.next = `https://named.test:${middle.port}/`;
  t.match(await fault(textOf(begin)), ['INVALID_PAYLOAD', /from https to http/]);
  to.next = `https://named.test:${wrong.port}/end`;
  t.match(await fault(textOf(begin)), ['SERVICE_UNAVAILABLE', /certificate/]);
  to.next = 'https://127.0.0.2/';
  t.match(await fault(textOf(begin)), ['SERVICE_UNAVAILABLE', /no public address/]);
});

t.test('a name that leads elsewhere by its second answer is asked for once', async (t) => {
  const { port } = await serve(t, authority.issue('DNS:named.test'));
  let asked = 0;
  const resolve = async () => [asked++ === 0 ? '127.0.0.1' : '127.0.0.2'];
  t.equal(await textOf(`https://named.test:${port}/`, { resolve }), 'content');
  t.equal(asked, 1);
});

t.test('NODE_EXTRA_CA_CERTS adds an authority', async (t) => {
  const { port } = await serve(t, authority.issue('DNS:named.test'));
  const source = `
    import { fetchOutside } from '#core/files/outbound/fetch-outside.ts';
    const { signal } = new AbortController();
    const rules = { denied: [], allowed: ['127.0.0.1'], resolve: async () => ['127.0.0.1'] };
    const limits = { maxBytes: 1_000, timeout: 10_000, signal };
    await fetchOutside('https://named.test:${port}/', { ...rules, ...limits }).then(
      async ({ content }) => { for await (const piece of content) process.stdout.write(piece); },
      ({ details }) => process.stdout.write(details.reason.sentence),
    );`;
  const run = async (env: Readonly<Record<string, string>>) => {
    const args = ['--input-type=module', '-e', source];
    const child = spawn(process.execPath, args, { env: { ...processEnvironment(), ...env } });
    let output = '';
    child.stdout.on('data', (piece: Buffer) => {
      output += piece.toString();
    });
    await once(child, 'close');
    return output;
  };
  t.equal(await run({ NODE_EXTRA_CA_CERTS: authority.file }), 'content');
  t.match(await run({}), /certificate/);
});
