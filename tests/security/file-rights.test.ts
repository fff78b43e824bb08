// @newest
/**
 * Whoever may not have or change a file does not get a byte in or out: not before a body has arrived,
 * not by names that lead elsewhere, not by a signature that is not his, not from a download that had
 * begun, and not from a cache.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { get, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createMember, type MemberUser } from '#tests/harness/member.ts';
import { sendAgain } from '#tests/harness/send-again.ts';
import { until } from '#tests/harness/until.ts';

const MB = 1024 * 1024;

let cluster: Cluster;
/** Reads, and nothing else. */
let reader: MemberUser;

t.before(async () => {
  cluster = await startCluster(t, { workers: 1, env: { ASSETS_CACHE_TTL: '1h' } });
  reader = await createMember(cluster, [{ collection: 'system_files', action: 'read' }]);
});

async function stored(content: string | Uint8Array<ArrayBuffer>, name = 'a.txt'): Promise<string> {
  const form = new FormData();
  form.append('file', new File([content], name));
  const answer = await cluster.fetch('/files', { method: 'POST', body: form });
  return JSON.parse(await answer.text()).data.id;
}

const contents = () =>
  readdirSync(join(cluster.dataDir, 'files')).filter((name) => name !== 'storage-id');

async function begun(): Promise<number> {
  const { rows } = await cluster.db.query(
    `SELECT count(*)::int AS count FROM system_unclaimed_content`,
  );
  return rows[0].count;
}

interface Refused {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends the head of a request and the beginning of its body, and waits for an answer. */
async function statusOfBeginning({ method, path, headers }: Refused): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(cluster.url + path, {
    method,
    headers: { authorization: `Bearer ${reader.token}`, 'content-length': 5 * MB, ...headers },
  });
  sent.on('error', reject);
  sent.on('response', (answer) => {
    answer.resume();
    resolve(answer.statusCode ?? 0);
  });
  sent.write(
    '--B\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nthe beginning',
  );
  const status = await promise;
  sent.on('error', () => undefined);
  sent.destroy();
  return status;
}

t.test('who may not write is refused before his bytes are there', async (t) => {
  const id = await stored('as it was');
  const before = contents();
  const form = { 'content-type': 'multipart/form-data; boundary=B' };
  const tus = { 'tus-resumable': '1.0.0', 'upload-length': String(5 * MB) };
  const all: readonly Refused[] = [
    { method: 'POST', path: '/files', headers: form },
    { method: 'PATCH', path: `/files/${id}`, headers: form },
    {
      method: 'POST',
      path: '/files/tus',
      headers: { ...tus, 'content-type': 'application/offset+octet-stream' },
    },
    {
      method: 'POST',
      path: '/files/tus',
      headers: { ...tus, 'upload-metadata': `replace ${Buffer.from(id).toString('base64')}` },
    },
  ];
  for (const one of all) {
    t.equal(await statusOfBeginning(one), 403, `${one.method} ${one.path}`);
  }
  const body = { url: 'http://127.0.0.1:1/x.txt' };
  t.equal((await reader.send('POST', '/files/import', body)).status, 403);
  t.equal((await reader.send('DELETE', `/files/${id}`)).status, 403);
  t.strictSame(contents(), before, 'not a byte was stored');
  t.equal(await begun(), 0);
  t.equal(await (await cluster.fetch(`/assets/${id}`)).text(), 'as it was');
});

/** Names that lead elsewhere, or end a header. */
const NAMES = [
  '../../../../etc/passwd',
  '..\\..\\windows\\system.ini',
  '/etc/passwd',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '....//....//etc/passwd',
  'a\0.txt',
  'a"; filename="b.html',
  'a.txt\r\nSet-Cookie: x=y',
  'file:///etc/passwd',
  '\u202etxt.exe',
  '.',
  '..',
];

