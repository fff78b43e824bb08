// @newest

import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { bodyOf, type ErrorsBody } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

interface FileRow {
  readonly id: string;
  readonly storage: string;
  readonly filename_disk: string;
  readonly filename_download: string;
  readonly title: string;
  readonly type: string;
  readonly folder: string | null;
  readonly filesize: string;
  readonly sha256: string;
  readonly uploaded_on: string | null;
  readonly uploaded_by: string | null;
  readonly tags: unknown;
}

interface Answer<T> {
  readonly data: T;
}

/** Names of the bytes that a cluster has in its storage. */
function storedContent({ dataDir }: Cluster): string[] {
  const folder = join(dataDir, 'files');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name !== 'storage-id') : [];
}

function form(...parts: (readonly [string, string | File])[]): FormData {
  const data = new FormData();
  for (const [name, value] of parts) data.append(name, value);
  return data;
}

function textFile(content: string, name = 'note.txt', type = 'text/plain'): File {
  return new File([content], name, { type });
}

async function send(cluster: Cluster, body: FormData, path = '/files', method = 'POST') {
  return await cluster.fetch(path, { method, body });
}

async function codeOf(response: Response) {
  const { errors } = await bodyOf<ErrorsBody>(response);
  return [response.status, errors[0]?.extensions.code, errors[0]?.extensions.reason ?? null];
}

async function unclaimed({ db }: Cluster): Promise<number> {
  return Number((await db.query('SELECT count(*) FROM system_unclaimed_content')).rows[0].count);
}

