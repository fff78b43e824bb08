// @newest

import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { Upload } from 'tus-js-client';
import { bodyOf } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

const TUS = { 'Tus-Resumable': '1.0.0' };
const AS_ADMIN = { Authorization: `Bearer ${ADMIN_TOKEN}` };
const OFFSET = { 'Content-Type': 'application/offset+octet-stream' };

function encoded(metadata: Readonly<Record<string, string>>): string {
  return Object.entries(metadata)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');
}

function storedContent({ dataDir }: Cluster): string[] {
  const folder = join(dataDir, 'files');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name !== 'storage-id') : [];
}

const count = async ({ db }: Cluster, table: string) =>
  Number((await db.query(`SELECT count(*) FROM ${table}`)).rows[0].count);

/** Requests of the protocol, through any edge. */
class Client {
  readonly url: string;
  readonly token: string;

  constructor(url: string, token = ADMIN_TOKEN) {
    this.url = url;
    this.token = token;
  }

  send(path: string, method: string, headers = {}, body: Uint8Array<ArrayBuffer> | null = null) {
    const own = { ...TUS, Authorization: `Bearer ${this.token}`, ...headers };
    return fetch(`${this.url}${path}`, { method, headers: own, body });
  }

  async begin(length: number, metadata: Record<string, string> = { filename_download: 'a.bin' }) {
    const headers = { 'Upload-Length': `${length}`, 'Upload-Metadata': encoded(metadata) };
    const answer = await this.send('/files/tus', 'POST', headers);
    return { answer, path: answer.headers.get('location') ?? '' };
  }

  add(path: string, offset: number, body: Uint8Array<ArrayBuffer>, headers = {}) {
    const all = { ...OFFSET, 'Upload-Offset': `${offset}`, ...headers };
    return this.send(path, 'PATCH', all, body);
  }

  async offset(path: string): Promise<[number, string | null]> {
    const { status, headers } = await this.send(path, 'HEAD');
    return [status, headers.get('upload-offset')];
  }
}