t.test('names lead nowhere', async (t) => {
  const id = await stored('content');
  const before = contents();
  for (const name of NAMES) {
    for (const field of ['filename_disk', 'storage', 'tus_data', 'tus_id']) {
      const changed = await cluster.fetch(`/files/${id}`, {
        method: 'PATCH',
        body: JSON.stringify({ [field]: name }),
      });
      t.ok([400, 403].includes(changed.status), `${field} ${JSON.stringify(name)}`);
      await changed.arrayBuffer();
    }
    const named = await cluster.fetch(`/files/${id}`, {
      method: 'PATCH',
      body: JSON.stringify({ filename_download: name }),
    });
    await named.arrayBuffer();
    const answer = await cluster.fetch(`/assets/${id}?download`);
    t.equal(await answer.text(), 'content', JSON.stringify(name));
    const shown = answer.headers.get('content-disposition') ?? '';
    t.match(shown, /^attachment; filename="[^"/\\\0]*"(?:; filename\*=UTF-8''[\w.%~!$&+^`|-]*)?$/);
    t.equal(answer.headers.get('set-cookie'), null);
    for (const path of [`/assets/${encodeURIComponent(name)}`, `/assets/../${name}`]) {
      const { status } = await raw(path);
      t.ok([400, 403, 404].includes(status), `${JSON.stringify(path)}: ${status}`);
    }
    const zip = await cluster.fetch('/assets/files', {
      method: 'POST',
      body: JSON.stringify({ ids: [id] }),
    });
    const bytes = Buffer.from(await zip.arrayBuffer());
    const entry = bytes.toString('latin1', 30, 30 + bytes.readUInt16LE(26));
    t.notMatch(entry, /\/|\\|^\.\.?$/, 'an archive has it without folders');
  }
  t.strictSame(contents(), before);
});

/** An answer to a path that is sent as it is. */
async function raw(path: string): Promise<{ status: number }> {
  const { hostname, port } = new URL(cluster.url);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const clean = path.replace(/[^\x21-\x7e]/g, (one) => encodeURIComponent(one));
  const headers = { authorization: `Bearer ${reader.token}` };
  get({ hostname, port, path: clean, headers }, resolve).on('error', reject);
  const answer = await promise;
  answer.resume();
  return { status: answer.statusCode ?? 0 };
}

async function signed(id: string, as: MemberUser): Promise<string> {
  const { body } = await as.send('POST', `/files/${id}/url`, { expires: 3_600 });
  return new URL(body.data.url).searchParams.get('signature') ?? '';
}

const statusWith = async (id: string, signature: string) => {
  const send = async () => {
    const answer = await fetch(`${cluster.url}/assets/${id}?signature=${signature}`);
    return { status: answer.status, body: await answer.text() };
  };
  const { status } = await sendAgain(send, ({ body }) => body);
  return status;
};

t.test('a signature is good for one file, one time and one signer', async (t) => {
  const [id, other] = [await stored('for you'), await stored('not for you')];
  const signer = await createMember(cluster, [{ collection: 'system_files', action: 'read' }]);
  const signature = await signed(id, signer);
  t.equal(await statusWith(id, signature), 200);
  t.equal(await statusWith(other, signature), 403);
  const [head = '', claims = '', mark = ''] = signature.split('.');
  const changed = (part: string, change: (text: string) => string) =>
    Buffer.from(change(Buffer.from(part, 'base64url').toString())).toString('base64url');
  const forged = [
    ...[`${head}.${claims}.`, `${head}.${claims}`, `.${claims}.${mark}`, '', '.', 'x', `${mark}`],
    `${changed(head, () => '{"alg":"none"}')}.${claims}.`,
    `${changed(head, () => '{"alg":"HS256"}')}.${claims}.${createHash('sha256').update(claims).digest('base64url')}`,
    `${head}.${changed(claims, (json) => json.replaceAll(id, other))}.${mark}`,
    `${head}.${changed(claims, (json) => json.replace(/"exp":\d+/, '"exp":9999999999'))}.${mark}`,
    `${head}.${changed(claims, (json) => json.replaceAll(signer.id, reader.id))}.${mark}`,
    ...Array.from({ length: 20 }, (_, n) => {
      const at = Math.floor((n / 20) * signature.length);
      const letter = signature[at] === 'A' ? 'B' : 'A';
      return signature.slice(0, at) + letter + signature.slice(at + 1);
    }),
    reader.token,
  ];
  for (const one of forged) {
    for (const file of [id, other]) {
      const status = await statusWith(file, encodeURIComponent(one));
      t.ok([400, 401, 403].includes(status), `${one.slice(0, 60)}: ${status}`);
    }
  }
  const login = await fetch(`${cluster.url}/users/me`, {
    headers: { authorization: `Bearer ${signature}` },
  });
  t.equal(login.status, 401, 'a signature is no token');
  await login.arrayBuffer();

  const short = await signer.send('POST', `/files/${id}/url`, { expires: 1 });
  const brief = new URL(short.body.data.url).searchParams.get('signature') ?? '';
  await until(async () => (await statusWith(id, brief)) === 403, 'its time is over');
  await cluster.db.query('DELETE FROM system_permissions WHERE policy = $1', [signer.policy]);
  // A download that has begun when the right is lost is cut off.
  const status = () => statusWith(id, signature).catch(() => null);
  await until(async () => (await status()) === 403, 'its signer lost the right');
});

