// @newest
/** Files in a bucket: an ordinary client of S3 finds them there, and clients can be sent to it. */
import { createHash, randomBytes } from 'node:crypto';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import sharp from 'sharp';
import t from 'tap';
import { startCluster } from '#tests/harness/cluster.ts';
import { measured } from '#tests/harness/measured.ts';
import { createMember } from '#tests/harness/member.ts';
import { startS3Server } from '#tests/harness/s3-server.ts';
import { until } from '#tests/harness/until.ts';

interface FileRow {
  readonly id: string;
  readonly filename_disk: string;
}

t.test('files in a bucket', async (t) => {
  const server = await startS3Server(t);
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  const cluster = await startCluster(t, {
    edges: 1,
    workers: 1,
    env: {
      STORAGE_LOCATIONS: 'bucket,near',
      STORAGE_BUCKET_DRIVER: 's3',
      STORAGE_BUCKET_BUCKET: server.bucket,
      STORAGE_BUCKET_ENDPOINT: server.url,
      STORAGE_BUCKET_FORCE_PATH_STYLE: 'true',
      STORAGE_BUCKET_KEY: credentials.accessKeyId,
      STORAGE_BUCKET_SECRET: credentials.secretAccessKey,
      STORAGE_BUCKET_REDIRECT: 'true',
      STORAGE_NEAR_DRIVER: 'local',
    },
  });
  const store = async (content: Uint8Array<ArrayBuffer>, name: string, storage = 'bucket') => {
    const form = new FormData();
    form.append('storage', storage);
    form.append('file', new File([content], name));
    const answer = await cluster.fetch('/files', { method: 'POST', body: form });
    const file: FileRow = JSON.parse(await answer.text()).data;
    return file;
  };
  const client = new S3Client({
    ...{ region: 'us-east-1', endpoint: server.url, forcePathStyle: true, credentials },
  });
  t.teardown(() => client.destroy());
  const keys = async () => {
    const listed = await client.send(new ListObjectsV2Command({ Bucket: server.bucket }));
    return (listed.Contents ?? []).map(({ Key = '' }) => Key);
  };
  // The first byte belongs to no known type: random ones look like an MP3 now and then.
  const content = new Uint8Array(randomBytes(6 * 1024 * 1024)).fill(0xfe, 0, 4);
  const file = await store(content, 'random.bin');

  t.test('a client of S3 reads them under the names that their rows have', async (t) => {
    const Key = `files/${file.filename_disk}`;
    const found = await client.send(new GetObjectCommand({ Bucket: server.bucket, Key }));
    const bytes = await found.Body?.transformToByteArray();
    const digest = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');
    t.equal(digest(bytes ?? new Uint8Array()), digest(content));
  });

  t.test('who may read the file is sent to the bucket, for a minute', async (t) => {
    const path = `/assets/${file.id}/name.bin`;
    const answer = await cluster.fetch(path, { redirect: 'manual' });
    t.equal(answer.status, 302);
    t.equal(answer.headers.get('cache-control'), 'no-store');
    const url = new URL(answer.headers.get('location') ?? '');
    t.equal(url.origin, server.url);
    t.match(Object.fromEntries(url.searchParams), {
      'X-Amz-Expires': '60',
      'response-content-disposition': /^attachment; filename="?random\.bin/,
      'response-content-type': 'application/octet-stream',
      'response-cache-control': /^private, max-age=/,
    });
    const part = await fetch(url, { headers: { Range: 'bytes=5-9' } });
    t.equal(part.status, 206);
    t.strictSame(new Uint8Array(await part.arrayBuffer()), content.slice(5, 10));

    const head = await cluster.fetch(path, { method: 'HEAD', redirect: 'manual' });
    t.equal(head.status, 200);
    t.equal(head.headers.get('content-length'), String(content.length));
    const etag = head.headers.get('etag') ?? '';
    const known = { headers: { 'If-None-Match': etag }, redirect: 'manual' } as const;
    t.equal((await cluster.fetch(path, known)).status, 304);
    const member = await createMember(cluster, []);
    const headers = { authorization: `Bearer ${member.token}` };
    t.equal((await fetch(cluster.url + path, { headers, redirect: 'manual' })).status, 403);
  });

  t.test('variants are in the bucket, too, and leave it with their file', async (t) => {
    const picture = await sharp({
      create: { width: 90, height: 60, channels: 3, background: '#0a0' },
    })
      .png()
      .toBuffer();
    const { id } = await store(new Uint8Array(picture), 'green.png');
    t.equal(await measured(cluster, id), 90, 'measured by a worker that fetches it');
    const before = await keys();
    const answer = await cluster.fetch(`/assets/${id}?width=30&format=webp`);
    t.ok(answer.redirected);
    const bytes = Buffer.from(await answer.arrayBuffer());
    t.match(await sharp(bytes).metadata(), { width: 30, height: 20, format: 'webp' });
    t.equal((await keys()).length, before.length + 1);
    await cluster.fetch(`/files/${id}`, { method: 'DELETE' });
    await until(async () => (await keys()).length === before.length - 1, 'both are removed');
  });

  t.test('files of another location are sent from here', async (t) => {
    const { id } = await store(new Uint8Array([1, 2, 3]), 'near.bin', 'near');
    const answer = await cluster.fetch(`/assets/${id}`, { redirect: 'manual' });
    t.equal(answer.status, 200);
    t.strictSame([...new Uint8Array(await answer.arrayBuffer())], [1, 2, 3]);
  });

  t.test('an upload whose process was cut off goes on beside its late writes', async (t) => {
    const uploads = '/files/tus';
    const tus = { 'Tus-Resumable': '1.0.0' };
    const name = `filename ${btoa('resumed.bin')}`;
    const begun = await cluster.fetch(uploads, {
      method: 'POST',
      headers: { ...tus, 'Upload-Length': `${content.length}`, 'Upload-Metadata': name },
    });
    const path = begun.headers.get('location') ?? '';
    const id = path.split('/').at(-1);
    const add = async (from: number, to: number) => {
      const type = { 'Content-Type': 'application/offset+octet-stream' };
      const headers = { ...tus, ...type, 'Upload-Offset': `${from}` };
      const answer = await cluster.fetch(path, {
        ...{ method: 'PATCH', headers, body: content.subarray(from, to) },
      });
      t.equal(answer.status, 204, await answer.text());
      return answer.headers.get('file-id');
    };
    const skipped = async () => {
      const { rows } = await cluster.db.query(
        'SELECT (pieces::jsonb->$2) @> $3 AS skipped FROM system_resumable_uploads WHERE id = $1',
        [id, 'parts', '[null]'],
      );
      return rows[0]?.skipped;
    };
    const part = 5 * 1024 * 1024 + 100;
    await add(0, part);
    await add(part, part + 100);
    t.equal(await skipped(), false, 'requests one after the other leave out no part');
    await cluster.db.query(
      `UPDATE system_resumable_uploads SET lock = gen_random_uuid(), locked_until = now() WHERE id = $1`,
      [id],
    );
    await add(part + 100, part + 200);
    t.equal(await skipped(), true, 'the part that the other process may still write is left out');
    const resumed = await add(part + 200, content.length);
    const answer = await cluster.fetch(`/assets/${resumed}`);
    t.ok(Buffer.from(await answer.arrayBuffer()).equals(content));
  });
});