t.test('files', async (t) => {
  const cluster = await startCluster(t, {
    edges: 1,
    workers: 1,
    env: { FILES_MAX_UPLOAD_SIZE: '20mb', IMPORT_IP_ALLOW_LIST: '127.0.0.1' },
  });
  const create = async (...parts: (readonly [string, string | File])[]) =>
    (await bodyOf<Answer<FileRow>>(await send(cluster, form(...parts)))).data;

  t.test('a file is stored with what is told before it', async (t) => {
    const answer = await send(
      cluster,
      form(['title', 'A note'], ['tags', '["a","b"]'], ['file', textFile('hello')]),
    );
    t.equal(answer.status, 200);
    const { data } = await bodyOf<Answer<FileRow>>(answer);
    t.match(data, {
      title: 'A note',
      tags: ['a', 'b'],
      storage: 'local',
      filename_download: 'note.txt',
      type: 'text/plain',
      filesize: '5',
      sha256: createHash('sha256').update('hello').digest('hex'),
      uploaded_on: String,
    });
    t.match(data.filename_disk, /^[0-9a-f-]{36}\.txt$/);
    t.ok(storedContent(cluster).includes(data.filename_disk));
    const bytes = await cluster.fetch(`/assets/${data.id}`);
    t.equal(await bytes.text(), 'hello');
    t.match(Object.fromEntries(bytes.headers), {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '5',
      'accept-ranges': 'bytes',
      'content-disposition': 'inline; filename="note.txt"',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=2592000',
      etag: `"${data.sha256}"`,
    });
    t.match(bytes.headers.get('content-security-policy'), /sandbox/);
  });

  t.test('several files at once, each with its own fields, all or none', async (t) => {
    const answer = await send(
      cluster,
      form(
        ['title', 'First'],
        ['a', textFile('1', 'one.txt')],
        ['b', textFile('2', 'two_of-three.txt')],
      ),
    );
    const { data } = await bodyOf<Answer<FileRow[]>>(answer);
    const expected = [
      ['First', '1'],
      ['Two Of Three', '1'],
    ];
    const shown = data.map(({ title, filesize }) => [title, filesize]);
    t.strictSame(shown, expected, 'in the order in which they were sent');
    const fields = ['id', 'title'];
    const member = await createMember(cluster, [
      { collection: 'system_files', action: 'create', fields: ['title', 'filename_download'] },
      { collection: 'system_files', action: 'read', fields },
    ]);
    const own = await member.upload(
      '/files',
      form(['a', textFile('1', 'x')], ['b', textFile('2')]),
    );
    t.match(own, { status: 200, body: { data: [{ title: 'X' }, { title: 'Note' }] } });
    const before = storedContent(cluster).length;
    const refused = await send(
      cluster,
      form(['a', textFile('1')], ['folder', 'no uuid'], ['b', textFile('2')]),
    );
    t.equal(refused.status, 400);
    await refused.text();
    t.equal(storedContent(cluster).length, before, 'nothing is left of the first one either');
    t.equal(await unclaimed(cluster), 0);
  });

  t.test('what a file claims to be counts only if it can be', async (t) => {
    const types = async (name: string, type: string, content: Uint8Array<ArrayBuffer> | string) =>
      (await create(['file', new File([content], name, { type })])).type;
    t.equal(await types('a.txt', 'text/plain', PNG), 'image/png', 'content tells');
    t.equal(
      await types('a.png', 'image/png', '<script>alert(1)</script>'),
      'application/octet-stream',
    );
    t.equal(await types('a.html', 'text/html', '<b>x</b>'), 'text/html');
    t.equal(
      await types('a.txt', 'text/plain', new Uint8Array([0, 1, 2])),
      'application/octet-stream',
    );
    t.equal(await types('a.bin', 'application/x-unheard-of', 'x'), 'application/x-unheard-of');
    t.equal(
      await types('a.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
      'image/svg+xml',
    );
  });

  t.test('what browsers could run is a download in a sandbox', async (t) => {
    const bytes = 'application/octet-stream';
    for (const [name, type, content, served = type] of [
      ['a.html', 'text/html', '<script>alert(1)</script>', 'text/html; charset=utf-8'],
      ['a.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'],
      ['a.js', 'text/javascript', 'alert(1)', bytes],
      ['b.js', 'application/x-javascript', 'alert(1)', bytes],
      ['a.es', 'text/ecmascript', 'alert(1)', bytes],
      ['a.wasm', 'application/wasm', '\0asm\x01\0\0\0', bytes],
    ] as const) {
      const { id } = await create(['file', textFile(content, name, type)]);
      const { headers } = await cluster.fetch(`/assets/${id}`);
      t.match(headers.get('content-disposition'), /^attachment; /, type);
      t.equal(headers.get('content-type'), served, type);
      t.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
      t.match(headers.get('content-security-policy'), /default-src 'none'.*sandbox/, type);
      t.equal(headers.get('x-content-type-options'), 'nosniff');
    }
  });

  t.test('parts of a file, and conditions', async (t) => {
    const { id, sha256 } = await create(['file', textFile('0123456789')]);
    const get = (headers: Record<string, string>) => cluster.fetch(`/assets/${id}`, { headers });
    const part = await get({ Range: 'bytes=2-4' });
    t.strictSame(
      [part.status, part.headers.get('content-range'), part.headers.get('content-length')],
      [206, 'bytes 2-4/10', '3'],
    );
    t.equal(await part.text(), '234');
    t.equal(await (await get({ Range: 'bytes=-3' })).text(), '789');
    t.equal(await (await get({ Range: 'bytes=7-' })).text(), '789');
    const parts = await get({ Range: 'bytes=0-1,8-9' });
    t.equal(parts.status, 206);
    const boundary = /boundary=(.+)$/.exec(parts.headers.get('content-type') ?? '')?.[1];
    const head = (range: string) =>
      `\r\n--${boundary}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes ${range}/10\r\n\r\n`;
    t.equal(await parts.text(), `${head('0-1')}01${head('8-9')}89\r\n--${boundary}--\r\n`);
    const beyond = await get({ Range: 'bytes=10-' });
    t.strictSame([beyond.status, beyond.headers.get('content-range')], [416, 'bytes */10']);
    t.equal((await get({ 'If-None-Match': `"${sha256}"` })).status, 304);
    t.equal((await get({ 'If-None-Match': '"other"' })).status, 200);
    t.equal((await get({ 'If-Match': '"other"' })).status, 412);
    const modified = (await get({})).headers.get('last-modified') ?? '';
    t.equal((await get({ 'If-Modified-Since': modified })).status, 304);
    t.equal((await get({ 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).status, 412);
    t.equal((await get({ Range: 'bytes=0-1', 'If-Range': '"other"' })).status, 200);
    t.equal((await get({ Range: 'bytes=0-1', 'If-Range': `"${sha256}"` })).status, 206);
    const tell = await cluster.fetch(`/assets/${id}`, { method: 'HEAD' });
    t.strictSame([tell.status, tell.headers.get('content-length')], [200, '10']);
    const empty = await create(['file', textFile('', 'empty.txt')]);
    const nothing = await cluster.fetch(`/assets/${empty.id}`);
    t.strictSame([nothing.status, nothing.headers.get('content-length')], [200, '0']);
  });

  t.test('a large file comes back as it was', async (t) => {
    const content = randomBytes(9 * 1024 * 1024 + 7);
    const { id, filesize } = await create(['file', new File([content], 'large.bin')]);
    t.equal(filesize, String(content.length));
    const back = Buffer.from(await (await cluster.fetch(`/assets/${id}`)).arrayBuffer());
    t.ok(back.equals(content));
  });

  t.test('curl goes on where a download broke off', async (t) => {
    const content = randomBytes(500_000);
    const { id } = await create(['file', new File([content], 'resumed.bin')]);
    const file = join(t.testdir({}), 'resumed.bin');
    writeFileSync(file, content.subarray(0, 200_000));
    const curl = spawn('curl', [
      ...['-sS', '-f', '-C', '-', '-o', file, '-w', '%{http_code} %{size_download}'],
      ...['-H', `Authorization: Bearer ${ADMIN_TOKEN}`, `${cluster.url}/assets/${id}`],
    ]);
    t.equal(await text(curl.stdout), '206 300000');
    t.ok(readFileSync(file).equals(content));
  });

  t.test('other bytes for the same file; the old ones are removed', async (t) => {
    const old = await create(['file', textFile('old')]);
    const answer = await send(
      cluster,
      form(['file', textFile('newer', 'b.md', 'text/markdown')]),
      `/files/${old.id}`,
      'PATCH',
    );
    const { data } = await bodyOf<Answer<FileRow>>(answer);
    t.match(data, { id: old.id, filesize: '5', type: 'text/markdown', filename_download: 'b.md' });
    t.not(data.filename_disk, old.filename_disk);
    t.equal(await (await cluster.fetch(`/assets/${old.id}`)).text(), 'newer');
    await until(
      () => !storedContent(cluster).includes(old.filename_disk),
      'the old bytes are gone',
    );
    await cluster.fetch(`/files/${old.id}`, { method: 'DELETE' });
    await until(() => !storedContent(cluster).includes(data.filename_disk), 'the new ones, too');
    t.equal((await cluster.fetch(`/assets/${old.id}`)).status, 403);
  });

  t.test('bytes go with their file by whatever way it is deleted', async (t) => {
    const { id, filename_disk: name } = await create(['file', textFile('by SQL')]);
    await cluster.db.query('DELETE FROM system_files WHERE id = $1', [id]);
    t.equal(await unclaimed(cluster), 1);
    const { id: other } = await create(['file', textFile('another')]);
    await cluster.fetch(`/files/${other}`, { method: 'DELETE' });
    await until(() => !storedContent(cluster).includes(name), 'any tidying removes them');
    await until(async () => (await unclaimed(cluster)) === 0, 'nothing is noted any more');
  });

  t.test('files without content need a type', async (t) => {
    const json = (body: object) =>
      cluster.fetch('/files', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json' },
      });
    t.match(await codeOf(await json({ filename_download: 'x' })), [400, 'INVALID_PAYLOAD', /type/]);
    const { data } = await bodyOf<Answer<FileRow>>(
      await json({ filename_download: 'x.pdf', type: 'application/pdf' }),
    );
    t.match(data, { storage: 'local', title: 'X', filename_disk: null, uploaded_on: null });
    t.equal((await cluster.fetch(`/assets/${data.id}`)).status, 403);
    t.match(await codeOf(await json({ filename_download: 'x', type: 'a/b', filename_disk: 'y' })), [
      403,
      'FORBIDDEN',
    ]);
    t.match(await codeOf(await json({ filename_download: 'x', type: 'a/b', storage: 'nowhere' })), [
      400,
      'INVALID_PAYLOAD',
    ]);
  });

  t.test('bodies that are no files', async (t) => {
    t.match(await codeOf(await send(cluster, form(['title', 'x']))), [400, 'INVALID_PAYLOAD']);
    t.match(await codeOf(await send(cluster, form(['file', textFile('x')], ['title', 'late']))), [
      400,
      'INVALID_PAYLOAD',
      /must precede/,
    ]);
    const large = new File([new Uint8Array(21 * 1024 * 1024)], 'large.bin');
    t.match(await codeOf(await send(cluster, form(['file', large]))), [413, 'CONTENT_TOO_LARGE']);
    t.equal(await unclaimed(cluster), 0);
  });

  t.test('an upload that is cut off leaves nothing', async (t) => {
    const before = storedContent(cluster);
    const rows = async () =>
      Number((await cluster.db.query('SELECT count(*) FROM system_files')).rows[0].count);
    const count = await rows();
    const { hostname, port } = new URL(cluster.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      `POST /files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n` +
        'Content-Type: multipart/form-data; boundary=B\r\nContent-Length: 1000000\r\n\r\n' +
        '--B\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n',
    );
    socket.write(randomBytes(100_000));
    await until(async () => (await unclaimed(cluster)) === 1, 'it is noted before its bytes');
    socket.destroy();
    await until(async () => (await unclaimed(cluster)) === 0, 'it is given up');
    t.strictSame(storedContent(cluster), before);
    t.equal(await rows(), count);
  });

  t.test('folders cannot become rings', async (t) => {
    const json = async (path: string, body: object, method = 'POST') =>
      cluster.fetch(path, {
        method,
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json' },
      });
    const folder = async (name: string, parent: string | null) =>
      (await bodyOf<Answer<{ id: string }>>(await json('/folders', { name, parent }))).data.id;
    const a = await folder('a', null);
    const b = await folder('b', a);
    const c = await folder('c', b);
    t.match(await codeOf(await json(`/folders/${a}`, { parent: c }, 'PATCH')), [
      400,
      'INVALID_PAYLOAD',
      /inside itself/,
    ]);
    t.equal((await json(`/folders/${a}`, { parent: a }, 'PATCH')).status, 400);
    await create(['folder', b], ['file', textFile('in b', 'deep.txt')]);
    await create(['folder', a], ['file', textFile('in a', 'top.txt')]);
    const zip = await cluster.fetch(`/assets/folder/${a}`, { method: 'POST' });
    t.match(Object.fromEntries(zip.headers), {
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="a.zip"',
      'content-length': /^\d+$/,
    });
    const bytes = Buffer.from(await zip.arrayBuffer());
    t.equal(String(bytes.length), zip.headers.get('content-length'));
    const text = bytes.toString('latin1');
    for (const part of ['b/deep.txt', 'in b', 'top.txt', 'in a']) t.ok(text.includes(part), part);
    t.match(await codeOf(await cluster.fetch(`/folders/${a}`, { method: 'DELETE' })), [
      400,
      'INVALID_FOREIGN_KEY',
    ]);
  });

  t.test('a signed URL works for whoever has it, for its file and its time', async (t) => {
    const file = await create(['file', textFile('for you')]);
    const other = await create(['file', textFile('not for you')]);
    const answer = await cluster.fetch(`/files/${file.id}/url`, {
      method: 'POST',
      body: '{"expires":60}',
      headers: { 'Content-Type': 'application/json' },
    });
    const { data } = await bodyOf<Answer<{ url: string; expires: string }>>(answer);
    const { search } = new URL(data.url);
    t.equal(await (await fetch(`${cluster.url}/assets/${file.id}${search}`)).text(), 'for you');
    t.equal((await fetch(`${cluster.url}/assets/${other.id}${search}`)).status, 403);
    t.equal((await fetch(`${cluster.url}/assets/${file.id}`)).status, 403);
    t.equal((await fetch(`${cluster.url}/assets/${file.id}${search}x`)).status, 403);
  });

  t.test('a file from a URL', async (t) => {
    const server = createServer((request, response) => {
      if (request.url !== '/a_picture.png') return response.writeHead(404).end();
      return response.setHeader('Content-Type', 'image/png').end(PNG);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const bring = (body: object) =>
      cluster.fetch('/files/import', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json' },
      });
    const url = `http://127.0.0.1:${port}/a_picture.png`;
    const { data } = await bodyOf<Answer<FileRow>>(await bring({ url, data: { tags: ['x'] } }));
    t.match(data, {
      type: 'image/png',
      title: 'A Picture',
      tags: ['x'],
      filesize: `${PNG.length}`,
    });
    t.match(await codeOf(await bring({ url: `${url}x` })), [503, 'SERVICE_UNAVAILABLE', /404/]);
    const hidden = await codeOf(await bring({ url: 'http://[::1]/' }));
    t.match(hidden, [503, 'SERVICE_UNAVAILABLE', /no public address/]);
    const missing = await codeOf(await bring({ url: 'http://nothing.invalid/' }));
    t.strictSame(missing, hidden, 'a name that does not exist is answered alike');
    const only = { filterMimeType: ['application/pdf'] };
    t.match(await codeOf(await bring({ url, options: only })), [
      400,
      'INVALID_PAYLOAD',
      /image\/png/,
    ]);
    t.match(await codeOf(await bring({})), [400, 'INVALID_PAYLOAD', /url/]);
    t.match(await codeOf(await bring({ url, data: { folder: { name: 'x' } } })), [400]);

    const query = `mutation ($url: String!) {
      import_file(url: $url, data: { title: "By GraphQL", tags: "y" }) { title type filesize }
    }`;
    const asked = await cluster.fetch('/graphql/system', {
      method: 'POST',
      body: JSON.stringify({ query, variables: { url } }),
    });
    t.match(await bodyOf(asked), {
      data: { import_file: { title: 'By GraphQL', type: 'image/png', filesize: `${PNG.length}` } },
    });
    const inside = { query, variables: { url: 'http://[::1]/' } };
    const refused = await cluster.fetch('/graphql/system', {
      method: 'POST',
      body: JSON.stringify(inside),
    });
    t.match(await bodyOf(refused), { errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] });
    t.equal(await unclaimed(cluster), 0);
  });
});
