// @newest

/** Random rules over random files: whatever tells of a file, or of its bytes, tells of the same ones. */
import { randomInt } from 'node:crypto';
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { Dice } from '#tests/harness/dice.ts';
import { flood } from '#tests/harness/hostile-image.ts';
import { type Answer, createMember, type MemberUser } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

const FILES = 14;
const RULES = 24;
const SEED = Number(process.env.SEED ?? randomInt(2 ** 31));

interface Row {
  readonly id: string;
  readonly folder: string | null;
}

/** A random condition on files; some name the folder, and some the uploader. */
function ruleOf(dice: Dice, folders: readonly [string, ...string[]], depth = 0): object {
  const text = () => dice.pick(['a', 'b', 'text/plain', 'image/png', 'none']);
  const leaves: readonly [() => object, ...(() => object)[]] = [
    () => ({ folder: { _eq: dice.pick(folders) } }),
    () => ({ folder: { _null: true } }),
    () => ({ folder: { name: { _eq: text() } } }),
    () => ({ folder: { parent: { name: { _eq: text() } } } }),
    () => ({ uploaded_by: { _eq: '$CURRENT_USER' } }),
    () => ({ uploaded_by: { _neq: '$CURRENT_USER' } }),
    () => ({ type: { _eq: text() } }),
    () => ({ filesize: { _gt: dice.below(6) } }),
    () => ({ title: { _in: [text(), text()] } }),
  ];
  if (depth < 2 && dice.below(3) === 0) {
    const parts = [ruleOf(dice, folders, depth + 1), ruleOf(dice, folders, depth + 1)];
    return dice.below(2) === 0 ? { _and: parts } : { _or: parts };
  }
  return dice.pick(leaves)();
}

async function created(cluster: Cluster, path: string, body: object): Promise<string> {
  const answer = await cluster.fetch(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  });
  return (await bodyOf<{ data: { id: string } }>(answer)).data.id;
}

/** The file that a part of the installation stores. */
async function stored(
  send: (form: FormData) => Promise<unknown>,
  dice: Dice,
  folders: readonly [string, ...string[]],
) {
  const form = new FormData();
  const folder = dice.below(3) === 0 ? null : dice.pick(folders);
  if (folder !== null) form.append('folder', folder);
  form.append('title', dice.pick(['a', 'b', 'none']));
  if (dice.below(3) === 0) {
    form.append('file', new File([new Uint8Array(flood(9, 9))], 'f.png', { type: 'image/png' }));
  } else {
    const type = dice.pick(['text/plain', 'application/json']);
    form.append('file', new File(['x'.repeat(dice.below(6))], 'f.txt', { type }));
  }
  await send(form);
}

/** The keys that a zip names as files. */
function namesIn(archive: Uint8Array, rows: readonly Row[]): string[] {
  const text = Buffer.from(archive).toString('latin1');
  return rows.map(({ id }) => id).filter((id) => text.includes(id));
}

t.test(`seed ${SEED}`, async (t) => {
  const dice = new Dice(SEED);
  const cluster = await startCluster(t, { edges: 1, workers: 1 });
  const top = await created(cluster, '/folders', { name: 'a' });
  const below = await created(cluster, '/folders', { name: 'b', parent: top });
  const folders = [top, below] as const;
  const uploader = await createMember(cluster, [
    { collection: 'system_files', action: 'create', fields: ['*'] },
    { collection: 'system_folders', action: 'read', fields: ['*'] },
  ]);
  for (let n = 0; n < FILES; n += 1) {
    const send = (form: FormData) =>
      n % 2 === 0
        ? cluster.fetch('/files', { method: 'POST', body: form })
        : uploader.upload('/files', form);
    await stored(send, dice, folders);
  }
  // Each is told by its key in archives.
  await cluster.db.query('UPDATE system_files SET filename_download = id::text');
  const all: Row[] = (await cluster.db.query('SELECT id, folder FROM system_files')).rows;
  t.equal(all.length, FILES);
  for (let n = 0; n < RULES; n += 1) {
    const rule = ruleOf(dice, folders);
    const member = await createMember(cluster, [
      { collection: 'system_files', action: 'read', fields: ['*'], permissions: rule },
      { collection: 'system_files', action: 'update', fields: ['*'], permissions: rule },
      { collection: 'system_folders', action: 'read', fields: ['*'] },
    ]);
    const name = JSON.stringify(rule);
    const listed = (await settled(() => member.send('GET', '/files?fields=id&limit=-1'))).body;
    const seen: string[] = listed.data.map(({ id }: Row) => id).sort();
    const isSeen = new Set(seen);
    t.strictSame(await graphql(member), seen, `GraphQL: ${name}`);
    const headers = { authorization: `Bearer ${member.token}` };
    for (const { id } of all) {
      const [asset, variant, replace] = await Promise.all([
        patient(`${cluster.url}/assets/${id}`, { headers }),
        patient(`${cluster.url}/assets/${id}?width=3`, { headers }),
        begin(cluster, member, id),
      ]);
      await Promise.all([asset.arrayBuffer(), variant.arrayBuffer()]);
      t.equal(variant.status, isSeen.has(id) ? 200 : 403, `variant: ${name}`);
      t.equal(asset.status, isSeen.has(id) ? 200 : 403, `bytes: ${name}`);
      t.equal(replace, isSeen.has(id) ? 201 : 403, `tus: ${name}`);
    }
    const zip = await patient(`${cluster.url}/assets/folder/${top}`, { method: 'POST', headers });
    const inside = all.filter(({ folder }) => folder !== null);
    t.strictSame(
      namesIn(new Uint8Array(await zip.arrayBuffer()), all).sort(),
      inside
        .map(({ id }) => id)
        .filter((id) => isSeen.has(id))
        .sort(),
      `folder: ${name}`,
    );
    const some = await patient(`${cluster.url}/assets/files`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ids: all.map(({ id }) => id) }),
    });
    await some.arrayBuffer();
    t.equal(some.status, seen.length === all.length ? 200 : 403, `files: ${name}`);
  }
});

/** Who reads while rights change, as those of the members before do, is asked to try again. */
async function settled(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask();
  await until(async () => {
    if (answer.status !== 503 && answer.code !== 'SERVICE_UNAVAILABLE') return true;
    answer = await ask();
    return false;
  }, 'the rights are read');
  return answer;
}

/** The same for what is no JSON. */
async function patient(url: string, init: RequestInit): Promise<Response> {
  let answer = await fetch(url, init);
  await until(async () => {
    if (answer.status !== 503) return true;
    await answer.text();
    answer = await fetch(url, init);
    return false;
  }, 'the rights are read');
  return answer;
}

async function graphql(member: MemberUser): Promise<string[]> {
  const { body } = await settled(() =>
    member.send('POST', '/graphql/system', { query: '{ files(limit: -1) { id } }' }),
  );
  return (body.data?.files ?? []).map(({ id }: Row) => id).sort();
}

/** Begins to replace a file; the status. */
async function begin(cluster: Cluster, { token }: MemberUser, id: string): Promise<number> {
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const answer = await patient(`${cluster.url}/files/tus`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'Tus-Resumable': '1.0.0',
      'Upload-Length': '1',
      'Upload-Metadata': `filename ${encode('x')},id ${encode(id)}`,
    },
  });
  return answer.status;
}
