// @newest

/** Loses edges at each step of storing files: nothing is left, or the file is whole and the only one. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const CONTENT = randomBytes(300_000);
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
const AS_ADMIN = { Authorization: `Bearer ${ADMIN_TOKEN}` };
const TUS = { ...AS_ADMIN, 'Tus-Resumable': '1.0.0' };

interface FileBody {
  readonly data: { readonly id: string; readonly filename_disk: string };
}

function storedContent({ dataDir }: Cluster): string[] {
  const folder = join(dataDir, 'files');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name !== 'storage-id');
}

async function files({ db }: Cluster): Promise<string[]> {
  const { rows } = await db.query('SELECT filename_disk FROM system_files ORDER BY 1');
  return rows.map(({ filename_disk: name }) => name);
}

/** What a process that died noted is old enough to be swept. */
async function age({ db }: Cluster): Promise<void> {
  await db.query("UPDATE system_unclaimed_content SET seen_on = now() - interval '1 hour'");
}

/** Runs work against an edge that stops at a failpoint, and kills it there. */
async function lose(
  cluster: Cluster,
  failpoint: string,
  work: (url: string) => Promise<unknown>,
): Promise<void> {
  const edge = await cluster.addEdge({ FAILPOINT: failpoint });
  const working = work(edge.url).catch(() => undefined);
  await edge.stoppedAt;
  await edge.end('SIGKILL');
  await working;
}

function send(url: string): Promise<Response> {
  const form = new FormData();
  form.append('file', new File([CONTENT], 'a.bin'));
  return fetch(`${url}/files`, { method: 'POST', headers: AS_ADMIN, body: form });
}

t.test('edges that are killed', async (t) => {
  const cluster = await startCluster(t, { edges: 1, workers: 1 });

  for (const failpoint of ['file.noted', 'file.stored', 'change.committed']) {
    await t.test(`a plain upload at ${failpoint}`, async (t) => {
      await lose(cluster, failpoint, send);
      await age(cluster);
      t.equal((await send(cluster.url)).status, 200);
      const isTidy = async () => {
        await cluster.fetch('/files/00000000-0000-4000-8000-000000000000', { method: 'DELETE' });
        const stored = storedContent(cluster).filter((name) => !name.endsWith('.part'));
        return stored.length === (await files(cluster)).length;
      };
      // An edge tidies after each deletion.
      const [row] = await files(cluster);
      await cluster.db.query('DELETE FROM system_files WHERE filename_disk = $1', [row]);
      const { data } = await bodyOf<FileBody>(await send(cluster.url));
      await cluster.fetch(`/files/${data.id}`, { method: 'DELETE' });
      await until(isTidy, 'bytes and rows are the same');
      t.strictSame(
        storedContent(cluster)
          .filter((name) => !name.endsWith('.part'))
          .sort(),
        await files(cluster),
      );
    });
  }

  for (const failpoint of [
    ...['upload.stored', 'upload.complete', 'upload.joined'],
    ...['change.committed', 'upload.created'],
  ]) {
    await t.test(`an upload that is resumed, at ${failpoint}`, async (t) => {
      const begun = await fetch(`${cluster.url}/files/tus`, {
        method: 'POST',
        headers: {
          ...TUS,
          'Upload-Length': `${CONTENT.length}`,
          'Upload-Metadata': `filename ${Buffer.from('a.bin').toString('base64')}`,
        },
      });
      const path = begun.headers.get('location') ?? '';
      const add = async (url: string) => {
        const told = await fetch(url + path, { method: 'HEAD', headers: TUS });
        const offset = Number(told.headers.get('upload-offset'));
        if (offset === CONTENT.length) return told.headers.get('file-id');
        const answer = await fetch(url + path, {
          method: 'PATCH',
          headers: {
            ...{ ...TUS, 'Upload-Offset': `${offset}` },
            'Content-Type': 'application/offset+octet-stream',
          },
          body: CONTENT.subarray(offset),
        });
        return answer.headers.get('file-id');
      };
      const before = await files(cluster);
      await lose(cluster, failpoint, add);
      const id = await add(cluster.url);
      const { data } = await bodyOf<FileBody>(await cluster.fetch(`/files/${id}`));
      t.match(data, { sha256: SHA256, filesize: `${CONTENT.length}` });
      t.strictSame(
        (await files(cluster)).filter((name) => !before.includes(name)),
        [data.filename_disk],
        'and the only one',
      );
      const back = await (await cluster.fetch(`/assets/${id}`)).arrayBuffer();
      t.equal(createHash('sha256').update(Buffer.from(back)).digest('hex'), SHA256);
    });
  }
});