t.test('uploads that can be resumed', async (t) => {
  const cluster = await startCluster(t, {
    edges: 2,
    workers: 1,
    env: {
      ...{ FILES_MAX_UPLOAD_SIZE: '50mb', TUS_UPLOAD_EXPIRATION: '1h', TUS_MAX_PER_USER: '20' },
      // Memory for two pieces, for which a third one waits.
      ...{ STORAGE_PART_SIZE: '8mb', STORAGE_UPLOAD_MEMORY: '16mb' },
    },
  });
  const [first = '', second = ''] = cluster.urls;
  const [one, two] = [new Client(first), new Client(second)];
  const content = randomBytes(1_000_000);
  const sha256 = createHash('sha256').update(content).digest('hex');

  t.test('pieces through two edges become one file', async (t) => {
    const { answer, path } = await one.begin(content.length, {
      filename_download: 'half_and-half.bin',
      description: 'ü',
    });
    t.equal(answer.status, 201);
    t.match(path, /^\/files\/tus\/[0-9a-f-]{36}$/);
    t.ok(Date.parse(answer.headers.get('upload-expires') ?? '') > Date.now());
    const half = await one.add(path, 0, content.subarray(0, 400_000));
    t.strictSame([half.status, half.headers.get('upload-offset')], [204, '400000']);
    t.strictSame(await two.offset(path), [200, '400000']);
    t.equal((await two.add(path, 0, content.subarray(0, 10))).status, 409, 'not the offset');
    const rest = await two.add(path, 400_000, content.subarray(400_000));
    t.equal(rest.status, 204);
    const id = rest.headers.get('file-id');
    const { data } = await bodyOf<{ data: object }>(await cluster.fetch(`/files/${id}`));
    t.match(data, {
      ...{ sha256, filesize: '1000000', title: 'Half And Half', description: 'ü' },
      type: 'application/octet-stream',
    });
    const back = await (await cluster.fetch(`/assets/${id}`)).arrayBuffer();
    t.ok(Buffer.from(back).equals(content));
    t.strictSame(await one.offset(path), [200, '1000000'], 'who missed the answer hears it again');
    t.equal(await count(cluster, 'system_unclaimed_content'), 0);
  });

  /** Sends the beginning of a piece that is announced as the whole content. */
  const beginPiece = async (path: string, bytes: number) => {
    const { hostname, port } = new URL(first);
    const socket = connect(Number(port), hostname);
    const headers = { ...TUS, ...AS_ADMIN, ...OFFSET, 'Upload-Offset': '0', Host: hostname };
    const lines = Object.entries({ ...headers, 'Content-Length': `${content.length}` });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`PATCH ${path} HTTP/1.1\r\n${head}\r\n`);
    await new Promise((resolve) => socket.write(content.subarray(0, bytes), resolve));
    return socket;
  };

  /** How many pieces are being added. */
  const adding = async () => {
    const sql = 'SELECT FROM system_resumable_uploads WHERE lock IS NOT NULL';
    return (await cluster.db.query(sql)).rowCount;
  };

  t.test('what arrived before the connection broke counts', async (t) => {
    const { path } = await one.begin(content.length);
    const others = [await one.begin(content.length), await one.begin(content.length)];
    const holders = await Promise.all(others.map((other) => beginPiece(other.path, 1_000)));
    await until(async () => (await adding()) === 2, 'they have the memory');
    const socket = await beginPiece(path, 600_000);
    await until(async () => (await adding()) === 3, 'it arrives');
    for (const one of [socket, ...holders]) one.destroy();
    await until(async () => (await adding()) === 0, 'the edge notices');
    t.strictSame(await two.offset(path), [200, '600000']);
    const rest = await two.add(path, 600_000, content.subarray(600_000));
    t.equal(rest.status, 204);
    const file = await cluster.fetch(`/files/${rest.headers.get('file-id')}`);
    t.match(await file.json(), { data: { sha256 } });
    for (const other of others) t.equal((await two.send(other.path, 'DELETE')).status, 204);
  });

  t.test('who goes away while he waits for his turn waits no longer', async (t) => {
    const { path } = await one.begin(content.length);
    const id = path.split('/').at(-1);
    const change = (what: string) =>
      cluster.db.query(`UPDATE system_resumable_uploads SET ${what} WHERE id = $1`, [id]);
    /** Whether somebody asks for a turn again, which he does five times a second. */
    const isAskedFor = async () => {
      await change('contended = false');
      await delay(600);
      const asked = 'SELECT FROM system_resumable_uploads WHERE id = $1 AND contended';
      return (await cluster.db.query(asked, [id])).rowCount === 1;
    };
    await change("lock = gen_random_uuid(), locked_until = now() + interval '1 h'");
    const socket = await beginPiece(path, 1_000);
    await until(isAskedFor, 'it waits');
    socket.destroy();
    // A client that stays waits for twelve seconds.
    await until(async () => !(await isAskedFor()), 'it waits no longer', 8_000);
    await change('lock = NULL, locked_until = NULL');
    t.strictSame(await one.offset(path), [200, '0']);
    t.equal((await one.send(path, 'DELETE')).status, 204);
  });

  /** Holds the row of an upload in a transaction, and waits until the request of `ask` waits for it. */
  const besideLock = async (path: string, change: string, ask: () => Promise<Response>) => {
    const holder = await cluster.db.connect();
    const id = path.split('/').at(-1);
    await holder.query('BEGIN');
    await holder.query(`UPDATE system_resumable_uploads SET ${change} WHERE id = $1`, [id]);
    const answering = ask();
    const waiting = async () => {
      const { rows } = await cluster.db.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'
          AND datname = current_database() AND query LIKE '%resumable_uploads%'`,
      );
      return rows[0]?.pid;
    };
    const pid = await until(waiting, 'the request waits for the row');
    const end = async (how: 'COMMIT' | 'ROLLBACK') => {
      await holder.query(how);
      holder.release();
    };
    return { answering, pid, end };
  };

  t.test('a session that ends within the protocol is an outage like any other', async (t) => {
    const requests = {
      PATCH: (path: string) => one.add(path, 0, Buffer.from('abc')),
      HEAD: (path: string) => one.send(path, 'HEAD'),
      DELETE: (path: string) => one.send(path, 'DELETE'),
    };
    for (const [method, send] of Object.entries(requests)) {
      const { path } = await one.begin(3);
      const { answering, pid, end } = await besideLock(path, 'created_on = created_on', () =>
        send(path),
      );
      await cluster.db.query('SELECT pg_terminate_backend($1)', [pid]);
      const answer = await answering;
      t.equal(answer.status, 503, `${method}: ${await answer.text()}`);
      t.ok(answer.headers.get('retry-after'), 'it says when to come again');
      await end('ROLLBACK');
      t.ok((await send(path)).ok, `${method} works again`);
    }
  });

  t.test('a lock that another request got at the same moment is waited for', async (t) => {
    const { path } = await one.begin(3);
    const taken = `lock = gen_random_uuid(), locked_until = now() + interval '1 h'`;
    const { answering, end } = await besideLock(path, taken, () =>
      one.add(path, 0, Buffer.from('abc')),
    );
    await end('COMMIT');
    const id = path.split('/').at(-1);
    const contended = 'SELECT FROM system_resumable_uploads WHERE id = $1 AND contended';
    const isAsked = async () => (await cluster.db.query(contended, [id])).rowCount === 1;
    await until(isAsked, 'the other one is asked to stop');
    await cluster.db.query(
      'UPDATE system_resumable_uploads SET lock = NULL, locked_until = NULL WHERE id = $1',
      [id],
    );
    const answer = await answering;
    t.equal(answer.status, 204, await answer.text());
  });

  t.test('a checksum is checked before anything counts', async (t) => {
    const { path } = await one.begin(6);
    const digest = createHash('sha1').update('abc').digest('base64');
    const headers = { 'Upload-Checksum': `sha1 ${digest}` };
    t.equal((await one.add(path, 0, Buffer.from('abx'), headers)).status, 460);
    t.strictSame(await one.offset(path), [200, '0']);
    t.equal((await one.add(path, 0, Buffer.from('abc'), headers)).status, 204);
    t.equal((await one.add(path, 3, Buffer.from('d'), { 'Upload-Checksum': 'crc x' })).status, 400);
    const last = await one.add(path, 3, Buffer.from('def'));
    t.equal(await (await cluster.fetch(`/assets/${last.headers.get('file-id')}`)).text(), 'abcdef');
  });

  t.test('ended, expired and unknown uploads leave nothing', async (t) => {
    const before = storedContent(cluster);
    const { path } = await one.begin(10);
    await one.add(path, 0, Buffer.from('12345'));
    t.equal((await two.send(path, 'DELETE')).status, 204);
    t.equal((await one.offset(path))[0], 403);
    t.strictSame(storedContent(cluster), before);
    const other = await one.begin(10);
    await one.add(other.path, 0, Buffer.from('12345'));
    await cluster.db.query(
      "UPDATE system_resumable_uploads SET expires_on = now() - interval '1 s' WHERE file IS NULL",
    );
    await cluster.db.query(
      "UPDATE system_unclaimed_content SET expires_on = now() - interval '1 s'",
    );
    t.equal((await one.offset(other.path))[0], 403);
    await cluster.fetch('/files/00000000-0000-4000-8000-000000000000', { method: 'DELETE' });
    const temporary = await one.begin(0);
    t.equal(temporary.answer.status, 201, 'an empty file is there at once');
    await cluster.fetch(`/files/${temporary.answer.headers.get('file-id')}`, { method: 'DELETE' });
    await until(() => storedContent(cluster).length === before.length, 'the content is swept');
    for (const path of ['/files/tus/x', '/files/tus/00000000-0000-4000-8000-000000000000']) {
      t.equal((await one.offset(path))[0], 403);
    }
    t.equal((await one.send('/files/tus/x', 'GET')).status, 403);
  });

  t.test('an upload belongs to who began it', async (t) => {
    const { token } = await createMember(cluster, [
      { collection: 'system_files', action: 'create', fields: ['*'] },
      { collection: 'system_files', action: 'read', fields: ['*'] },
    ]);
    const { path } = await one.begin(10);
    const member = new Client(first, token);
    t.equal((await member.offset(path))[0], 403);
    t.equal((await member.add(path, 0, Buffer.from('x'))).status, 403);
    t.equal((await member.send(path, 'DELETE')).status, 403);
    const own = await member.begin(1);
    t.equal((await member.add(own.path, 0, Buffer.from('x'))).status, 204);
    const { token: none } = await createMember(cluster, []);
    t.equal((await new Client(first, none).begin(1)).answer.status, 403);
  });

  t.test('limits and malformed requests', async (t) => {
    t.equal((await one.begin(51 * 1024 * 1024)).answer.status, 413);
    t.equal((await one.begin(1, {})).answer.status, 400, 'a file needs a name');
    const { path } = await one.begin(3);
    t.equal((await one.add(path, 0, Buffer.from('1234'))).status, 413);
    t.equal((await fetch(first + path, { method: 'HEAD', headers: AS_ADMIN })).status, 412);
    const refused = await one.begin(3, { filename_download: 'x', folder: 'no uuid' });
    const last = await one.add(refused.path, 0, Buffer.from('123'));
    t.equal(last.status, 400, 'what can become no file says so at the end');
    t.equal((await one.offset(refused.path))[0], 403, 'and is not kept');
  });

  t.test('who has begun many uploads completes or ends one first', async (t) => {
    const member = await createMember(cluster, [{ collection: 'system_files', action: 'create' }]);
    const client = new Client(first, member.token);
    const paths: string[] = [];
    for (let n = 0; n < 20; n += 1) paths.push((await client.begin(1)).path);
    const { answer } = await client.begin(1);
    t.equal(answer.status, 429);
    t.match(await answer.text(), /TUS_MAX_PER_USER/);
    const [complete = '', ended = '', ...rest] = paths;
    t.equal((await client.add(complete, 0, new Uint8Array(1))).status, 204);
    t.equal((await client.begin(1)).answer.status, 201);
    t.equal((await client.send(ended, 'DELETE')).status, 204);
    const { path } = await client.begin(1);
    for (const left of [...rest, path]) await client.send(left, 'DELETE');
  });

  t.test('a length that is told late counts for the quota, and pieces without one', async (t) => {
    const strict = await cluster.addEdge({ FILES_MAX_PER_USER: '1mb' });
    const { token } = await createMember(cluster, [
      { collection: 'system_files', action: 'create', fields: ['*'] },
    ]);
    const member = new Client(strict.url, token);
    const begin = async () => {
      const metadata = encoded({ filename_download: 'late.bin' });
      const headers = { 'Upload-Defer-Length': '1', 'Upload-Metadata': metadata };
      const answer = await member.send('/files/tus', 'POST', headers);
      return answer.headers.get('location') ?? '';
    };
    const told = await member.add(await begin(), 0, content.subarray(0, 1), {
      'Upload-Length': '2000000',
    });
    t.equal(told.status, 429);
    const untold = await member.add(await begin(), 0, randomBytes(1_200_000));
    t.equal(untold.status, 429);
  });

  t.test('tus-js-client', async (t) => {
    const id = await new Promise<string | null>((resolve, reject) => {
      let file: string | null = null;
      const upload = new Upload(content, {
        endpoint: `${first}/files/tus`,
        headers: AS_ADMIN,
        chunkSize: 300_000,
        metadata: { filename: 'client.bin', filetype: 'application/x-own' },
        onAfterResponse: (_, response) => {
          file = response.getHeader('File-Id') ?? file;
        },
        onError: reject,
        onSuccess: () => resolve(file),
      });
      upload.start();
    });
    const answer = await cluster.fetch(`/files/${id}`);
    t.match(await answer.json(), {
      data: { sha256, filename_download: 'client.bin', type: 'application/x-own' },
    });
  });
});
