// @newest
/** Images that are uploaded while the queue of images does nothing: they are measured later. */
import sharp from 'sharp';
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { flood } from '#tests/harness/hostile-image.ts';
import { warmUpImages } from '#tests/harness/measured.ts';
import { until } from '#tests/harness/until.ts';

interface FileRow {
  readonly id: string;
  readonly width: number | null;
  readonly metadata: object | null;
}

t.test('images that are not measured at once', async (t) => {
  const cluster = await startCluster(t, { edges: 1, workers: 1 });
  const create = { width: 30, height: 20, channels: 3, background: '#f00' } as const;
  const picture = new Uint8Array(await sharp({ create }).png().toBuffer());
  const upload = async (content = picture, headers: Readonly<Record<string, string>> = {}) => {
    const form = new FormData();
    form.append('file', new File([content], 'picture.png', { type: 'image/png' }));
    const answer = await cluster.fetch('/files', { method: 'POST', body: form, headers });
    t.equal(answer.status, 200);
    return (await bodyOf<{ data: FileRow }>(answer)).data;
  };
  const read = async (id: string) =>
    (await bodyOf<{ data: FileRow }>(await cluster.fetch(`/files/${id}`))).data;
  const turn = async (verb: string) =>
    t.equal((await cluster.fetch(`/queues/images/${verb}`, { method: 'POST' })).status, 200, verb);
  const requests = async () =>
    (
      await cluster.db.query<{ request_id: string }>(
        "SELECT request_id FROM system_jobs WHERE kind = 'image-facts' AND request_id <> 'warm-up' ORDER BY created_on",
      )
    ).rows.map(({ request_id: id }) => id);

  await warmUpImages(cluster);
  t.test('the job has the id of the request', async (t) => {
    t.match(await upload(picture, { 'X-Request-Id': 'mine-1' }), { width: 30 });
    t.strictSame(await requests(), ['mine-1']);
    const tus = { 'Tus-Resumable': '1.0.0', 'X-Request-Id': 'mine-2' };
    const begun = await cluster.fetch('/files/tus', {
      method: 'POST',
      headers: { ...tus, 'Upload-Length': `${picture.length}`, 'Upload-Metadata': 'filename eA==' },
    });
    const done = await cluster.fetch(begun.headers.get('location') ?? '', {
      method: 'PATCH',
      headers: { ...tus, 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
      body: picture,
    });
    t.equal(done.status, 204);
    t.strictSame(await requests(), ['mine-1', 'mine-2']);
  });

  t.test('while the queue is paused', async (t) => {
    await turn('pause');
    const { id, width } = await upload(picture, { 'X-Request-Id': 'mine-3' });
    t.equal(width, null);
    await turn('resume');
    await until(async () => (await read(id)).width === 30, 'it is measured');
    t.ok((await requests()).slice(2).every((request) => request === 'mine-3'));
  });

  t.test('while the queue accepts no jobs', async (t) => {
    await turn('drain');
    const files = [await upload(), await upload()];
    t.match(files, [
      { width: null, metadata: null },
      { width: null, metadata: null },
    ]);
    const broken = await upload(new Uint8Array(flood(50, 50).subarray(0, 40)));
    await turn('resume');
    for (const { id } of files) {
      await until(async () => (await read(id)).width === 30, 'it is measured');
    }
    const isTold = async () => (await read(broken.id)).metadata !== null;
    await until(isTold, 'what cannot be measured is not asked for again');
    t.match(await read(broken.id), { width: null, metadata: {} });
  });
});