/** Begins to read a large file, and stops. */
async function slowDownload(url: string, token: string | null) {
  const headers: Record<string, string> =
    token === null ? {} : { authorization: `Bearer ${token}` };
  const send = async () => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    get(url, { headers, agent: false }, resolve).on('error', reject);
    const answer = await promise;
    answer.pause();
    const status = answer.statusCode ?? 0;
    return { answer, status, body: status === 200 ? '' : await text(answer) };
  };
  const { answer, status } = await sendAgain(send, ({ body }) => body);
  t.equal(status, 200);
  answer.on('error', () => undefined);
  const ended = new Promise<boolean>((done) => {
    answer.on('close', () => done(answer.complete));
  });
  /** Reads on. @returns whether it came to its end */
  const rest = () => {
    answer.resume();
    return ended;
  };
  return { rest };
}

t.test('a download ends when its reader loses the right, or the file is gone', async (t) => {
  const large = new Uint8Array(64 * MB);
  const [kept, deleted] = [await stored(large, 'kept.bin'), await stored(large, 'deleted.bin')];
  const loser = await createMember(cluster, [{ collection: 'system_files', action: 'read' }]);
  const downloads = [
    await slowDownload(`${cluster.url}/assets/${kept}`, loser.token),
    await slowDownload(
      `${cluster.url}/assets/${kept}?signature=${await signed(kept, loser)}`,
      null,
    ),
  ];
  const other = await slowDownload(`${cluster.url}/assets/${kept}`, reader.token);
  await cluster.db.query('DELETE FROM system_permissions WHERE policy = $1', [loser.policy]);
  await until(
    async () => (await loser.send('GET', `/files/${kept}`)).status === 403,
    'the right is gone',
  );
  for (const { rest } of downloads) t.notOk(await rest(), 'it breaks off');
  t.ok(await other.rest(), 'others read to the end');

  const late = await slowDownload(`${cluster.url}/assets/${deleted}`, reader.token);
  t.equal((await cluster.fetch(`/files/${deleted}`, { method: 'DELETE' })).status, 204);
  // The system keeps open files, so it may come to its end; it must not have other bytes.
  await late.rest();
  t.equal((await reader.send('GET', `/assets/${deleted}`)).status, 403);
});

t.test('caches keep nothing for others', async (t) => {
  const id = await stored('secret');
  const asked = (headers: Record<string, string>, query = '') =>
    fetch(`${cluster.url}/assets/${id}${query}`, { headers });
  const own = await asked({ authorization: `Bearer ${reader.token}` });
  t.equal(await own.text(), 'secret');
  t.match(own.headers.get('cache-control'), /^private/);
  t.match(own.headers.get('vary'), /authorization/i);
  const tag = own.headers.get('etag') ?? '';
  const guessed = await asked({ 'if-none-match': tag });
  t.equal(guessed.status, 403, 'a tag is no right');
  t.match(guessed.headers.get('cache-control'), /no-cache|no-store/);
  const ranged = await asked({ range: 'bytes=0-1', 'if-range': tag });
  t.equal(ranged.status, 403);
  const evil = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil' };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const posted = request(
    `${cluster.url}/files/${id}/url`,
    { method: 'POST', headers: { ...evil, authorization: `Bearer ${reader.token}` } },
    resolve,
  );
  posted.on('error', reject);
  posted.end('{"expires":60}');
  t.notMatch(await text(await promise), /evil/, 'no header decides where URLs lead');
});

t.test('an archive of thousands of files', async (t) => {
  const bytes = new Uint8Array(randomBytes(10));
  const first = await stored(bytes, 'x.bin');
  const { rows } = await cluster.db.query<{ id: string }>(
    `INSERT INTO system_files (id, storage, filename_disk, filename_download, type, filesize, title)
     SELECT gen_random_uuid(), storage, filename_disk, filename_download, type, filesize, n::text
       FROM system_files, generate_series(1, 10001) n WHERE id = $1 RETURNING id`,
    [first],
  );
  const ids = rows.map(({ id }) => id);
  const zip = async (asked: readonly string[]) =>
    await cluster.fetch('/assets/files', { method: 'POST', body: JSON.stringify({ ids: asked }) });
  const tooMany = await zip(ids);
  t.ok([403, 413].includes(tooMany.status), `${tooMany.status}`);
  await tooMany.arrayBuffer();
  const some = await zip(ids.slice(0, 5_000));
  const archive = Buffer.from(await some.arrayBuffer());
  t.equal(archive.readUInt16LE(archive.length - 12), 5_000, 'all of them are in it');
  const hidden = await fetch(`${cluster.url}/assets/files`, {
    method: 'POST',
    body: JSON.stringify({ ids: ids.slice(0, 5_000) }),
    headers: { 'content-type': 'application/json' },
  });
  t.equal(hidden.status, 403, 'nobody gets one of files that he may not read');
  await hidden.arrayBuffer();
});
