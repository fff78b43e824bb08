// @newest @slow
/**
 * Hostile clients of files: bodies, uploads in pieces, parts of files, folders and quotas as nobody should
 * ask for them. Each answer has a status that is right for it, and nothing is left afterwards. ROUNDS
 * says how often chance tries; SEED repeats a run.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { Dice } from '#tests/harness/dice.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';
import { BODIES, FORM_TYPE, type HostileBody, spoiled } from './file-attack/multipart.ts';
import { sendRaw } from './file-attack/raw.ts';
import { DEFERRED, LENGTHS, METADATA, PIECES } from './file-attack/tus.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 40);
const SEED = Number(process.env.SEED ?? 5);
const QUOTA = 20 * 1024 * 1024;
const dice = new Dice(SEED);

const cluster: Cluster = await startCluster(t, {
  edges: 2,
  workers: 0,
  env: { FILES_MAX_UPLOAD_SIZE: '1000000b', FILES_MAX_PER_USER: `${QUOTA}b` },
});
const [first = '', second = ''] = cluster.urls;
const { id: user, token } = await createMember(
  cluster,
  (['create', 'read', 'update', 'delete'] as const).map((action) => ({
    ...{ collection: 'system_files', action, fields: ['*'] },
  })),
);
const auth = { Authorization: `Bearer ${token}` };
const forget = () => cluster.db.query('DELETE FROM system_files WHERE uploaded_by = $1', [user]);

type Sent = string | Uint8Array<ArrayBuffer>;

async function ask(url: string, path: string, init: RequestInit = {}) {
  const answer = await fetch(url + path, { ...init, headers: { ...auth, ...init.headers } });
  const content = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, content };
}

async function upload(content: Uint8Array<ArrayBuffer>, url = first) {
  const form = new FormData();
  form.append('file', new File([content], 'a.bin'));
  const answer = await ask(url, '/files', { method: 'POST', body: form });
  const id = /"id":"([^"]+)"/.exec(answer.content.toString())?.[1] ?? '';
  return { status: answer.status, id };
}

function tus(url: string, path: string, method: string, headers = {}, body?: Sent) {
  const all = { 'Tus-Resumable': '1.0.0', ...headers };
  return ask(url, path, { method, headers: all, ...(body === undefined ? {} : { body }) });
}

async function begin(headers: Readonly<Record<string, string>>) {
  const answer = await tus(first, '/files/tus', 'POST', {
    'Upload-Metadata': 'filename eA==',
    ...headers,
  });
  return { ...answer, path: answer.headers.get('location') ?? '' };
}

function add(url: string, path: string, offset: string, body: Sent, headers = {}) {
  const type = { 'Content-Type': 'application/offset+octet-stream' };
  return tus(url, path, 'PATCH', { ...type, 'Upload-Offset': offset, ...headers }, body);
}

async function sendBody({ name, type = FORM_TYPE, body, statuses }: HostileBody, piece: number) {
  const { status } = await sendRaw(first, {
    ...{ method: 'POST', path: '/files', body, chunked: dice.below(2) === 0 },
    pieces: () => piece,
    headers: { ...auth, 'Content-Type': type },
  });
  if (!statuses.includes(status)) t.fail(`${name} in pieces of ${piece}: ${status}`);
}

t.test('bodies', async (t) => {
  for (const one of BODIES) await sendBody(one, one.body.length < 3_000 ? 1 : 7_000);
  for (let n = 0; n < ROUNDS; n += 1) await sendBody(spoiled(dice), 1 + dice.below(60));
  await forget();
  t.pass(`${BODIES.length} kinds, ${ROUNDS} by chance`);
});

t.test('uploads in pieces', async (t) => {
  for (const [length, statuses] of LENGTHS) {
    const { status } = await begin({ 'Upload-Length': length });
    t.ok(statuses.includes(status), `length ${length}: ${status}`);
  }
  for (const metadata of METADATA) {
    const begun = await begin({ 'Upload-Length': '3', 'Upload-Metadata': metadata });
    t.ok([201, 400, 403].includes(begun.status), `${metadata.slice(0, 50)}: ${begun.status}`);
    if (begun.status !== 201) continue;
    const { status } = await add(second, begun.path, '0', 'abc');
    t.ok([204, 400, 403].includes(status), `the end of ${metadata.slice(0, 50)}: ${status}`);
  }
  const { path } = await begin({ 'Upload-Length': '10' });
  for (const [offset, headers, body, statuses] of PIECES) {
    const { status } = await add(first, path, offset, body, headers);
    t.ok(statuses.includes(status), `at ${offset} with ${JSON.stringify(headers)}: ${status}`);
  }
  const { headers } = await tus(second, path, 'HEAD');
  t.equal(headers.get('upload-offset'), '0', 'none of it counts');
  await tus(first, path, 'DELETE');
  const { path: late } = await begin({ 'Upload-Defer-Length': '1' });
  for (const [length, statuses] of DEFERRED) {
    const { status } = await add(first, late, '0', '', { 'Upload-Length': length });
    t.ok(statuses.includes(status), `length ${length}, told late: ${status}`);
  }
  t.equal((await add(first, late, '0', 'x'.repeat(6))).status, 413, 'more than was told');
  await tus(first, late, 'DELETE');
});

t.test('several clients of one upload, on two edges', async (t) => {
  for (let n = 0; n < 1 + ROUNDS / 20; n += 1) {
    const content = new Uint8Array(randomBytes(200_000));
    const { path } = await begin({ 'Upload-Length': `${content.length}` });
    const at = [first, second, first, second];
    const answers = await Promise.all(at.map((url) => add(url, path, '0', content)));
    const all = answers.map(({ status }) => status);
    t.ok(
      all.every((status) => [204, 409, 423].includes(status)),
      `${all}`,
    );
    const file = (await tus(first, path, 'HEAD')).headers.get('file-id');
    t.ok((await ask(second, `/assets/${file}`)).content.equals(content));
    const ended = await begin({ 'Upload-Length': '400000' });
    const adding = sendRaw(first, {
      ...{ method: 'PATCH', path: ended.path, body: randomBytes(400_000), pieces: () => 5_000 },
      headers: {
        ...{ ...auth, 'Tus-Resumable': '1.0.0', 'Upload-Offset': '0' },
        'Content-Type': 'application/offset+octet-stream',
      },
    });
    const { status } = await tus(second, ended.path, 'DELETE');
    const added = (await adding).status;
    t.ok([204, 423].includes(status), `ended: ${status}`);
    t.ok([0, 204, 400, 403, 409].includes(added), `while it arrives: ${added}`);
  }
  await forget();
});

t.test('parts of a file', async (t) => {
  const content = randomBytes(100_000);
  const { id } = await upload(new Uint8Array(content));
  const number = () => dice.below(120_000);
  const range = () => dice.pick([`${number()}-${number()}`, `${number()}-`, `-${number()}`, '0-0']);
  const fixed = [
    ...['bytes=-0', 'bytes=-', 'bytes=', 'bytes=--1', 'bytes=5-4', 'bytes=1e2-2e2', 'lines=0-1'],
    ...['bytes=0-99999999999999999999', 'bytes=99999999999999999999-', 'bytes=+1-2', 'bytes=0-1;x'],
    `bytes=${Array.from({ length: 700 }, (_, n) => `${2 * n}-${2 * n}`).join(',')}`,
    `bytes=${'0-,'.repeat(300)}0-`,
  ];
  const random = Array.from(
    { length: ROUNDS },
    () => `bytes=${Array.from({ length: 1 + dice.below(20) }, range).join(',')}`,
  );
  for (const one of [...fixed, ...random]) {
    const answer = await ask(first, `/assets/${id}`, { headers: { Range: one } });
    const shown = `${one.slice(0, 60)}: ${answer.status}`;
    t.ok([200, 206, 416].includes(answer.status), shown);
    t.equal(answer.headers.get('content-length'), `${answer.content.length}`);
    if (answer.status === 200) t.ok(answer.content.equals(content), shown);
    t.ok(answer.content.length <= content.length + 16 * 300, `${shown}: no more than the file`);
  }
});

t.test('folders that are moved at once are no ring', async (t) => {
  const send = async (url: string, path: string, method: string, body: object) => {
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' };
    return await ask(url, path, { method, headers, body: JSON.stringify(body) });
  };
  for (let n = 0; n < 1 + ROUNDS / 20; n += 1) {
    const made = await Promise.all(
      ['a', 'b', 'c'].map((name) => send(first, '/folders', 'POST', { name })),
    );
    const ids = made.map(({ content }) => /"id":"([^"]+)"/.exec(content.toString())?.[1] ?? '');
    const moved = await Promise.all(
      ids.map((id, k) =>
        send([first, second][k % 2] ?? '', `/folders/${id}`, 'PATCH', { parent: ids[(k + 1) % 3] }),
      ),
    );
    t.ok(moved.every(({ status }) => [200, 400, 409].includes(status)));
  }
  const { rowCount } = await cluster.db.query(`WITH RECURSIVE up AS (
      SELECT id, parent, 1 AS depth FROM system_folders
      UNION ALL SELECT up.id, f.parent, depth + 1 FROM up JOIN system_folders f ON f.id = up.parent
        WHERE depth < 50)
    SELECT FROM up WHERE depth = 50`);
  t.equal(rowCount, 0);
});

t.test('the quota counts arriving bytes, and admits files that fit', async (t) => {
  await forget();
  const left = 1_500_000;
  await cluster.db.query(
    `INSERT INTO system_files (storage, filename_download, type, filesize, uploaded_by)
      VALUES ('local', 'x', 'x/y', $1, $2)`,
    [QUOTA - left, user],
  );
  const content = new Uint8Array(900_000);
  const at = [first, second, first, second];
  const statuses = (await Promise.all(at.map((url) => upload(content, url)))).map(
    ({ status }) => status,
  );
  t.ok(
    statuses.every((status) => status === 200 || status === 429),
    `${statuses}`,
  );
  const stored = statuses.filter((status) => status === 200).length;
  t.ok(stored <= 1, 'two of them do not fit');
  t.equal((await upload(content)).status, stored === 0 ? 200 : 429);
  t.equal((await upload(new Uint8Array(left - 900_000))).status, 200, 'up to the last byte');
  t.equal((await upload(new Uint8Array(1))).status, 429);
  await forget();
  t.equal((await upload(new Uint8Array(1_000_000))).status, 200, 'the largest file');
  t.equal((await upload(new Uint8Array(1_000_001))).status, 413);
});

t.test('nothing is left', async (t) => {
  const { rowCount: locks } = await cluster.db.query(
    'SELECT FROM system_resumable_uploads WHERE lock IS NOT NULL',
  );
  t.equal(locks, 0, 'no lock');
  const arriving = async () =>
    (
      await cluster.db.query(`SELECT FROM system_unclaimed_content c WHERE state = 'arriving'
        AND NOT EXISTS (SELECT FROM system_resumable_uploads u WHERE u.name = c.name)`)
    ).rowCount;
  await until(async () => (await arriving()) === 0, 'no upload that arrives');
  const names = readdirSync(join(cluster.dataDir, 'files'));
  t.notOk(
    names.find((name) => name.includes('.unfinished')),
    'no unfinished file',
  );
  for (const { process } of cluster.edges) t.equal(process.exitCode, null);
  for (const { output } of cluster.edges) t.notMatch(output(), /"level":50/, 'no error is logged');
});
